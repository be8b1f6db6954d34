// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/scan/scan_totals.hpp"

// What `headway scan` prints. Pure but for the local time zone.

namespace headway::cli {

class Json;

struct ScanStyle {
    std::size_t width = 0;  ///< columns to crop to; 0: do not crop
    bool color = false;
    std::size_t rows = 20;  ///< sessions and groups listed at most
};

/// The sentence on all of it, the sessions that went wrong with the reason, and the totals.
std::string scan_text(const ScanTotals& totals, const ScanStyle& style);

/// All sessions and totals.
Json scan_json(const ScanTotals& totals, const std::vector<std::string>& skipped);

/// "1.2M tokens, $4.10": `+` behind a cost where some tokens have no price.
std::string spent_text(const Totals& totals);
/// The cost alone.
std::string cost_text(const Totals& totals);
std::string worked_text(const Totals& totals);
/// "2026-11-26", in UTC.
std::string day_text(double seconds);

/// Those that were stuck, blocked, cut off or refused, the worst first.
std::vector<const CountedSession*> troubled_sessions(const ScanTotals& totals);
/// In one sentence; empty: nothing went wrong.
std::string trouble_of(const CountedSession& counted);

/// By their costs, or by name, the last first.
std::vector<std::pair<std::string, Totals>> sorted_groups(
    const std::map<std::string, Totals>& groups, bool by_name);

}  // namespace headway::cli

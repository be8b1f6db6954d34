// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/scan/scan_totals.hpp"

// Output of `headway scan`. Pure, except for the local time zone.

namespace headway::cli {

class Json;

struct ScanStyle {
    std::size_t width = 0;  ///< columns to crop to; 0: do not crop
    bool color = false;
    std::size_t rows = 20;  ///< maximum number of sessions listed, and of groups
};

/// A summary sentence, the sessions that went wrong with their reasons, and the totals.
std::string scan_text(const ScanTotals& totals, const ScanStyle& style);

/// All sessions and totals.
Json scan_json(const ScanTotals& totals, const std::vector<std::string>& skipped);

/// "1.2M tokens, $4.10", with `+` after the cost if some tokens have no price.
std::string spent_text(const Totals& totals);
/// The cost part of spent_text().
std::string cost_text(const Totals& totals);
std::string worked_text(const Totals& totals);
/// "2026-11-26", in UTC.
std::string day_text(double seconds);

/// The sessions that were stuck, blocked, cut off or refused, the worst first.
std::vector<const CountedSession*> troubled_sessions(const ScanTotals& totals);
/// The session's trouble in one sentence; empty: nothing went wrong.
std::string trouble_of(const CountedSession& counted);

/// The groups, sorted by cost or by name, in descending order.
std::vector<std::pair<std::string, Totals>> sorted_groups(
    const std::map<std::string, Totals>& groups, bool by_name);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
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

}  // namespace headway::cli

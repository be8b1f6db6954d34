// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/scan/scan_totals.hpp"

namespace headway::cli {

/// One HTML file, also for people who do not have Headway: it has no script, loads nothing from a
/// network, and shows all content of stores as plain text. `written_at`: seconds since 1970. Pure.
std::string scan_page(const ScanTotals& totals, double written_at, std::size_t rows);

}  // namespace headway::cli

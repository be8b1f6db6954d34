// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/scan/scan_totals.hpp"

namespace headway::cli {

/// One HTML file for people without Headway: no script, nothing from a network, and all content of
/// stores is plain text. `written_at`: seconds since 1970. Pure.
std::string scan_page(const ScanTotals& totals, double written_at, std::size_t rows);

}  // namespace headway::cli

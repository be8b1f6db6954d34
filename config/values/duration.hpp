// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

// Durations as people write them: a whole number and one unit, "500ms" "10s" "2m" "12h" "30d".

namespace headway::config {

inline constexpr std::chrono::milliseconds kDurationMax = std::chrono::hours{24 * 3'650};

/// Reads one duration, 0 to kDurationMax; "0" needs no unit. Error: kInvalidConfig; the detail
/// describes the right form. Pure.
core::Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Writes a duration in the largest exact unit ("2m", not "120s"). Pure.
std::string print_duration(std::chrono::milliseconds duration);

}  // namespace headway::config

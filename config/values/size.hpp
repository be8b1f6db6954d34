// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

// Sizes in bytes as people write them: a whole number and one unit, "512KiB" "64MiB" "1GiB".

namespace headway::config {

inline constexpr std::uint64_t kSizeMax = 1ULL << 50;  ///< a pebibyte, larger than any disk

/// Reads one size, 0 to kSizeMax; "0" needs no unit. Error: kInvalidConfig; the detail describes
/// the right form. Pure.
core::Result<std::uint64_t> parse_size(std::string_view text);

/// Writes a size in the largest exact unit. Pure.
std::string print_size(std::uint64_t bytes);

}  // namespace headway::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::config {

/// Reads "07:30" as the time since midnight. Error: kInvalidConfig, which quotes the text. Pure.
core::Result<std::chrono::milliseconds> parse_clock_time(std::string_view text);
/// The inverse of parse_clock_time(). Pure.
std::string print_clock_time(std::chrono::milliseconds time);

}  // namespace headway::config

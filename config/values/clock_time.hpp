// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::config {

/// "07:30" as the time since midnight. Error: kInvalidConfig, with the text in it. Pure.
core::Result<std::chrono::milliseconds> parse_clock_time(std::string_view text);
/// The inverse. Pure.
std::string print_clock_time(std::chrono::milliseconds time);

}  // namespace headway::config

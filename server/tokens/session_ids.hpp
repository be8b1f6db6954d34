// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace headway::server {

/// Parses a comma-separated list of session ids; the result has no duplicates. Errors: kInvalidId;
/// kInvalidParameter for more than `count_max`. Pure.
core::Result<std::vector<std::string>> parse_ids(const std::string& list, std::string_view field,
                                                 std::size_t count_max);

/// The type of an agent, from the reported text; never `command`, which is reserved for sessions
/// that `headway run` ends. Pure.
std::string agent_type(std::string_view text);

}  // namespace headway::server

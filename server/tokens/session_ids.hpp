// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace headway::server {

/// Parses a comma list of session ids; the result has each once. Errors: kInvalidId;
/// kInvalidParameter for more than `count_max`. Pure.
core::Result<std::vector<std::string>> parse_ids(const std::string& list, std::string_view field,
                                                 std::size_t count_max);

/// The type of an agent by its own word: never `command`, whose sessions `headway run` ends and no
/// agent. Pure.
std::string agent_type(std::string_view text);

}  // namespace headway::server

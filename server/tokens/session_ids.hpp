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

/// `<agent>-<its id>`, or a digest of an id that no session can have. Pure.
std::string agent_session(std::string_view agent, const std::string& native);

/// The type of an agent by its own word: never `command`, whose sessions `headway run` ends and no
/// agent. Pure.
std::string agent_type(std::string_view said);

/// The session of a sub-agent, which begins like that of its parent, as the scope of a token does.
/// Pure.
std::string child_session(const std::string& parent, const std::string& agent_id);

}  // namespace headway::server

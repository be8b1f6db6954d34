// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Sessions of agents that do not name them. Their hooks and what follows their files use the same
// names, so that both report into one session.

namespace headway::api::hooks {

/// `<agent>-<its id>`, or a digest of an id that no session can have. Pure.
std::string agent_session(std::string_view agent, const std::string& native);

/// The session of a sub-agent, which begins like that of its parent, as the scope of a token does.
/// Pure.
std::string child_session(const std::string& parent, const std::string& agent_id);

}  // namespace headway::api::hooks

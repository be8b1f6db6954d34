// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Headway's ids for the sessions of agents, made from the agents' own ids. Hooks, and the reader of
// an agent's files, use the same ids, so that both report to one session.

namespace headway::api::hooks {

/// `<agent>-<native>`, or `<agent>-h<digest>` if a session cannot have that id. Pure.
std::string agent_session(std::string_view agent, const std::string& native);

/// The session of a sub-agent. Its id begins with the parent's, so that the scope of the parent's
/// token covers both. Pure.
std::string child_session(const std::string& parent, const std::string& agent_id);

}  // namespace headway::api::hooks

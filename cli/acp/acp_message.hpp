// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/base/json.hpp"

// Messages of the Agent Client Protocol: JSON-RPC 2.0, one message per line. Pure.

namespace headway::cli {

/// The name of a program or a package in a form that ids may contain: its last part, at most 32
/// letters.
std::string acp_agent_name(std::string_view name);

/// The tool of a call: the agent's own name for it if sent, else the kind of the call (`execute`,
/// `edit`, `read` ...). Empty: neither was sent.
std::string acp_tool(const Json& call);

/// The arguments: the raw input, Codex's without members that differ between equal calls. If there
/// is no raw input: title, path and the edits that are shown. Null if none of these was sent.
Json acp_args(const Json& call);

/// Result or error, as text.
std::string acp_result(const Json& call);

/// True if a finished call succeeded, according to its status and, if sent, its exit code.
bool acp_succeeded(const Json& call);

/// Files that the call wrote, from its diffs: `[{"path","digest"}]`.
Json acp_mutated(const Json& call);

/// The text of the blocks of a prompt or a message.
std::string acp_text(const Json& content);

/// The reply by which an agent learns that the call must not run.
std::string acp_refusal(const Json& request);

/// True if an editor's `reply` lets the call run. `options` are those of the request for
/// permission.
bool acp_allows(const Json& options, const Json& reply);

/// The message that ends a session's turn: a line without its line end.
std::string acp_cancel(std::string_view session);

}  // namespace headway::cli

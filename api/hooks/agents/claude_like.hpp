// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Code shared by the dialects whose hooks have Claude's shape: claude, codex, copilot, qwen.
// Internal to the dialects; pure.

namespace headway::api::hooks {

/// How an agent reports the end of a call. `json` is the body of a PostToolUse or
/// PostToolUseFailure, or one of the calls of a PostToolBatch; tool, args and call are read
/// already.
using ReadCall = void (*)(JsonValue json, HookCall& call);

/// The kind of an event by Claude's name of it; kNone for others.
HookKind claude_kind(std::string_view event);

/// A body whose members have Claude's names.
Hook parse_claude_like(JsonValue body, ReadCall finished, ReadCall batched);

/// The fields of a hook of `kind` other than those that say to which session it belongs. Needs
/// `hook.event`.
void read_claude_fields(JsonValue body, Hook& hook, ReadCall finished, ReadCall batched);

/// The members of one reply in Claude's form; empty ones are left out.
struct ClaudeReply {
    std::string_view decision;  ///< of a PreToolUse: allow or deny
    std::string reason;         ///< of the decision
    std::string_view edit_json;
    std::string context;
    std::string stop;  ///< ends the agent's loop
};

std::string write_claude_reply(std::string_view event, const ClaudeReply& reply);

/// The answer to a PermissionRequest: `{}` if `behavior` is empty.
std::string write_claude_permission(std::string_view behavior, std::string_view message,
                                    bool interrupt = false);

/// `decision: block`.
std::string write_claude_block(std::string_view reason);

}  // namespace headway::api::hooks

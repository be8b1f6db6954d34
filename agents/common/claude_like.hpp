// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Code shared by the dialects whose hooks have the same form as Claude's: claude, codex, copilot,
// qwen. Internal to the dialects; functions change only arguments.

namespace headway::api::hooks {

/// Reads how a call ended, as the agent reports it. `json` is the body of a PostToolUse or
/// PostToolUseFailure, or one call of a PostToolBatch; in `call`, the members tool, args and call
/// are already set.
using ReadCall = void (*)(JsonValue json, HookCall& call);

/// The kind of the event that Claude calls `event`; kNone for other names.
HookKind claude_kind(std::string_view event);

/// Reads a body whose members have Claude's names.
Hook parse_claude_like(JsonValue body, ReadCall finished, ReadCall batched);

/// Reads a hook's fields except those that identify its session. `hook.event` and `hook.kind` must
/// be set.
void read_claude_fields(JsonValue body, Hook& hook, ReadCall finished, ReadCall batched);

/// The members of one reply in Claude's form; empty members are left out.
struct ClaudeReply {
    std::string_view decision;  ///< for a PreToolUse: allow or deny
    std::string reason;         ///< the reason of the decision
    std::string_view edit_json;
    std::string context;
    std::string stop;  ///< why the agent must end its run
};

std::string write_claude_reply(std::string_view event, const ClaudeReply& reply);

/// The reply to a PermissionRequest: `{}` if `behavior` is empty.
std::string write_claude_permission(std::string_view behavior, std::string_view message,
                                    bool interrupt = false);

/// The reply `decision: block`, with a reason.
std::string write_claude_block(std::string_view reason);

}  // namespace headway::api::hooks

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hook/text/answers.hpp"

// Token usage that an agent does not report in its hooks, but writes into its own record of the
// session: Claude Code into its transcript, Codex into its rollout. Read here and not in the
// daemon, which may be another user's. Only numbers, ids of answers and their times leave the
// record.

namespace headway::hook {

/// The usage of the last answers in a record, oldest first (answers.hpp), separated by commas. The
/// daemon counts each answer once, so the next hook makes up for a missed one. Pure, linear.
std::string use_in_transcript(std::string_view tail);
std::string use_in_rollout(std::string_view tail);

/// True if a transcript's last message is the agent's and has `words`, in their JSON form: then, at
/// the end of a turn, the transcript is complete. Pure.
bool ends_with_answer(std::string_view tail, std::string_view words = {}) noexcept;

/// The path of the record of the session or sub-agent that this hook body names; empty if the body
/// names none. Pure.
std::string record_of(std::string_view body);

/// The agent's usage until this hook, if usage is known at the hook: Claude's Stop, StopFailure,
/// SubagentStop and PostToolBatch, Codex's Stop, SubagentStop and PostToolUse. Empty otherwise.
/// Waits for at most 400 ms at the end of Claude's turns: Claude writes the turn's last answer,
/// whose text the hook has, while the hook runs.
std::string use_of(std::string_view agent, std::string_view body);

/// The usage of the answers before those of use_of(), newest first, one string per request: for a
/// daemon that knew none of the last answers.
std::vector<std::string> older_uses_of(std::string_view agent, std::string_view body);

/// A body that only names the session and sub-agent whose usage the header has; empty if the hook
/// names no session. Pure.
std::string use_body(std::string_view body);

}  // namespace headway::hook

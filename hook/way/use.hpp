// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hook/text/answers.hpp"

// Tokens that an agent does not tell by its hooks, and does write into its own record of the
// session: Claude Code into its transcript, Codex into its rollout. Read here and not by the
// daemon, which may be another user's. Only numbers, ids of answers and their times leave the
// record.

namespace headway::hook {

/// The use of the last answers in a record, oldest first (answers.hpp), with commas between them.
/// The daemon counts each once, so a hook that was missed is made good by the next one. Pure,
/// linear.
std::string use_in_transcript(std::string_view tail);
std::string use_in_rollout(std::string_view tail);

/// True if the last message in a transcript is of the agent and has `words`, as JSON has them: at
/// the end of a turn, that all of it is written. Pure.
bool ends_with_answer(std::string_view tail, std::string_view words = {}) noexcept;

/// The record of the session, or of the sub-agent, that this body of a hook is about; empty without
/// one. Pure.
std::string record_of(std::string_view body);

/// Use of the agent until this hook, if the hook comes when the use is known: Claude's Stop,
/// StopFailure, SubagentStop and PostToolBatch, Codex's Stop, SubagentStop and PostToolUse. Empty
/// otherwise. Waits for at most 400 ms at Claude's ends of turns, whose last answer is written
/// while the hook runs: its words stand in the hook.
std::string use_of(std::string_view agent, std::string_view body);

/// The same of the answers before those, newest first, each as one request takes it: for a daemon
/// that knew none of the last ones.
std::vector<std::string> older_uses_of(std::string_view agent, std::string_view body);

/// A body that says only whose use the header has; empty if the hook names no session. Pure.
std::string use_body(std::string_view body);

}  // namespace headway::hook

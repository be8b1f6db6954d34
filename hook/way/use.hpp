// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hook/text/answers.hpp"

// Token usage that an agent does not report in its hooks, but writes into its own record of the
// session: Claude Code into its transcript, Codex into its rollout. The hook reads the record,
// because the daemon may belong to another user. Only numbers, ids of answers and their times are
// taken from the record.

namespace headway::hook {

/// The usage of the last answers in a record, oldest first (answers.hpp), separated by commas. The
/// daemon counts each answer once, so the next hook makes up for a missed one. Pure, linear.
std::string use_in_transcript(std::string_view tail);
std::string use_in_rollout(std::string_view tail);

/// True if the last message in a transcript is the agent's and contains `words`, which are in JSON
/// form. At the end of a turn, this shows that the transcript is complete. Pure.
bool ends_with_answer(std::string_view tail, std::string_view words = {}) noexcept;

/// The path of the record of the session or sub-agent that this hook body names; empty if the body
/// names none. Pure.
std::string record_of(std::string_view body);

/// The agent's usage so far. Empty except at hooks at which usage is known: Claude's Stop,
/// StopFailure, SubagentStop and PostToolBatch, and Codex's Stop, SubagentStop and PostToolUse. At
/// the end of Claude's turns this function waits up to 400 ms, because Claude writes the last
/// answer of the turn into its transcript while the hook runs. The hook recognises this answer by
/// its text.
std::string use_of(std::string_view agent, std::string_view body);

/// The usage of the answers before those in use_of(), newest first, one string for each request.
/// Needed if the daemon knew none of the answers in use_of().
std::vector<std::string> older_uses_of(std::string_view agent, std::string_view body);

/// A body that names only the session and the sub-agent; their usage is in the header. Empty if the
/// hook names no session. Pure.
std::string use_body(std::string_view body);

}  // namespace headway::hook

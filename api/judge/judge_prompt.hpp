// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// Questions to a judge (docs/judge.md). Their fixed texts are api/prompts/*.txt. The texts of an
// agent do not affect the system message. In the user message they stay between two fence lines,
// and affect nothing else except the marker in these two lines.

namespace headway::api {

struct JudgePrompt {
    std::string system;
    std::string user;
    std::vector<std::uint64_t> shown;  ///< event numbers that the judge may cite, ascending, unique
};

/// Asks whether the session makes progress (A), loops (B), is blocked (C) or has failed (D).
/// `recent`: the newest events of its journal, oldest first, about limits::kJudgeEventsMax of them.
/// The system message and the user message together have at most limits::kJudgePromptBytesMax
/// bytes. If necessary, the oldest events are left out, and the prompt states their number.
/// read_status_answer() reads the answer. Pure.
JudgePrompt status_prompt(const core::SessionState& state, std::span<const core::Event> recent);

/// Asks for the progress of the session in percent. The bound of status_prompt() applies.
/// read_estimate_answer() reads the answer. Pure.
JudgePrompt estimate_prompt(const core::SessionState& state, std::span<const core::Event> recent);

}  // namespace headway::api

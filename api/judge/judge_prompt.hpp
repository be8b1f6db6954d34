// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// Questions to a judge (DESIGN 6). The texts are api/prompts/*.txt. No text of an agent changes the
// system message, nor the user message outside of the two fence lines and the marker on them.

namespace headway::api {

struct JudgePrompt {
    std::string system;
    std::string user;
    std::vector<std::uint64_t> shown;  ///< event numbers the judge may cite, rising, each once
};

/// Asks whether the session makes progress (A), loops (B), is blocked (C) or has failed (D).
/// `recent`: the newest events of its journal, oldest first, about limits::kJudgeEventsMax. Both
/// texts together have at most limits::kJudgePromptBytesMax bytes: the oldest events give way, and
/// the prompt says how many. read_status_answer() reads what comes back. Pure.
JudgePrompt status_prompt(const core::SessionState& state, std::span<const core::Event> recent);

/// Asks how far the session has come, with the same bound. read_estimate_answer() reads what comes
/// back. Pure.
JudgePrompt estimate_prompt(const core::SessionState& state, std::span<const core::Event> recent);

}  // namespace headway::api

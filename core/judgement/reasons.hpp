// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/state/session_state.hpp"

// Reasons of verdicts that no detector gives, one sentence each for people. Pure.

namespace headway::core {

/// The decision that a session waits for.
std::string waiting_reason(const Approval& asked);

/// "idle: it waits for a task", or the awaited work in the background.
std::string rest_reason(const SessionState& state);

/// The newest progress; empty unless the verdict is kProgressing or kExploring.
std::string progress_reason(const SessionState& state, Verdict verdict);

/// The current judgement; for a loop that goes on, with its count and its cost so far. Pure.
JudgementPtr live_judgement(const SessionState& state);

/// Why the session failed, with the provider's stop unless the reported reason names it.
std::string failed_reason(const SessionState& state);

}  // namespace headway::core

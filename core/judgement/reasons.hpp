// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/state/session_state.hpp"

// Reasons of verdicts that no detector gives, one sentence each for people. Pure.

namespace headway::core {

/// The decision that a session waits for.
std::string waiting_reason(const Approval& asked);

/// "idle: it waits for a task", or the work in the background that it waits for.
std::string rest_reason(const SessionState& state);

/// The newest progress; empty unless the verdict is kProgressing or kExploring.
std::string progress_reason(const SessionState& state, Verdict verdict);

/// The judgement as it is now: of a loop that goes on, the count and what it has cost since. Pure.
JudgementPtr live_judgement(const SessionState& state);

/// Why it failed, with what stopped the session unless its own words say so.
std::string failed_reason(const SessionState& state);

}  // namespace headway::core

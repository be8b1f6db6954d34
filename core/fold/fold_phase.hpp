// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// Phases in the fold: start, completion and end; and the work that goes on behind a turn.

namespace headway::core {

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at);
void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at);
/// True if `name` is new; remembers it.
bool is_new_phase(RecentPhases& recent, const std::string& name);
/// Hard progress or a user message: every phase but the current one is new again.
void forget_phases(RecentPhases& recent, const std::string& lasting);
/// True if the model is at work, by state or phase: between calls, an agent waits for it. Pure.
bool model_thinks(const SessionState& state);
/// Sets the work in the background to what the agent's stop names.
void enter_background(SessionState& state, const std::vector<std::string>& tasks);
/// The session has ended, so its current phase is neither completed nor open.
void end_phase(SessionState& state, Timestamp at);

}  // namespace headway::core

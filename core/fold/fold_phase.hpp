// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// Phases in the fold: start, completion and end; and work in the background after a turn.

namespace headway::core {

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at);
void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at);
/// True if `name` is new; remembers it.
bool is_new_phase(RecentPhases& recent, const std::string& name);
/// After hard progress or a user message: every phase but `lasting`, the current one, is new again.
void forget_phases(RecentPhases& recent, const std::string& lasting);
/// True if the model is at work, by state or phase: between calls, an agent waits for the model.
/// Pure.
bool model_thinks(const SessionState& state);
/// Sets the work in the background to `tasks`, named by the agent at the end of a turn.
void enter_background(SessionState& state, const std::vector<std::string>& tasks);
/// Ends the current phase with the session: the phase is neither completed nor open then.
void end_phase(SessionState& state, Timestamp at);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

// The fold of phases (start, completion, end) and of the background work after a turn.

namespace headway::core {

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at);
void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at);
/// True if `name` is new; `recent` then remembers it.
bool is_new_phase(RecentPhases& recent, const std::string& name);
/// Called after hard progress or a user message: every phase except the current one, `lasting`,
/// counts as new again.
void forget_phases(RecentPhases& recent, const std::string& lasting);
/// True if the model is at work, according to the agent's state or phase. Pure.
bool model_thinks(const SessionState& state);
/// Sets the background work to `tasks`, which the agent named at the end of a turn.
void enter_background(SessionState& state, const std::vector<std::string>& tasks);
/// Ends the current phase because the session ends. The phase is then neither completed nor open.
void end_phase(SessionState& state, Timestamp at);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/event.hpp"
#include "core/session_state.hpp"

// Phases in the fold: what begins, completes and ends them.

namespace headway::core {

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at);
void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at);
/// Whether `name` was not seen lately; from here on it was.
bool is_new_phase(RecentPhases& recent, const std::string& name);
/// Something was proven, or the user spoke: every phase but the one that lasts is new again.
void forget_phases(RecentPhases& recent, const std::string& lasting);
/// Whether the model is at work, as far as states and phases tell: between calls that is what an
/// agent waits for. Pure.
bool model_thinks(const SessionState& state);
/// The session has ended, and with it the phase that lasted: it is neither completed nor open.
void end_phase(SessionState& state, Timestamp at);

}  // namespace headway::core

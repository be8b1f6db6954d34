#pragma once

#include <optional>

#include "core/event.hpp"
#include "core/session_state.hpp"

// Phases in the fold: what begins, completes and ends them.

namespace headway::core {

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at);
void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at);
/// The session has ended, and with it the phase that lasted: it is neither completed nor open.
void end_phase(SessionState& state, Timestamp at);

}  // namespace headway::core

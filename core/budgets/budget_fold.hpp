// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// The meter's part of the fold. Pure.

namespace headway::core {

/// Before the event is folded: the time up to it goes to the clock that was running.
void charge_clock(BudgetMeter& meter, const Event& event);

/// After the event is folded: charges its use and starts the clock for the time from here on.
/// `replayed`: a call that had already finished; it used nothing.
void meter_event(SessionState& state, const Event& event, bool replayed);

/// True if the session waits for a person.
bool waits_for_human(const SessionState& state);

}  // namespace headway::core

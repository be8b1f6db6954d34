// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// How the fold updates a session's budget meter. The functions have no side effects except on their
// reference arguments.

namespace headway::core {

/// Called before the event is folded: adds the time up to the event to the clock that was running.
void charge_clock(BudgetMeter& meter, const Event& event);

/// Called after the event is folded: charges the steps, tokens and cost that the event reports, and
/// starts the clock for the time after the event. `replayed`: the event repeats the end of a
/// finished call, so it adds no tokens and no cost.
void meter_event(SessionState& state, const Event& event, bool replayed);

/// Charges tokens and cost. To learn how much the session's own use has grown, compare own_use()
/// before and after.
void meter_usage(BudgetMeter& meter, const Usage& usage);

/// True if the session waits for a person.
bool waits_for_human(const SessionState& state);

}  // namespace headway::core

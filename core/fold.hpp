// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session_state.hpp"

namespace headway::core {

/// Folds one event into the state: state = fold(events), so replaying the journal always gives the
/// same state. Pure and total over events that Session accepted; asserts that `event.n` is the next
/// number.
void apply(SessionState& state, const Event& event);

}  // namespace headway::core

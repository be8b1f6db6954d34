// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session_state.hpp"

namespace headway::core {

/// Folds one event into the state: state = fold(events), and replaying the journal gives the same
/// state always. Pure and total over events that Session accepted; asserts that `event.n` is the
/// next number.
void apply(SessionState& state, const Event& event);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

namespace headway::core {

/// Folds one event into the state, so that a replay of a journal always gives the same state.
/// Changes only `state`. Defined for every event that Session has accepted; asserts that `event.n`
/// is the next number.
void apply(SessionState& state, const Event& event);

/// Parts of apply(): one adopts an opening, the other adopts the changes of an amendment.
void enter_opening(SessionState& state, const SessionStarted& started);
void amend_opening(SessionState& state, const SessionAmended& amended);
/// Part of apply(): remembers that hooks of this adapter report into the session.
void enter_adapter(Opening& about, const std::string& adapter);

}  // namespace headway::core

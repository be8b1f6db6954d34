// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

namespace headway::core {

/// True if a fold could have produced this state, judging by its bounds and the consistency of its
/// parts. The fold and all readers assert this instead of checking. A snapshot that may be damaged
/// or was written by another build is checked first; if it is unsound, a replay of the journal
/// replaces it. Pure; costs about as much as copying the state.
bool is_valid(const SessionState& state);

}  // namespace headway::core

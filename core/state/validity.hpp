// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

namespace headway::core {

/// True if a fold could have produced this state, judged by its bounds and the consistency of its
/// parts. The fold and all readers only assert this. A snapshot may be damaged or written by
/// another build, so it is checked when it is read; if it is not valid, the journal is replayed
/// instead. Pure; costs about as much as copying the state.
bool is_valid(const SessionState& state);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session_state.hpp"

namespace headway::core {

/// Whether the fold can have made this state: its bounds, and what its parts say of each other. The
/// fold and all that reads a state assert this and do not look again; a snapshot that was damaged
/// or that another build wrote is asked first, and replayed from the journal when it is not so.
/// Pure; takes about as long as copying the state.
bool is_sound(const SessionState& state);

}  // namespace headway::core

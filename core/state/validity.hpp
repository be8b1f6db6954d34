// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

namespace headway::core {

/// True if a fold can have produced this state, by its bounds and the consistency of its parts. The
/// fold and all readers assert this instead of checking. A snapshot that was damaged or written by
/// another build is checked first, and replaced by a replay of the journal if unsound. Pure; costs
/// about as much as copying the state.
bool is_valid(const SessionState& state);

}  // namespace headway::core

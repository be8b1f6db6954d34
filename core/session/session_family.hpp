// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_command.hpp"

// Parts of commands that concern a session's ancestors and descendants. Internal to the
// session*.cpp files.

namespace headway::core {

/// True if the session has the directive kOrphanAdvice. Pure.
bool is_orphan(const SessionState& state);

/// When a silent orphan ends automatically; kNever for other sessions. Pure.
Timestamp orphan_ends_at(const SessionState& state, const Watch& watch);

void end_with_parent(Command& command);

/// If there are too many descendants, appends the alarm, the advice and the consequence that the
/// rules prescribe. Called after event `cause`, which is about a child. `before` has the counts
/// before that event.
void note_fan_out(Command& command, const FanOut& before, std::uint64_t cause);

}  // namespace headway::core

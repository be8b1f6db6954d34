// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/session/session_command.hpp"

// Parts of commands that concern a session's relatives. Internal to the session*.cpp files.

namespace headway::core {

/// The directive of a session whose parent has ended, by which it is known from then on.
inline constexpr std::string_view kOrphanAdvice =
    "the session that opened this one has ended: come to your end";

/// True if the session received that directive, and has not acknowledged it. Pure.
bool is_orphan(const SessionState& state);

/// The time at which an orphan ends by itself, since it does not report; kNever if it does not.
/// Pure.
Timestamp orphan_ends_at(const SessionState& state, const Watch& watch);

void end_with_parent(Command& command);

/// After event `cause`, which said something of a child: the alarm, the advice and what the rules
/// want besides, if there are too many descendants. `before`: without that event.
void note_fan_out(Command& command, const FanOut& before, std::uint64_t cause);

}  // namespace headway::core

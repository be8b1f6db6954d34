// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// The time that a person takes is not charged to a call (docs/detection.md, section 11): the limits
// of a call apply from the time at which the call may run.

namespace headway::core {

/// True while a person decides whether this call may go on: a request is pending, the agent's own
/// dialog is open, the session is paused, or the call itself asks a person. A request that names no
/// open call holds all calls of its tool; a question that names no open call holds all calls,
/// unless the agent goes on working meanwhile. Pure.
bool held_by_person(const SessionState& state, const OpenCall& call);

/// Called before an event of time `at` is folded: excludes the time since the previous event from
/// the calls that were held.
void hold_calls(SessionState& state, Timestamp at);

/// Records that the call of an approval may run from `at` on.
void let_run(SessionState& state, const Approval& approval, Timestamp at);

/// How long an open call has run by `now`, excluding a person's time. Pure.
Millis running_for(const SessionState& state, const OpenCall& call, Timestamp now);

/// When a person allowed the call that event `n` finishes; kNever if no person decided about it.
/// `since` is OpenCall::since of the call; kNever if the start was not reported. Pure; called
/// before the event is fully folded.
Timestamp allowed_at(const SessionState& state, const ToolFinished& call, Timestamp since,
                     std::uint64_t n);

/// How much of the session's time a person took until `now`. Pure.
Millis time_of_person(const SessionState& state, Timestamp now);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// The time that a person takes is no time of a call (docs/detection.md, section 11): its limits run
// from when it may run.

namespace headway::core {

/// True while a person decides whether this call may go on: it was asked about, the agent's own
/// dialog is open, the session is paused, or the call itself asks a person. A request that names no
/// open call holds those of its tool; a question that names none holds them all, unless the agent
/// works on beside it. Pure.
bool held_by_person(const SessionState& state, const OpenCall& call);

/// Before an event of this time is folded: the time since the one before is not that of the calls
/// that were held.
void hold_calls(SessionState& state, Timestamp at);

/// The approval's call may run from now on.
void let_run(SessionState& state, const Approval& approval, Timestamp at);

/// How long an open call has run by `now`, without what a person took. Pure.
Millis running_for(const SessionState& state, const OpenCall& call, Timestamp now);

/// When a person let the call run that event `n` ends; kNever if no person decided about it.
/// `since`: as OpenCall::since; kNever if its start was not reported. Pure; asked before the event
/// is folded to its end.
Timestamp allowed_at(const SessionState& state, const ToolFinished& call, Timestamp since,
                     std::uint64_t n);

/// The part of the session's time that a person has taken by `now`. Pure.
Millis time_of_person(const SessionState& state, Timestamp now);

}  // namespace headway::core

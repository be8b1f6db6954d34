// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// A person's time is not a call's time (docs/detection.md, section 11): the limits of a call run
// from when the call may run.

namespace headway::core {

/// True while a person decides whether this call may go on: a request is pending, the agent's own
/// dialog is open, the session is paused, or the call itself asks a person. A request that names no
/// open call holds the calls of its tool; a question that names none holds all calls, unless the
/// agent works on meanwhile. Pure.
bool held_by_person(const SessionState& state, const OpenCall& call);

/// Called before an event of time `at` is folded: excludes the time since the previous event from
/// the calls that were held.
void hold_calls(SessionState& state, Timestamp at);

/// Lets the approval's call run from `at` on.
void let_run(SessionState& state, const Approval& approval, Timestamp at);

/// How long an open call has run by `now`, without a person's time. Pure.
Millis running_for(const SessionState& state, const OpenCall& call, Timestamp now);

/// When a person allowed the call that event `n` ends; kNever if no person decided about it.
/// `since`: as OpenCall::since; kNever if the start was not reported. Pure; called before the event
/// is fully folded.
Timestamp allowed_at(const SessionState& state, const ToolFinished& call, Timestamp since,
                     std::uint64_t n);

/// The part of the session's time that was a person's by `now`. Pure.
Millis time_of_person(const SessionState& state, Timestamp now);

}  // namespace headway::core

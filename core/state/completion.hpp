// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"
#include "core/values/watch.hpp"

// An agent's claim that its task is complete. In docs/first-designs.md, `assessment: task_complete`
// ends the agent's run after the action that comes with the claim. Here the claim ends the session
// too, but later, so that a last action and its result can be reported.

namespace headway::core {

/// Called for every event, after all other folds. A reflection with the assessment `task_complete`
/// makes the claim; another reflection, a later iteration, a new phase, a message from the user or
/// a second call withdraws it.
void note_claim(SessionState& state, const Event& event);

/// True if the claim is in force, no call is in flight, no person is asked, and the session is not
/// paused. Pure.
bool says_complete(const SessionState& state) noexcept;

/// When the session ends as completed unless the agent does something else: one heartbeat interval
/// after the claim, or after the agent's last report since then. This is earlier than the session
/// would turn silent. Heartbeats do not change this time. kNever unless says_complete(). Pure.
Timestamp completion_at(const SessionState& state, const Watch& watch);

}  // namespace headway::core

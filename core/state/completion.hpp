// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"
#include "core/values/watch.hpp"

// An agent's claim that its task is complete: `assessment: task_complete` ends the loop after the
// accompanying action (docs/first-designs.md). The claim is equivalent to ending the session, and
// leaves room for a last action and a result.

namespace headway::core {

/// Fold of any event, after all other folds: a reflection `task_complete` makes the claim. Another
/// reflection, a later iteration, a new phase, a message from the user or a second call withdraws
/// it.
void note_claim(SessionState& state, const Event& event);

/// True if the claim is in force and nothing is in flight. Pure.
bool says_complete(const SessionState& state) noexcept;

/// When the session ends as completed unless the agent does something else: one interval after the
/// claim, or after the call that followed it, so before the session turns silent. Heartbeats do not
/// change this. kNever without a claim. Pure.
Timestamp completion_at(const SessionState& state, const Watch& watch);

}  // namespace headway::core

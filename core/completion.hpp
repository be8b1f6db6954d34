// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session_state.hpp"
#include "core/watch.hpp"

// What an agent's word that its task is complete is worth (first design: `assessment:
// task_complete` ends the loop, after the action that goes with it). It could say so by ending the
// session; this is the same word, and it may still carry out its last action and hand in a result.

namespace headway::core {

/// Fold of any event, after everything else: a reflection `task_complete` makes the claim. Another
/// reflection, a later iteration, a new phase, a message of the user or a second call withdraw it.
void note_claim(SessionState& state, const Event& event);

/// Whether the claim stands and nothing is under way. Pure.
bool says_complete(const SessionState& state) noexcept;

/// When the session is to end as completed unless the agent does something else: one of its
/// intervals after the claim, or after the call that followed it, so before it turns silent; beats
/// change nothing. kNever without a claim that stands. Pure.
Timestamp completion_at(const SessionState& state, const Watch& watch);

}  // namespace headway::core

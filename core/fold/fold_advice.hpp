// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/state/session_state.hpp"

// The fold of directives, and how far each loop is in the recovery steps. Pure.

namespace headway::core {

/// Adds a directive that was issued at `at`.
void issue(SessionState& state, const DirectiveIssued& directive, Timestamp at);

/// Marks a directive that a hook put before the model.
void deliver(SessionState& state, std::string_view id);

/// The agent acknowledged a directive; true if it was advice about a loop, which restarts the
/// counts.
bool take_advice(SessionState& state, std::string_view id);

/// Withdraws advice about loops once the session is neither suspect nor stuck. A stop stays.
void withdraw_advice(SessionState& state);

/// Under the strict profile, withdraws a stop for a loop once hard progress or a new phase shows
/// that the agent has left it; if the loop returns, so does the stop. Under other profiles, and for
/// a stop by a person or a budget, nothing that the agent does withdraws the stop.
void withdraw_stops(SessionState& state);

/// Withdraws the question of the recovery steps after the person's answer: if the loop returns, the
/// person is asked again. True if a question was open.
bool withdraw_question(SessionState& state);

/// Records the session's use when it became suspect or stuck.
void note_loop(SessionState& state, const Event& event, bool loops);

}  // namespace headway::core

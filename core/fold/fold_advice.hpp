// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/state/session_state.hpp"

// The fold of directives: which are in force, and how many recovery steps each loop has had.
// Functions change only arguments.

namespace headway::core {

/// Adds a directive that was issued at `at`.
void issue(SessionState& state, const DirectiveIssued& directive, Timestamp at);

/// Marks a directive as delivered: a hook has shown it to the model.
void deliver(SessionState& state, std::string_view id);

/// Marks a directive as acknowledged by the agent; true if it was advice about a loop. Such advice
/// restarts the counts.
bool take_advice(SessionState& state, std::string_view id);

/// True for a stop that a person's resume lifts: one because of a rejection, a loop or too many
/// sub-agents. Stops because of a cancellation, a budget or the parent's end are not lifted. Pure.
bool is_liftable(const SessionState& state, const Directive& directive);

/// Called at the end of the session: removes the directives, except stops that the session itself
/// caused. These stay on record for the next generation, because an agent must not lift a stop by
/// ending its session. Stops because of the parent's end or budget do not concern the next
/// generation.
void end_directives(SessionState& state);

/// Withdraws advice about loops once the session is neither suspect nor stuck. A stop stays.
void withdraw_advice(SessionState& state);

/// Under the strict profile, withdraws a stop for a loop once hard progress or a new phase shows
/// that the agent has left the loop; if the loop returns, the stop returns. A stop under another
/// profile, and a stop by a person or a budget, stay whatever the agent does.
void withdraw_stops(SessionState& state);

/// Called when a person has answered the question that the recovery steps asked: withdraws it, so
/// that the person is asked again if the loop returns. True if a question was open.
bool withdraw_question(SessionState& state);

/// Records how much the session had used at the event that made it suspect or stuck. `loops`: the
/// session is suspect or stuck now.
void note_loop(SessionState& state, const Event& event, bool loops);

}  // namespace headway::core

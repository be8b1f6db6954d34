// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/session_state.hpp"

// The part of the fold that keeps what the agent is told: directives, and how far up the recovery
// ladder each loop is. Pure.

namespace headway::core {

/// A directive was issued at `at`.
void issue(SessionState& state, const DirectiveIssued& directive, Timestamp at);

/// The agent acknowledged a directive; true when it was advice about a loop, which starts what was
/// counted afresh.
bool take_advice(SessionState& state, std::string_view id);

/// What was said about a loop is no longer true once the loop is over. A stop stays: nothing that
/// the agent does takes it back.
void withdraw_advice(SessionState& state);

/// The person that the ladder turned to has answered: the loop may not come again, and if it does
/// the person is asked again. True when one had been asked.
bool withdraw_question(SessionState& state);

}  // namespace headway::core

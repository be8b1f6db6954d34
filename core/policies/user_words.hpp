// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/state/session_state.hpp"

// The bound on user messages that clear the counts of detectors. An agent can report such messages
// itself, and its hook reports real ones with the same token, so the two cannot be distinguished.
// Therefore only a bounded number of messages clears counts. The bound is far above the number that
// a busy person sends.

namespace headway::core {

/// Number of messages in a session that clear counts unconditionally. Each round with new
/// information (Ledger::informed_rounds) allows one more message.
inline constexpr std::uint32_t kUserWordsFree = 24;

/// True for a message of role `user` or `operator`. Pure.
bool of_user(const Message& message) noexcept;
/// True if the bound permits that another message of a role other than the agent's makes the
/// detectors of repeated texts start again. Pure.
bool words_left(const SessionState& state) noexcept;
/// True if a user message that the agent reports now may clear counts. Pure.
bool may_lift(const SessionState& state) noexcept;
/// Records a reported user message, event `n`, and begins a new scope of the ledger
/// (Ledger::scope), so that earlier calls are no longer counted.
void lift(SessionState& state, std::uint64_t n);
/// Records a message that only a person can have sent. Such a message does not use up the agent's
/// allowance.
void lift_as_person(SessionState& state, std::uint64_t n);

}  // namespace headway::core

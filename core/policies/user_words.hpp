// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/state/session_state.hpp"

// How often a user message clears counts. An agent can report such messages itself, and its hook
// reports real ones with the same token, so the two cannot be distinguished. Their number is
// therefore bounded, far above the number that a person who writes a lot sends.

namespace headway::core {

/// Messages that clear counts unconditionally, in a whole session. Each further message clears them
/// only if a round has brought news before it.
inline constexpr std::uint32_t kUserWordsFree = 24;

/// True for a message of role `user` or `operator`. Pure.
bool of_user(const Message& message) noexcept;
/// True if a message that is not the agent's still begins a new series of texts. Pure.
bool words_left(const SessionState& state) noexcept;
/// True if a user message reported by the agent now would clear counts. Pure.
bool may_lift(const SessionState& state) noexcept;
/// Records a reported user message, event `n`, which begins a new scope.
void lift(SessionState& state, std::uint64_t n);
/// Records a message that only a person can have sent. Such a message does not use up the agent's
/// allowance.
void lift_as_person(SessionState& state, std::uint64_t n);

}  // namespace headway::core

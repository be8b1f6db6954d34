// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/state/session_state.hpp"

// How often a user message clears counts. An agent can report such messages itself, and its hook
// reports real ones with the same token, so the two are not distinguishable: their bound must be
// far above the messages from a person who writes a lot.

namespace headway::core {

/// Messages that clear counts without a condition, in a whole session. Each further message needs a
/// round that brought news.
inline constexpr std::uint32_t kUserWordsFree = 24;

/// True for a message of role `user` or `operator`. Pure.
bool of_user(const Message& message) noexcept;
/// True if a message of others than the agent still begins a new row of texts. Pure.
bool words_left(const SessionState& state) noexcept;
/// True if a user message that the agent reports now clears counts. Pure.
bool may_lift(const SessionState& state) noexcept;
/// Books a reported user message, event `n`, which begins a new scope.
void lift(SessionState& state, std::uint64_t n);
/// The same for a message that only a person can have sent, which is not charged to the agent.
void lift_as_person(SessionState& state, std::uint64_t n);

}  // namespace headway::core

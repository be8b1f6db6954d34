// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/state/session_state.hpp"

// How often a message of the user lifts what was counted. An agent reports these messages itself,
// and a hook of its tool reports real ones with the same token, so that nothing tells the two
// apart: what bounds them must not come near a person who talks a lot.

namespace headway::core {

/// Messages that an agent may report for nothing, in a whole session. Each further one needs a
/// round that brought news.
inline constexpr std::uint32_t kUserWordsFree = 24;

/// True for a message of role `user` or `operator`. Pure.
bool of_user(const Message& message) noexcept;
/// Whether a message of others than the agent still begins a new row of texts. Pure.
bool words_left(const SessionState& state) noexcept;
/// Whether a message of the user that the agent reports now lifts what was counted. Pure.
bool may_lift(const SessionState& state) noexcept;
/// Books such a message, event `n`: it begins a new scope.
void lift(SessionState& state, std::uint64_t n);
/// Books what only a person can have said: it takes none of those that an agent may report.
void lift_as_person(SessionState& state, std::uint64_t n);

}  // namespace headway::core

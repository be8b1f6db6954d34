// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/event.hpp"

namespace headway::core {

/// Whether the agent may go from one state to the other (first design "Agent State Machine"); to
/// stay is always allowed. Pure.
bool valid_transition(AgentState from, AgentState to) noexcept;

/// The state that an event puts the agent in when nobody reports states; nothing when it says
/// nothing about it. Pure.
std::optional<AgentState> implied_state(const Payload& payload) noexcept;

}  // namespace headway::core

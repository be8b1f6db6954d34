// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/events/event.hpp"

namespace headway::core {

/// True if the agent may change from one state to the other (docs/first-designs.md, design 004); an
/// agent may always keep its state. Pure.
bool valid_transition(AgentState from, AgentState to) noexcept;

/// The state that an event implies for agents that report no states; nothing if it implies none.
/// Pure.
std::optional<AgentState> implied_state(const Payload& payload) noexcept;

}  // namespace headway::core

#pragma once

#include <string>

#include "core/session_state.hpp"

namespace headway::core {

/// Why the session has failed with this event, or empty (DESIGN 5, "Failure conditions"): the agent
/// says `task_failed`, or passes a limit that its policy sets on iterations, on failures of one
/// tool in a row, or on confidence. `state` has the event in it. Never the wall clock. Pure.
std::string failure_of(const SessionState& state, const Payload& payload);

/// What the model is told about the failures it runs into, to go with the reply: which tool, how
/// often in a row, and what to do; empty when the last call went well. Pure.
std::string feedback_of(const SessionState& state);

}  // namespace headway::core

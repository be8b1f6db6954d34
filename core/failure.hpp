// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/session_state.hpp"

namespace headway::core {

/// Failure::code of a session that has used up its iterations; the first design's word.
inline constexpr std::string_view kMaxIterationsReached = "max_iterations_reached";

/// Why a session failed; an empty code = it did not.
struct Failure {
    /// One of task_failed, low_confidence, max_iterations_reached, tool_failures, parse_failures,
    /// legacy_timeout.
    std::string code;
    std::string reason;
};

/// Why the session has failed with this event, if it has (DESIGN 5, "Failure conditions"): the
/// agent says `task_failed`, or passes a limit that its policy sets on iterations, on failures of
/// one tool in a row, or on confidence. `state` has the event in it. Never the wall clock. Pure.
Failure failure_of(const SessionState& state, const Payload& payload);

/// What the model is told about the failures it runs into, to go with the reply: which tool, how
/// often in a row, what it said (sanitized) and what to do; or which call has passed its time limit
/// (advice, nothing follows from it); empty when there is nothing to say. Pure.
std::string feedback_of(const SessionState& state, Timestamp now);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/state/session_state.hpp"

namespace headway::core {

/// Failure::code of a session that has used up its iterations. The name comes from
/// docs/first-designs.md.
inline constexpr std::string_view kMaxIterationsReached = "max_iterations_reached";

/// Why a session failed; an empty code = no failure.
struct Failure {
    /// One of task_failed, low_confidence, max_iterations_reached, tool_failures, parse_failures,
    /// legacy_timeout.
    std::string code;
    std::string reason;
};

/// The session's failure, if this event shows one (docs/detection.md, section 9). Either the agent
/// reports `task_failed`, or it exceeds a limit of its policy: for iterations, consecutive failures
/// of one tool, unreadable turns or low confidence. `state` includes the event. Never depends on
/// the wall clock. Pure.
Failure failure_of(const SessionState& state, const Payload& payload);

/// Feedback that a reply gives to the model. It names the tool that failed, the number of
/// consecutive failures, the sanitized error and a remedy. Without a failure, it names the call
/// that exceeds its time limit, as advice. May be empty. Pure.
std::string feedback_of(const SessionState& state, Timestamp now);

}  // namespace headway::core

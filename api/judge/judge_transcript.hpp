// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.hpp"

// Events of a session as a judge sees them. Texts of the agent and its tools are inert and without
// secrets (data_fence.hpp).

namespace headway::api {

/// One event on one line, without its number.
struct TranscriptLine {
    std::uint64_t n = 0;
    std::string text;
};

/// The calls of the last limits::kJudgeRoundsMax rounds, and the events between them. Consecutive
/// calls with one `round` number are a round, any other call is a round by itself. Calls that a
/// hook reported are not evidence, and are left out if the session's policy trusts the origin.
struct Transcript {
    std::vector<TranscriptLine> lines;  ///< oldest first
    std::uint64_t left_out = 0;         ///< lines of earlier rounds
    std::vector<std::string> changed;   ///< the last changed paths, unique, the newest last
};

/// `recent`: oldest event first. `trust_origin`: of the session's policy. Pure.
Transcript transcript_of(std::span<const core::Event> recent, bool trust_origin = true);

/// The last finished call and the agent's last texts in `recent`, as lines; a missing one has an
/// empty text and number 0. For an estimate.
struct Latest {
    TranscriptLine call;
    TranscriptLine reflection;
    TranscriptLine message;  ///< with any role except user, system and tool
    TranscriptLine plan;
};
Latest latest_of(std::span<const core::Event> recent);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.hpp"

// Events of a session as a judge sees them. The texts of the agent and its tools are made inert,
// and their secrets are removed (data_fence.hpp).

namespace headway::api {

/// One event on one line, without its number.
struct TranscriptLine {
    std::uint64_t n = 0;
    std::string text;
};

/// The calls of the last limits::kJudgeRoundsMax rounds, and the events between them. Consecutive
/// calls with the same `round` number are one round; any other call is a round by itself. Calls
/// made by an agent's hooks are not evidence: they are left out if the session's policy trusts the
/// origin of calls.
struct Transcript {
    std::vector<TranscriptLine> lines;  ///< oldest first
    std::uint64_t left_out = 0;         ///< number of lines of earlier rounds
    std::vector<std::string> changed;   ///< the last changed paths, unique, the newest last
};

/// `recent` has the oldest event first. `trust_origin` is the field of the session's policy. Pure.
Transcript transcript_of(std::span<const core::Event> recent, bool trust_origin = true);

/// For an estimate: the last finished call and the agent's last texts in `recent`, as lines. If
/// there is no such call or text, its line is empty and has the number 0. `trust_origin`: as above.
struct Latest {
    TranscriptLine call;
    TranscriptLine reflection;
    TranscriptLine message;  ///< message of any role except user, system and tool
    TranscriptLine plan;
};
Latest latest_of(std::span<const core::Event> recent, bool trust_origin = true);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event.hpp"

// Events of a session as a judge sees them. Every text of the agent and its tools in it is inert
// and without secrets (data_fence.hpp).

namespace headway::api {

/// One event on one line, without its number.
struct TranscriptLine {
    std::uint64_t n = 0;
    std::string text;
};

/// The calls of the last limits::kJudgeRoundsMax rounds, and what lies between them. Calls of one
/// `round` number are a round, each other call is one by itself; calls that a hook reported are
/// left out, as they are no evidence, where the session's policy trusts that.
struct Transcript {
    std::vector<TranscriptLine> lines;  ///< oldest first
    std::uint64_t left_out = 0;         ///< lines of rounds before those
    std::vector<std::string> changed;   ///< last changed paths, each once, the newest last
};

/// `recent`: oldest first. Pure.
Transcript transcript_of(std::span<const core::Event> recent, bool trust_origin = true);

/// The last finished call and the last words of the agent among them, as lines; empty text and
/// number 0 where there are none. For an estimate.
struct Latest {
    TranscriptLine call;
    TranscriptLine reflection;
    TranscriptLine message;  ///< of any role but user, system and tool
    TranscriptLine plan;
};
Latest latest_of(std::span<const core::Event> recent);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/support/traces/trace.hpp"

namespace headway::tests {

/// Known loops of agents (docs/detection.md, section 13).
enum class Loop : std::uint8_t {
    kExactRepeat,
    kFailingRepeat,
    kTwoCycle,
    kThreeCycle,
    kFiveCycle,
    kInterleaved,
    kReadEditFail,
    kOscillation,
    kSameDiagnostic,
    kShuffledKeys,
    kNonce,
    kVolatileResult,
    kSelfAppend,
    kPlanning,
    kIdleSleep,
    kFailingEverywhere,
    kDuplicateMessages,
    kEmptyHeartbeats,
};
inline constexpr std::size_t kLoops = 18;
inline constexpr std::array<std::string_view, kLoops> kLoopNames{"exact repeat",
                                                                 "failing repeat",
                                                                 "2-cycle",
                                                                 "3-cycle",
                                                                 "5-cycle",
                                                                 "interleaved repeat",
                                                                 "read, edit, fail",
                                                                 "oscillating edits",
                                                                 "same diagnostic",
                                                                 "shuffled keys",
                                                                 "nonce",
                                                                 "volatile result",
                                                                 "self-append",
                                                                 "planning",
                                                                 "idle sleep",
                                                                 "failing everywhere",
                                                                 "duplicate messages",
                                                                 "empty heartbeats"};

/// Appends `count` steps of the loop: calls, or for the loops without calls messages, plans and
/// beats.
void loop(Loop kind, Gen& gen, Recorder& recorder, std::size_t count);

}  // namespace headway::tests

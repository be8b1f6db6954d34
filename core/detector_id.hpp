// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/fields.hpp"

namespace headway::core {

/// The detectors (core/detectors/README.md). Values are stored: append only.
enum class DetectorId : std::uint8_t {
    kHeartbeatRule,
    kExactRepeat,
    kCycle,
    kInterleavedRepeat,
    kSameDiagnostic,
    kOscillation,
    kFailureStreak,
    kFailingEverywhere,
    kBlocked,
    kStagnation,
    kSelfAppend,
    kJitterRepeat,
    kPlanningOnly,
    kWaiting,
    kNoProgress,
    kDuplicateMessages,
    kSimilarMessages,
    kChanting,
    kEmptyTurns,
    kCompactionChurn,
    kEstimatePlateau,
    kPhaseChurn,
    kSameFileError,
    kToolFailures,
    kCallVolume,
    kMutualRevert,
};

template <>
struct EnumNames<DetectorId> {
    static constexpr std::array<std::string_view, 26> kNames{
        "heartbeat_rule",   "exact_repeat", "cycle",           "interleaved_repeat",
        "same_diagnostic",  "oscillation",  "failure_streak",  "failing_everywhere",
        "blocked",          "stagnation",   "self_append",     "jitter_repeat",
        "planning_only",    "waiting",      "no_progress",     "duplicate_messages",
        "similar_messages", "chanting",     "empty_turns",     "compaction_churn",
        "estimate_plateau", "phase_churn",  "same_file_error", "tool_failures",
        "call_volume",      "mutual_revert"};
};

inline constexpr std::size_t kDetectorCount = EnumNames<DetectorId>::kNames.size();

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "core/detectors/cycles/compaction_churn.hpp"
#include "core/detectors/cycles/cycle.hpp"
#include "core/detectors/cycles/estimate_plateau.hpp"
#include "core/detectors/cycles/mutual_revert.hpp"
#include "core/detectors/cycles/oscillation.hpp"
#include "core/detectors/cycles/phase_churn.hpp"
#include "core/detectors/cycles/self_append.hpp"
#include "core/detectors/failures/blocked.hpp"
#include "core/detectors/failures/failing_everywhere.hpp"
#include "core/detectors/failures/failure_streak.hpp"
#include "core/detectors/failures/refusals.hpp"
#include "core/detectors/failures/same_diagnostic.hpp"
#include "core/detectors/failures/same_file_error.hpp"
#include "core/detectors/failures/tool_failures.hpp"
#include "core/detectors/heartbeat_rule.hpp"
#include "core/detectors/messages/chanting.hpp"
#include "core/detectors/messages/duplicate_messages.hpp"
#include "core/detectors/messages/empty_turns.hpp"
#include "core/detectors/messages/planning_only.hpp"
#include "core/detectors/messages/similar_messages.hpp"
#include "core/detectors/messages/words_only.hpp"
#include "core/detectors/repeats/call_volume.hpp"
#include "core/detectors/repeats/exact_repeat.hpp"
#include "core/detectors/repeats/interleaved_repeat.hpp"
#include "core/detectors/repeats/jitter_repeat.hpp"
#include "core/detectors/repeats/no_progress.hpp"
#include "core/detectors/repeats/stagnation.hpp"
#include "core/detectors/repeats/stale_calls.hpp"
#include "core/detectors/waiting.hpp"
#include "core/values/detector_id.hpp"

namespace headway::core {

/// The only list of a session's detectors. To add a detector, append an include, a member and a
/// field. The place of the field is the detector's id, and its name is the detector's name; both
/// are stored. If claims are equal, the detector listed first wins, so the most specific detectors
/// come first.
struct Detectors {
    HeartbeatRule heartbeat_rule;
    ExactRepeat exact_repeat;
    Cycle cycle;
    InterleavedRepeat interleaved_repeat;
    SameDiagnostic same_diagnostic;
    Oscillation oscillation;
    FailureStreaks failure_streak;
    FailingEverywhere failing_everywhere;
    Blocked blocked;
    Stagnation stagnation;
    SelfAppend self_append;
    JitterRepeat jitter_repeat;
    PlanningOnly planning_only;
    Waiting waiting;
    NoProgress no_progress;
    DuplicateMessages duplicate_messages;
    SimilarMessages similar_messages;
    Chanting chanting;
    EmptyTurns empty_turns;
    CompactionChurn compaction_churn;
    EstimatePlateau estimate_plateau;
    PhaseChurn phase_churn;
    SameFileError same_file_error;
    ToolFailures tool_failures;
    CallVolume call_volume;
    MutualRevert mutual_revert;
    StaleCalls stale_calls;
    WordsOnly words_only;
    Refusals refusals;

    bool operator==(const Detectors&) const = default;
    static constexpr auto fields() {
        using D = Detectors;
        return field_list(
            field("heartbeat_rule", &D::heartbeat_rule), field("exact_repeat", &D::exact_repeat),
            field("cycle", &D::cycle), field("interleaved_repeat", &D::interleaved_repeat),
            field("same_diagnostic", &D::same_diagnostic), field("oscillation", &D::oscillation),
            field("failure_streak", &D::failure_streak),
            field("failing_everywhere", &D::failing_everywhere), field("blocked", &D::blocked),
            field("stagnation", &D::stagnation), field("self_append", &D::self_append),
            field("jitter_repeat", &D::jitter_repeat), field("planning_only", &D::planning_only),
            field("waiting", &D::waiting), field("no_progress", &D::no_progress),
            field("duplicate_messages", &D::duplicate_messages),
            field("similar_messages", &D::similar_messages), field("chanting", &D::chanting),
            field("empty_turns", &D::empty_turns), field("compaction_churn", &D::compaction_churn),
            field("estimate_plateau", &D::estimate_plateau), field("phase_churn", &D::phase_churn),
            field("same_file_error", &D::same_file_error),
            field("tool_failures", &D::tool_failures), field("call_volume", &D::call_volume),
            field("mutual_revert", &D::mutual_revert), field("stale_calls", &D::stale_calls),
            field("words_only", &D::words_only), field("refusals", &D::refusals));
    }
};

inline constexpr std::size_t kDetectorCount = kFieldCount<Detectors>;

/// The place of a detector's type, or kDetectorCount for any other type.
template <class D>
constexpr std::size_t place_of() {
    std::size_t found = kDetectorCount;
    for_each_field<Detectors>([&found](const auto& field, std::size_t place) {
        using Known = std::remove_cvref_t<decltype(field)>;
        if constexpr (std::is_same_v<Known, Field<Detectors, D>>) found = place;
    });
    return found;
}

/// The id of a detector's type.
template <Detector D>
requires(place_of<D>() < kDetectorCount) inline constexpr DetectorId kIdOf{place_of<D>()};

/// The traits of the detector with this id.
const DetectorTraits& traits_of(DetectorId detector);

/// Calls `visit(detector)` for each detector, in the order of fields().
template <class Set, class Visit>
constexpr void for_each_detector(Set& detectors, Visit&& visit) {
    kFieldsOf<Detectors>([&](const auto&... field) { (visit(detectors.*(field.member)), ...); });
}

/// A detector's thresholds under `policy`: those of its profile, overridden by the policy's own.
/// Pure.
Thresholds thresholds_of(const Policy& policy, DetectorId detector);

}  // namespace headway::core

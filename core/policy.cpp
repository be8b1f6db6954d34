// SPDX-License-Identifier: Apache-2.0
#include "core/policy.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace headway::core {
namespace {

struct ProfileThresholds {
    Thresholds balanced;
    Thresholds strict;
};

/// Suspect and stuck by detector and profile; 0 = never (docs/detection.md, sections 5 and 13; for
/// `strict`: docs/first-designs.md). Low where recordings allow it: four equal calls in a row and
/// three laps of a cycle occur in no successful session.
constexpr std::array<ProfileThresholds, kDetectorCount> kDefaults{{
    {{5, 20}, {5, 5}},    // heartbeat_rule, of which the first is Policy::heartbeat_limit
    {{3, 4}, {3, 4}},     // exact_repeat: equal calls in a row
    {{2, 3}, {2, 3}},     // cycle: laps
    {{4, 8}, {4, 8}},     // interleaved_repeat: equal answers in one epoch
    {{4, 0}, {3, 8}},     // same_diagnostic: red runs; needs confirmation
    {{2, 4}, {1, 2}},     // oscillation: reversals
    {{4, 8}, {4, 8}},     // failure_streak: failures of one tool with one error
    {{5, 12}, {5, 12}},   // failing_everywhere: rounds in a row
    {{0, 0}, {0, 0}},     // blocked: no threshold
    {{8, 0}, {8, 0}},     // stagnation: different questions, one answer
    {{4, 8}, {4, 8}},     // self_append: growths in a row
    {{4, 0}, {4, 0}},     // jitter_repeat: green runs with nothing changed
    {{6, 12}, {6, 12}},   // planning_only: rounds in a row
    {{6, 12}, {6, 12}},   // waiting: sleeps with nothing to wait for
    {{10, 0}, {10, 10}},  // no_progress: rounds; corroborates
    {{3, 6}, {3, 3}},     // duplicate_messages
    {{4, 0}, {4, 0}},     // similar_messages
    {{4, 12}, {4, 12}},   // chanting: repeats at the end of a message
    {{3, 6}, {3, 6}},     // empty_turns
    {{3, 5}, {3, 5}},     // compaction_churn: compactions with nothing proven between
    {{5, 0}, {3, 3}},     // estimate_plateau: estimates within 5 points
    {{6, 10}, {6, 10}},   // phase_churn: phases with nothing done in them
    {{0, 0}, {2, 3}},     // same_file_error
    {{0, 0}, {3, 4}},     // tool_failures: more than three in a row
    {{0, 0}, {0, 0}},     // call_volume: off unless a policy sets it
    {{3, 5}, {3, 5}},     // mutual_revert: reversals by two sessions
}};

/// `suspect` never comes after `stuck`.
constexpr bool rises(Thresholds limits) {
    return limits.stuck == 0 || limits.suspect <= limits.stuck;
}
static_assert(std::all_of(kDefaults.begin(), kDefaults.end(), [](const ProfileThresholds& one) {
    return rises(one.balanced) && rises(one.strict);
}));
static_assert(kHeartbeatLimitMax <= UINT32_MAX / 4, "four times as many beats are stuck");
static_assert(kHeartbeatLimitMin < kHeartbeatLimitMax);

}  // namespace

Thresholds Policy::thresholds(DetectorId detector) const {
    HEADWAY_ASSERT(static_cast<std::size_t>(detector) < kDefaults.size());
    const ProfileThresholds& defaults = kDefaults[static_cast<std::size_t>(detector)];
    Thresholds limits = profile == Profile::kStrict ? defaults.strict : defaults.balanced;
    if (detector == DetectorId::kHeartbeatRule) {
        limits.suspect = heartbeat_limit;
        limits.stuck = profile == Profile::kStrict ? heartbeat_limit : 4 * heartbeat_limit;
    }
    for (const DetectorPolicy& own : detectors) {
        if (own.detector != detector) continue;
        if (own.off) return {};
        if (own.suspect != 0) limits.suspect = own.suspect;
        if (own.stuck != 0) limits.stuck = own.stuck;
    }
    if (limits.stuck != 0) limits.suspect = std::min(limits.suspect, limits.stuck);
    HEADWAY_ASSERT(rises(limits));
    return limits;
}

bool Policy::is_off(DetectorId detector) const {
    return std::any_of(detectors.begin(), detectors.end(), [detector](const DetectorPolicy& own) {
        return own.detector == detector && own.off;
    });
}

OnStuck Policy::when_stuck() const {
    if (on_stuck != OnStuck::kByProfile) return on_stuck;
    return profile == Profile::kStrict ? OnStuck::kStop : OnStuck::kAdvise;
}

Millis Policy::time_limit(std::string_view name) const {
    const ToolPolicy* own = tool(name);
    return own != nullptr && own->time_limit_ms != 0 ? Millis{own->time_limit_ms} : tool_time_limit;
}

const ToolPolicy* Policy::tool(std::string_view name) const {
    const auto found = std::find_if(tools.begin(), tools.end(),
                                    [name](const ToolPolicy& own) { return own.tool == name; });
    return found == tools.end() ? nullptr : &*found;
}

}  // namespace headway::core

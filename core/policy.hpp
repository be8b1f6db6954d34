// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/detector_id.hpp"
#include "core/fields.hpp"
#include "core/legacy_timeouts.hpp"
#include "core/time.hpp"

namespace headway::core {

/// How sure a rule must be before it speaks (DESIGN 5).
enum class Profile : std::uint8_t {
    kBalanced,  ///< a rule makes a session `suspect`; `stuck` needs confirmation
    kStrict,    ///< the literal rules of the first designs: a rule makes it `stuck`
};

/// What follows when a session is judged `stuck` (the last rung of the recovery ladder).
enum class OnStuck : std::uint8_t {
    kByProfile,  ///< balanced advises, strict stops
    kAdvise,     ///< advice only; whoever watches decides
    kAsk,        ///< a person is asked: the agent is told to wait
    kStop,       ///< the agent is told to stop; its state is `halted`
    kHalt,       ///< the session ends with the outcome `halted`
};
template <>
struct EnumNames<OnStuck> {
    static constexpr std::array<std::string_view, 5> kNames{"by_profile", "advise", "ask", "stop",
                                                            "halt"};
};

/// What a stop for being `stuck` waits for (first design: "Concurrent LLM check confirms stuck").
enum class ConfirmStop : std::uint8_t {
    kOff,    ///< nothing: the rule is enough
    kJudge,  ///< a judge who is asked and does not answer A; without a judge the rule is enough
};
template <>
struct EnumNames<ConfirmStop> {
    static constexpr std::array<std::string_view, 2> kNames{"off", "judge"};
};

/// How much evidence a detector wants; 0 = it never claims that rung. The unit is the detector's
/// (repeats, laps, beats).
struct Thresholds {
    std::uint32_t suspect = 0;
    std::uint32_t stuck = 0;
    bool operator==(const Thresholds&) const = default;
    static constexpr auto fields() {
        return field_list(field("suspect", &Thresholds::suspect),
                          field("stuck", &Thresholds::stuck));
    }
};

/// What differs for one tool.
struct ToolPolicy {
    std::string tool;
    bool ignore = false;              ///< its calls are no evidence of anything
    std::uint32_t patience = 1;       ///< repeats of this tool count once in so many, 1..100
    bool requires_approval = false;   ///< a person has to allow each call of it
    std::uint64_t time_limit_ms = 0;  ///< 0 = as Policy::tool_time_limit says
    bool operator==(const ToolPolicy&) const = default;
    static constexpr auto fields() {
        return field_list(required("tool", &ToolPolicy::tool), field("ignore", &ToolPolicy::ignore),
                          field("patience", &ToolPolicy::patience),
                          field("requires_approval", &ToolPolicy::requires_approval),
                          field("time_limit_ms", &ToolPolicy::time_limit_ms));
    }
};

/// What differs for one detector; 0 leaves a threshold as the profile has it.
struct DetectorPolicy {
    DetectorId detector{};
    bool off = false;
    std::uint32_t suspect = 0;
    std::uint32_t stuck = 0;
    bool operator==(const DetectorPolicy&) const = default;
    static constexpr auto fields() {
        return field_list(
            required("detector", &DetectorPolicy::detector), field("off", &DetectorPolicy::off),
            field("suspect", &DetectorPolicy::suspect), field("stuck", &DetectorPolicy::stuck));
    }
};

/// Thresholds and switches of one session; a value, copied into the session when it opens so that
/// replay does not depend on today's configuration.
struct Policy {
    Profile profile = Profile::kBalanced;
    Millis heartbeat_interval{10'000};  ///< asked of a quiet agent, kHeartbeatIntervalMin..Max
    /// Beats without a state change and without a call in flight, 2..1000.
    std::uint32_t heartbeat_limit = 5;
    bool loop_detection = true;  ///< off: only liveness, failures and what the client says count
    bool judge = true;           ///< off: nothing of the session is shown to a judge, whoever asks
    OnStuck on_stuck = OnStuck::kByProfile;
    std::uint64_t max_iterations = 0;     ///< a later one fails the session; 0 = no limit
    std::uint64_t max_tool_failures = 0;  ///< of one tool in a row; one more fails it; 0 = no limit
    /// Turns in a row that cannot be read; one more fails it; 0 = no limit.
    std::uint64_t max_parse_failures = 0;
    Millis tool_time_limit{0};  ///< of one call; a longer one is a failure of its tool; 0 = none
    double min_confidence = 0;  ///< low_confidence_attempts reflections below it fail it; 0 = off
    std::uint32_t low_confidence_attempts = 3;  ///< in a row, 1..kLowConfidenceAttemptsMax
    std::uint32_t stats_every = 10;  ///< finished calls between two progress.stats; 0 = none
    ConfirmStop confirm_stop = ConfirmStop::kOff;
    LegacyTimeouts legacy;
    std::vector<ToolPolicy> tools;          ///< at most limits::kToolPoliciesMax
    std::vector<DetectorPolicy> detectors;  ///< at most one for each detector
    /// Whether a call whose report says `origin: hook` is no evidence. The operator's to say: an
    /// agent could hide everything behind it.
    bool trust_origin = true;

    /// What a detector wants under this policy.
    Thresholds thresholds(DetectorId detector) const;
    bool is_off(DetectorId detector) const;
    /// What follows `stuck`, never kByProfile.
    OnStuck when_stuck() const;
    /// How long one call of a tool may take; 0 = without limit.
    Millis time_limit(std::string_view tool) const;
    /// The entry of a tool, or null.
    const ToolPolicy* tool(std::string_view name) const;

    bool operator==(const Policy&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("profile", &Policy::profile),
            field("heartbeat_interval", &Policy::heartbeat_interval),
            field("heartbeat_limit", &Policy::heartbeat_limit),
            field("loop_detection", &Policy::loop_detection), field("on_stuck", &Policy::on_stuck),
            field("max_iterations", &Policy::max_iterations),
            field("max_tool_failures", &Policy::max_tool_failures),
            field("min_confidence", &Policy::min_confidence), field("tools", &Policy::tools),
            field("detectors", &Policy::detectors),
            field("max_parse_failures", &Policy::max_parse_failures),
            field("tool_time_limit", &Policy::tool_time_limit), field("legacy", &Policy::legacy),
            field("judge", &Policy::judge), field("trust_origin", &Policy::trust_origin),
            field("low_confidence_attempts", &Policy::low_confidence_attempts),
            field("stats_every", &Policy::stats_every),
            field("confirm_stop", &Policy::confirm_stop));
    }
};

inline constexpr Millis kHeartbeatIntervalMin{100};
inline constexpr Millis kHeartbeatIntervalMax{3'600'000};
inline constexpr std::uint32_t kHeartbeatLimitMin = 2;
inline constexpr std::uint32_t kHeartbeatLimitMax = 1'000;
inline constexpr std::uint32_t kPatienceMax = 100;
inline constexpr std::uint32_t kLowConfidenceAttemptsMax = 1'000;
inline constexpr std::uint32_t kStatsEveryMax = 1'000;

}  // namespace headway::core

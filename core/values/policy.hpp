// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/values/detector_id.hpp"
#include "core/values/legacy_timeouts.hpp"

namespace headway::core {

/// How much evidence a rule needs for a claim (docs/detection.md, section 6).
enum class Profile : std::uint8_t {
    kBalanced,  ///< a rule makes a session `suspect`; `stuck` needs confirmation
    kStrict,    ///< the literal rules of docs/first-designs.md: one rule suffices for `stuck`
};

/// The last recovery step after `stuck`.
enum class OnStuck : std::uint8_t {
    kByProfile,  ///< kAdvise under the balanced profile, kStop under strict
    kAdvise,     ///< advice only; watching clients decide
    kAsk,        ///< a person is asked; the agent gets a directive to wait
    kStop,       ///< the agent gets a directive to stop; its state is `halted`
    kHalt,       ///< the session ends with the outcome `halted`
};
template <>
struct EnumNames<OnStuck> {
    static constexpr std::array<std::string_view, 5> kNames{"by_profile", "advise", "ask", "stop",
                                                            "halt"};
};

/// The confirmation that a stop for `stuck` needs (docs/first-designs.md, `policy.confirm_stop`).
enum class ConfirmStop : std::uint8_t {
    kOff,    ///< no confirmation: the rule suffices
    kJudge,  ///< a judge's answer other than A; if there is no judge, the rule suffices
};
template <>
struct EnumNames<ConfirmStop> {
    static constexpr std::array<std::string_view, 2> kNames{"off", "judge"};
};

/// The counts at which a detector claims a severity; 0 = never. The detector decides what is
/// counted (repeats, laps, heartbeats).
struct Thresholds {
    std::uint32_t suspect = 0;
    std::uint32_t stuck = 0;
    /// True if `suspect` is reached no later than `stuck`.
    constexpr bool rise() const { return stuck == 0 || suspect <= stuck; }
    bool operator==(const Thresholds&) const = default;
    static constexpr auto fields() {
        return field_list(field("suspect", &Thresholds::suspect),
                          field("stuck", &Thresholds::stuck));
    }
};

/// Overrides for one tool.
struct ToolPolicy {
    std::string tool;
    bool ignore = false;              ///< its calls are not evidence
    std::uint32_t patience = 1;       ///< divides the counted repeats of this tool, 1..100
    bool requires_approval = false;   ///< a person must allow each call
    std::uint64_t time_limit_ms = 0;  ///< limit for one call; 0 = Policy::tool_time_limit
    bool polls = false;               ///< its calls query the status of work elsewhere
    bool operator==(const ToolPolicy&) const = default;
    static constexpr auto fields() {
        return field_list(required("tool", &ToolPolicy::tool), field("ignore", &ToolPolicy::ignore),
                          field("patience", &ToolPolicy::patience),
                          field("requires_approval", &ToolPolicy::requires_approval),
                          field("time_limit_ms", &ToolPolicy::time_limit_ms),
                          field("polls", &ToolPolicy::polls));
    }
};

/// Overrides for one detector; 0 keeps the profile's threshold.
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

/// Thresholds and switches of one session. The policy is copied into the session at its opening, so
/// that a replay does not depend on today's configuration.
struct Policy {
    Profile profile = Profile::kBalanced;
    Millis heartbeat_interval{10'000};  ///< the usual interval, kHeartbeatIntervalMin..Max
    /// The limit of the heartbeat rule: heartbeats without a state change and without a call in
    /// flight, 2..1000.
    std::uint32_t heartbeat_limit = 5;
    /// Whether loops are detected. If not, verdicts rest only on liveness, failures and the
    /// client's own reports.
    bool loop_detection = true;
    bool judge = true;  ///< whether a judge may see parts of the session
    OnStuck on_stuck = OnStuck::kByProfile;
    std::uint64_t max_iterations = 0;     ///< the session fails after more iterations; 0 = no limit
    std::uint64_t max_tool_failures = 0;  ///< the session fails after more consecutive failures of
                                          ///< one tool than this; 0 = no limit
    /// The session fails after more consecutive unreadable turns than this; 0 = no limit.
    std::uint64_t max_parse_failures = 0;
    /// Time limit for one call; 0 = none. A longer call counts as a failure of its tool.
    Millis tool_time_limit{0};
    /// The session fails after `low_confidence_attempts` reflections below this; 0 = off.
    double min_confidence = 0;
    std::uint32_t low_confidence_attempts = 3;  ///< consecutive reflections,
                                                ///< 1..kLowConfidenceAttemptsMax
    std::uint32_t stats_every = 10;  ///< finished calls between two progress.stats; 0 = none
    ConfirmStop confirm_stop = ConfirmStop::kOff;
    LegacyTimeouts legacy;
    std::vector<ToolPolicy> tools;          ///< at most limits::kToolPoliciesMax
    std::vector<DetectorPolicy> detectors;  ///< at most one for each detector
    /// True if a call with `origin: hook` is not evidence. Only the operator may set this member,
    /// because an agent could hide every call with it.
    bool trust_origin = true;
    /// If an agent waits for something external that does not change, a person is needed after this
    /// many polls, or after this time; 0 = never.
    std::uint32_t wait_polls = 100;
    Millis wait_patience{std::chrono::hours{3}};
    bool risk = false;  ///< removed; keeps the place in stored policies
    /// Whether user messages that an agent reports may clear a verdict. If not, only the messages
    /// of an operator may do so.
    bool trust_user = true;

    bool is_off(DetectorId detector) const;
    /// The step to take after `stuck`; never kByProfile.
    OnStuck when_stuck() const;
    /// Time limit for one call of a tool; 0 = none.
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
            field("confirm_stop", &Policy::confirm_stop), field("wait_polls", &Policy::wait_polls),
            field("wait_patience", &Policy::wait_patience), internal("risk", &Policy::risk),
            field("trust_user", &Policy::trust_user));
    }
};

inline constexpr Millis kHeartbeatIntervalMin{100};
inline constexpr Millis kHeartbeatIntervalMax{3'600'000};
inline constexpr std::uint32_t kHeartbeatLimitMin = 2;
inline constexpr std::uint32_t kHeartbeatLimitMax = 1'000;
inline constexpr std::uint32_t kPatienceMax = 100;
inline constexpr std::uint32_t kLowConfidenceAttemptsMax = 1'000;
inline constexpr std::uint32_t kStatsEveryMax = 1'000;
inline constexpr std::uint32_t kWaitPollsMax = 100'000;

}  // namespace headway::core

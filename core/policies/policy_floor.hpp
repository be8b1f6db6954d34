// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/events/session_payloads.hpp"
#include "core/values/policy.hpp"

// How far an agent may weaken the rules that judge it. A rule is weaker if it finds less, finds it
// later, or has milder consequences.

namespace headway::core {

/// The weakest policy allowed to a session that was opened without the scope `control` (api/API.md,
/// "The floor"). Absent members, or 0, mean the daemon's own policy.
struct PolicyFloor {
    std::optional<Profile> profile;
    std::optional<bool> loop_detection;
    std::optional<bool> judge = false;
    std::optional<OnStuck> on_stuck;
    Millis heartbeat_interval{600'000};  ///< the longest
    std::uint32_t heartbeat_limit = 20;  ///< the highest
    std::uint64_t max_iterations = 0;    ///< the highest, as are the next three
    std::uint64_t max_tool_failures = 0;
    std::uint64_t max_parse_failures = 0;
    Millis tool_time_limit{0};
    double min_confidence = 0;              ///< the lowest
    std::uint32_t patience = 10;            ///< the highest
    std::uint32_t threshold_factor = 3;     ///< the highest multiple of a detector's thresholds
    bool detectors_off = false;             ///< whether detectors may be switched off
    bool trust_origin = false;              ///< whether `origin: hook` makes a call no evidence
    std::vector<std::string> ignore_tools;  ///< tools that may be ignored, besides the daemon's
};

/// Raises members below the floor; returns them as JSON pointers into an opening. `defaults` is the
/// daemon's policy, whose own entries for tools and detectors stay. Pure.
std::vector<std::string> raise_to(const PolicyFloor& floor, const Policy& defaults, Policy& policy);

/// The first field in which `next` is weaker than `now`, as a JSON pointer below `/policy`; empty
/// if none. Pure.
std::string weaker_field(const Policy& next, const Policy& now);

/// The first field named in `asked` in which two policies differ, as a JSON pointer below
/// `/policy`; empty if none. Pure.
std::string differing_field(const PolicyOverride& asked, const Policy& a, const Policy& b);

/// The effective policy of a session that was opened with `overrides` under `defaults`. Pure.
Policy effective_policy(const PolicyOverride& overrides, const Policy& defaults);

/// All fields of a policy, as `session.started` stores it. Pure.
PolicyOverride whole_policy(const Policy& policy);

}  // namespace headway::core

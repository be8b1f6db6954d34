// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/events/session_payloads.hpp"
#include "core/values/policy.hpp"

// How far an agent may weaken the rules that judge it. A rule is weaker if it detects less, detects
// it later, or has milder consequences.

namespace headway::core {

/// The weakest policy allowed to a session that was opened without the scope `control` (api/API.md,
/// "The floor"). Where a member is absent or 0, the daemon's own policy is the floor.
struct PolicyFloor {
    std::optional<Profile> profile;
    std::optional<bool> loop_detection;
    std::optional<bool> judge = false;
    std::optional<OnStuck> on_stuck;
    Millis heartbeat_interval{600'000};  ///< the longest interval allowed
    std::uint32_t heartbeat_limit = 20;  ///< the highest limit allowed
    /// The highest value allowed, as for the next three members.
    std::uint64_t max_iterations = 0;
    std::uint64_t max_tool_failures = 0;
    std::uint64_t max_parse_failures = 0;
    Millis tool_time_limit{0};
    double min_confidence = 0;              ///< the lowest value allowed
    std::uint32_t patience = 10;            ///< the highest value allowed
    std::uint32_t threshold_factor = 3;     ///< the highest multiple of a detector's thresholds
    bool detectors_off = false;             ///< whether detectors may be switched off
    bool trust_origin = false;              ///< whether an opening may set Policy::trust_origin
    std::vector<std::string> ignore_tools;  ///< tools that may be ignored, in addition to the
                                            ///< daemon's
};

/// Raises the members of `policy` that are below the floor, and returns these members as JSON
/// pointers into an opening. `defaults` is the daemon's policy; its entries for tools and detectors
/// stay in force. Changes only `policy`.
std::vector<std::string> raise_to(const PolicyFloor& floor, const Policy& defaults, Policy& policy);

/// The first field in which `next` is weaker than `now`, as a JSON pointer below `/policy`; empty
/// if none. Pure.
std::string weaker_field(const Policy& next, const Policy& now);

/// The first of the fields given in `asked` in which the two policies differ, as a JSON pointer
/// below `/policy`; empty if none. Pure.
std::string differing_field(const PolicyOverride& asked, const Policy& a, const Policy& b);

/// The effective policy of a session that was opened with `overrides` under `defaults`. Pure.
Policy effective_policy(const PolicyOverride& overrides, const Policy& defaults);

/// All fields of a policy, as `session.started` stores it. Pure.
PolicyOverride whole_policy(const Policy& policy);

}  // namespace headway::core

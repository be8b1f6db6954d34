// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/assert.hpp"
#include "core/detectors/detectors.hpp"
#include "core/policies/policy_floor.hpp"

namespace headway::core {
namespace {

/// Replaces the entry of the same detector.
void set_detector(std::vector<DetectorPolicy>& detectors, const DetectorPolicy& own) {
    const auto found =
        std::find_if(detectors.begin(), detectors.end(),
                     [&own](const DetectorPolicy& one) { return one.detector == own.detector; });
    if (found == detectors.end()) {
        detectors.push_back(own);
    } else {
        *found = own;
    }
}

}  // namespace

Policy effective_policy(const PolicyOverride& overrides, const Policy& defaults) {
    Policy policy = defaults;
    if (overrides.profile) policy.profile = *overrides.profile;
    if (overrides.heartbeat_interval_ms) {
        policy.heartbeat_interval = Millis{*overrides.heartbeat_interval_ms};
    }
    if (overrides.heartbeat_limit) {
        policy.heartbeat_limit = static_cast<std::uint32_t>(*overrides.heartbeat_limit);
    }
    if (overrides.loop_detection) policy.loop_detection = *overrides.loop_detection;
    if (overrides.judge) policy.judge = *overrides.judge;
    if (overrides.on_stuck) policy.on_stuck = *overrides.on_stuck;
    if (overrides.max_iterations) policy.max_iterations = *overrides.max_iterations;
    if (overrides.max_tool_failures) policy.max_tool_failures = *overrides.max_tool_failures;
    if (overrides.max_parse_failures) policy.max_parse_failures = *overrides.max_parse_failures;
    if (overrides.tool_time_limit_ms)
        policy.tool_time_limit = Millis{*overrides.tool_time_limit_ms};
    if (overrides.legacy) policy.legacy = *overrides.legacy;
    if (overrides.trust_origin) policy.trust_origin = *overrides.trust_origin;
    if (overrides.min_confidence) policy.min_confidence = *overrides.min_confidence;
    if (overrides.low_confidence_attempts) {
        policy.low_confidence_attempts =
            static_cast<std::uint32_t>(*overrides.low_confidence_attempts);
    }
    if (overrides.stats_every)
        policy.stats_every = static_cast<std::uint32_t>(*overrides.stats_every);
    if (overrides.confirm_stop) policy.confirm_stop = *overrides.confirm_stop;
    if (overrides.wait_polls) policy.wait_polls = *overrides.wait_polls;
    if (overrides.wait_patience_ms) policy.wait_patience = Millis{*overrides.wait_patience_ms};
    if (overrides.trust_user) policy.trust_user = *overrides.trust_user;
    if (!overrides.tools.empty()) policy.tools = overrides.tools;
    for (const DetectorPolicy& own : overrides.detectors)
        set_detector(policy.detectors, own);
    HEADWAY_ASSERT(policy.detectors.size() <= defaults.detectors.size() + kDetectorCount);
    return policy;
}

}  // namespace headway::core

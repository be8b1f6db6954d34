// SPDX-License-Identifier: Apache-2.0
#include "core/policy.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/detectors.hpp"

namespace headway::core {
namespace {

static_assert(kHeartbeatLimitMax <= UINT32_MAX / 4, "four times as many beats are stuck");
static_assert(kHeartbeatLimitMin < kHeartbeatLimitMax);

}  // namespace

Thresholds Policy::thresholds(DetectorId detector) const {
    const DetectorTraits& traits = traits_of(detector);
    Thresholds limits = profile == Profile::kStrict ? traits.strict : traits.balanced;
    if (detector == kIdOf<HeartbeatRule>) {
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
    HEADWAY_ASSERT(limits.rise());
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

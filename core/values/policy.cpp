// SPDX-License-Identifier: Apache-2.0
#include "core/values/policy.hpp"

#include <algorithm>

#include "core/calls/tool_class.hpp"

namespace headway::core {
namespace {

static_assert(kHeartbeatLimitMax <= UINT32_MAX / 4, "four times as many beats are stuck");
static_assert(kHeartbeatLimitMin < kHeartbeatLimitMax);

}  // namespace

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
    std::uint64_t least = 0;  // an entry for one name does not lift the limit of its class
    for (const ToolPolicy& own : tools) {
        if (own.time_limit_ms == 0 || !rule_covers(own.tool, name)) continue;
        least = least == 0 ? own.time_limit_ms : std::min(least, own.time_limit_ms);
    }
    return least != 0 ? Millis{least} : tool_time_limit;
}

const ToolPolicy* Policy::tool(std::string_view name) const {
    const auto named = [this](std::string_view rule) {
        const auto found = std::find_if(tools.begin(), tools.end(),
                                        [rule](const ToolPolicy& own) { return own.tool == rule; });
        return found == tools.end() ? nullptr : &*found;
    };
    if (tools.empty()) return nullptr;
    const ToolPolicy* own = named(name);
    if (own != nullptr) return own;
    const std::string_view of_class = class_of_tool(name);
    return of_class.empty() ? nullptr : named(of_class);
}

}  // namespace headway::core

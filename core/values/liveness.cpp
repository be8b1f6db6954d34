// SPDX-License-Identifier: Apache-2.0
#include "core/values/liveness.hpp"

#include <algorithm>

namespace headway::core {

static_assert(kHeartbeatIntervalMin > Millis{0} && kHeartbeatIntervalMin < kHeartbeatIntervalMax);

Millis next_heartbeat(const Policy& policy, const Attention& attention) {
    // A damaged journal may hold any number.
    Millis interval = std::clamp(policy.heartbeat_interval, Millis{0}, kHeartbeatIntervalMax);
    if (attention.call_in_flight || attention.watched) {
        interval /= 2;
    } else if (attention.reflecting) {
        interval *= 2;
    }
    interval *= std::clamp<std::uint32_t>(attention.load, 1, 8);
    return std::clamp(interval, kHeartbeatIntervalMin, kHeartbeatIntervalMax);
}

}  // namespace headway::core

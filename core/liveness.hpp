// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/policy.hpp"
#include "core/time.hpp"
#include "core/watch.hpp"

// When a session counts as alive and how often it is asked to beat. Pure.

namespace headway::core {

/// What the interval depends on.
struct Attention {
    bool call_in_flight = false;  ///< a tool executes: status should follow it closely
    bool watched = false;         ///< somebody waits for or watches this session
    bool reflecting = false;      ///< the model thinks: nothing to see for a while
    std::uint32_t load = 1;       ///< 1 = none; the queue's pressure as a factor, 1..8
};

/// The interval to ask for: half the policy's while a tool executes or somebody watches, twice
/// while the model reflects, times the load; within kHeartbeatIntervalMin..kHeartbeatIntervalMax.
Millis next_heartbeat(const Policy& policy, const Attention& attention);

/// The moment a session turns silent unless it beats: two of the intervals it was asked for after
/// its last beat. Time in which nobody listened is credited: the count starts no earlier than
/// Watch::since().
inline Timestamp silent_at(Timestamp last_beat_at, const Watch& watch, Millis asked) {
    return std::max(last_beat_at, watch.since(asked)) + 2 * asked;
}

}  // namespace headway::core

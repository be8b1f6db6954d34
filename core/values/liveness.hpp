// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/time.hpp"
#include "core/values/policy.hpp"
#include "core/values/watch.hpp"

// When a session counts as alive, and its heartbeat interval (docs/detection.md, section 11). Pure.

namespace headway::core {

/// Inputs of next_heartbeat().
struct Attention {
    bool call_in_flight = false;  ///< a tool runs: status should be recent
    bool watched = false;         ///< a client waits for or watches this session
    bool reflecting = false;      ///< the model thinks: little to report
    std::uint32_t load = 1;       ///< factor for the load of the command queue, from 1 (none) to 8
};

/// The heartbeat interval to request from the agent: half the policy's interval while a tool runs
/// or a client watches, twice the policy's interval while the model reflects. It is multiplied by
/// the load, and kept within kHeartbeatIntervalMin..kHeartbeatIntervalMax.
Millis next_heartbeat(const Policy& policy, const Attention& attention);

/// When a session turns silent: two intervals (`asked`) after the last heartbeat. Attention gaps
/// are credited: the count starts no earlier than Watch::since().
inline Timestamp silent_at(Timestamp last_beat_at, const Watch& watch, Millis asked) {
    return std::max(last_beat_at, watch.since(asked)) + 2 * asked;
}

/// How long silence is excused because the agent's process is alive. A model may think for a long
/// time, but a broken channel must be noticed.
inline constexpr std::chrono::minutes kProcessPatience{30};

/// Interval between checks of the process of an agent that does not report.
inline constexpr std::chrono::minutes kProcessLookEvery{1};

/// Like silent_at() above. If the agent's process is known to be alive (`agent_runs`), the session
/// turns silent no earlier than kProcessPatience after the last heartbeat.
inline Timestamp silent_at(Timestamp last_beat_at, const Watch& watch, Millis asked,
                           bool agent_runs) {
    const Timestamp due = silent_at(last_beat_at, watch, asked);
    return agent_runs ? std::max(due, last_beat_at + Millis{kProcessPatience}) : due;
}

}  // namespace headway::core

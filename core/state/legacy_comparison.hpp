// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/values/legacy_timeouts.hpp"
#include "core/values/watch.hpp"

// Status-based supervision compared with the timers that it replaces.

namespace headway::core {

struct SessionState;

/// Records in `state` the kills that the timers would have made before `now`: the first by each
/// timer, at most two. `state` includes all events before `now`. Does nothing if the mode is off.
/// Called by the fold.
void note_legacy_kills(SessionState& state, Timestamp now);

/// When the session's timer ends the session; kNever unless the mode is `enforce`, or `fallback` is
/// set and the session is silent. Also kNever while the session waits for a person. Time before
/// Watch::since() counts, but after Watch::since() the agent has at least two heartbeat intervals
/// to report. Pure.
Timestamp legacy_end(const SessionState& state, const Watch& watch);

/// The effects that the timers would have had on a session, and how the session really went.
struct Comparison {
    LegacyTimeouts timers;
    /// The kills that the timers would have made up to `now`, oldest first.
    std::vector<LegacyKill> kills;
    Millis ran{0};  ///< time from the opening to the end, or to now
    bool ended = false;
    bool saved = false;  ///< a timer would have killed the session, but the session completed
    std::string summary;
};

/// Pure.
Comparison compare(const SessionState& state, Timestamp now);

}  // namespace headway::core

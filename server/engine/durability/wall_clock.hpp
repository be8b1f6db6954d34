// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/values/watch.hpp"
#include "server/engine/base/settings.hpp"
#include "server/time/clock.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// Makes the timestamps of events follow steps of the wall clock, by the rules of clock_steps.hpp.
/// No session is judged by the skipped time. Engine thread only.
class WallClock {
public:
    WallClock(Clock& clock, core::Millis confirm, EngineReport report)
        : clock_(clock), confirm_(confirm), report_(std::move(report)), steps_(confirm) {}

    /// Ensures that new events are not older than those in the journal, even if the clock was set
    /// back. Called at each recovery.
    core::Result<> start_after(storage::Store& store);
    /// Reads the wall clock. When the timestamps adopt a step of the clock, Watch::begin_anew() is
    /// called.
    void follow(core::Watch& watch);
    /// True if irreversible actions may rely on the timestamps.
    bool trusted() const { return steps_.trusted(clock_.reading().steady); }

private:
    Clock& clock_;
    core::Millis confirm_;
    EngineReport report_;
    ClockSteps steps_;
    bool started_ = false;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "core/time.hpp"
#include "core/watch.hpp"
#include "server/clock_steps.hpp"

namespace headway::server {

/// The one clock. Durations are steady: no step of the wall clock makes an agent silent. Stamps are
/// wall time when it was made and steady time from there on, so they never run backwards; where the
/// wall clock goes ahead (the machine slept, or somebody set it) the supervisor lets them follow
/// with advance_to(), as clock_steps.hpp has it. Any thread.
class Clock {
public:
    using Steady = std::chrono::steady_clock;

    Clock();
    /// Stands still but for advance_to(): for tests.
    explicit Clock(core::Timestamp frozen);

    core::Timestamp now() const;
    /// now(), or what the machine says where that is earlier: for expiry, which a clock that was
    /// wrong for a while must not bring on.
    core::Timestamp earliest() const;
    /// All that tells steps of the wall clock from a machine that slept.
    ClockSteps::Reading reading() const;
    /// What the machine says.
    static core::Timestamp wall();
    static Steady::time_point steady() { return Steady::now(); }
    /// Steady time as of the last tick of the kernel, a few milliseconds old and almost free: for
    /// deadlines.
    static Steady::time_point coarse();

    /// From here on now() goes on from `stamp`, unless it is past it. Supervisor thread only.
    void advance_to(core::Timestamp stamp);
    /// As of the end of the last turn, or the last advance_to(): for who reads between turns. Read
    /// after the time that it is to go with: who sees time go on sees why it jumped.
    core::Watch watch() const;

    /// Between these two nobody is heard: a commit may hang in a turn, with beats in the queue. For
    /// readers time stands still meanwhile. Supervisor thread only.
    void begin_turn();
    void end_turn(const core::Watch& watch);
    /// The time by which who reports would have been heard: now(), or the begin of a turn.
    core::Timestamp heard_until() const;

private:
    static constexpr std::int64_t kNoTurn = 0;

    const bool frozen_ = false;
    const Steady::time_point steady_at_start_;
    std::atomic<std::int64_t> stamp_at_start_ms_;
    std::atomic<std::int64_t> turn_since_ms_{kNoTurn};
    mutable std::mutex mutex_;
    core::Watch watch_;  ///< guarded by mutex_
};

}  // namespace headway::server

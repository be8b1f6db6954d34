// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "core/base/time.hpp"
#include "core/values/watch.hpp"
#include "server/time/clock_steps.hpp"
#include "server/time/time_source.hpp"

namespace headway::server {

/// The daemon's only clock. Durations are measured with the steady clock, so no step of the wall
/// clock makes an agent silent. The timestamp of an event is the wall time at construction plus
/// steady time, so timestamps never go back. If the wall clock jumps ahead (after a suspend, or
/// because it was set), the engine moves the timestamps with advance_to(), by the rules of
/// clock_steps.hpp. Any thread.
class Clock {
public:
    using Steady = time_source::Steady;

    Clock();
    /// For tests: a clock that only advance_to() moves.
    explicit Clock(core::Timestamp frozen);

    core::Timestamp now() const;
    /// The earlier of now() and wall(). Used for expiry, so that a clock that is wrong for a moment
    /// expires nothing.
    core::Timestamp earliest() const;
    /// The readings that distinguish a step of the wall clock from a suspend.
    ClockSteps::Reading reading() const;
    /// The system's wall clock.
    static core::Timestamp wall();
    static Steady::time_point steady() { return time_source::steady(); }
    /// True if tests move the time.
    static bool artificial() { return time_source::artificial(); }
    /// Steady time at the kernel's last tick, for deadlines: a few milliseconds old, but very cheap
    /// to read.
    static Steady::time_point coarse() { return time_source::coarse(); }
    /// How long this process was busy or did not run since `begin`; see time_source.hpp.
    static Steady::duration unattended_since(Steady::time_point begin) {
        return time_source::unattended_since(begin);
    }

    /// Moves now() ahead to `stamp` unless now() is already later. Engine thread only.
    void advance_to(core::Timestamp stamp);
    /// Sets now() to the time of a store that several daemons share. now() may go back: with such a
    /// store, this machine's clock does not matter. Engine thread only.
    void follow_shared(core::Timestamp stamp);
    /// The attention gaps as of the end of the last batch or the last advance_to(), for readers
    /// between batches. To be called after now(), so that a jump in time is read together with its
    /// gap.
    core::Watch watch() const;

    /// Called at the start and at the end of a turn. In between, reports count as not received,
    /// because a commit may hang while heartbeats wait in the queue; heard_until() is constant.
    /// Engine thread only.
    void begin_turn();
    void end_turn(const core::Watch& watch);
    /// The time up to which reports were received: now(), or the start of a running batch.
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

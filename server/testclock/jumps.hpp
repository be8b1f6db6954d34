// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

/// The part that the time source of tests adds to the kernel's clocks. Time goes on by itself too:
/// what a test forgot to wait for still happens. Any thread.
namespace headway::server::testclock {

using Millis = std::chrono::milliseconds;

/// How far the clocks are moved at once, each beside the kernel's.
struct Jump {
    Millis steady{0};  ///< not back
    Millis wall{0};
    Millis slept{0};       ///< not back
    bool attended = true;  ///< the process was there all the while: no attention gap

    static Jump pass(Millis time) { return {time, time, Millis{0}, true}; }
    /// The process stood still, for instance stopped by a signal.
    static Jump stall(Millis time) { return {time, time, Millis{0}, false}; }
    /// The wall clock was set.
    static Jump step(Millis by) { return {Millis{0}, by, Millis{0}, true}; }
    static Jump suspend(Millis time) { return {Millis{0}, time, time, true}; }
};

/// Moves the clocks between two waits of the threads that wait by time_source::wait(), so that none
/// of them reads one clock before it and another behind it. Wakes them.
void jump(const Jump& jump);

/// Returns when these threads, at least one, have done what was due and wait again. False when that
/// takes longer than `most` (of real time): one is busy or hangs.
bool settle(Millis most);

}  // namespace headway::server::testclock

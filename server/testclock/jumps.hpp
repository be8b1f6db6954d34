// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

/// Offsets that the tests' time source adds to the kernel's clocks. Time also passes by itself, so
/// that events happen even if a test does not let time pass for them. Any thread.
namespace headway::server::testclock {

using Millis = std::chrono::milliseconds;

/// How far each clock is moved in one step, in addition to the kernel's time.
struct Jump {
    Millis steady{0};  ///< never negative
    Millis wall{0};
    Millis slept{0};       ///< never negative
    bool attended = true;  ///< the process ran while the steady clock ran: no attention gap

    static Jump pass(Millis time) { return {time, time, Millis{0}, true}; }
    /// The process stood still, for instance stopped by a signal.
    static Jump stall(Millis time) { return {time, time, Millis{0}, false}; }
    /// The wall clock was set.
    static Jump step(Millis by) { return {Millis{0}, by, Millis{0}, true}; }
    static Jump suspend(Millis time) { return {Millis{0}, time, time, true}; }
};

/// Moves the clocks while the threads that use time_source::wait() are waiting, so that no thread
/// reads one clock before the jump and another after it. Wakes these threads.
void jump(const Jump& jump);

/// Returns true once all threads that use time_source::wait() have done the work that is due and
/// wait again; there must be at least one such thread. Returns false if this takes longer than
/// `most` in real time, because a thread is busy or hangs.
bool settle(Millis most);

}  // namespace headway::server::testclock

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// The source of all time readings, and of the limits on how long a thread may wait. A program is
/// linked with one of two sources: time_source_system.cpp asks the kernel;
/// testclock/time_source.cpp adds the time that tests let pass. Thus the product needs no branch
/// and no virtual call for tests. Only Clock, timers and waits include this header; other code uses
/// Clock. Any thread.
namespace headway::server::time_source {

using Steady = std::chrono::steady_clock;

Steady::time_point steady();
/// Steady time at the kernel's last tick: a few milliseconds old, but very cheap to read.
Steady::time_point coarse();
std::chrono::system_clock::time_point wall();

/// True if tests move the time; a remote store then uses this time too.
bool artificial();

/// Readings of one moment.
struct Uptime {
    std::chrono::milliseconds steady{0};
    std::chrono::milliseconds slept{0};  ///< time that the machine has slept since its start
};
Uptime uptime();

/// The time since `begin` that a busy process has missed: all the time since then, except time that
/// a test let pass as attended.
Steady::duration unattended_since(Steady::time_point begin);

/// A thread that needs to wait for `left` may wait at most this long before it must read the clock
/// again.
Steady::duration longest_wait(Steady::duration left);

/// Waits for a notification, at most until `deadline`. May return early, so it must be called in a
/// loop. The caller holds `lock`.
void wait(std::condition_variable& ready, std::unique_lock<std::mutex>& lock,
          Steady::time_point deadline);

}  // namespace headway::server::time_source

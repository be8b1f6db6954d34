// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Where readings of time come from, and how long a thread may wait. A program is linked with one
/// of two sources: time_source_system.cpp asks the kernel; testclock/time_source.cpp, for tests,
/// adds what they say. So the product has no branch and no virtual call for it. `clock` is for all
/// others; besides it only timers and waits include this. Any thread.
namespace headway::server::time_source {

using Steady = std::chrono::steady_clock;

Steady::time_point steady();
/// As of the kernel's last tick: a few milliseconds old and almost free.
Steady::time_point coarse();
std::chrono::system_clock::time_point wall();

/// True if tests move the time: then it is also that of a store far away.
bool artificial();

/// Readings of one moment.
struct Uptime {
    std::chrono::milliseconds steady{0};
    std::chrono::milliseconds slept{0};  ///< of the machine, since it was started
};
Uptime uptime();

/// The part of the time since `begin` that passed without the process: all of it, except the part
/// that a test let pass while it attended.
Steady::duration unattended_since(Steady::time_point begin);

/// How long a thread may wait for a moment that is `left` ahead before it looks at the clock again.
Steady::duration longest_wait(Steady::duration left);

/// Waits for a notification, until `deadline` at most; may return early, so call it in a loop. The
/// caller holds `lock`.
void wait(std::condition_variable& ready, std::unique_lock<std::mutex>& lock,
          Steady::time_point deadline);

}  // namespace headway::server::time_source

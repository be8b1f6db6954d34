// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Where readings of time come from, and how long a thread may wait. A program is linked with one
/// of two sources: time_source_system.cpp asks the kernel; testclock/time_source.cpp adds the time
/// that tests let pass. So the product has no branch and no virtual call for it. Other code uses
/// Clock; only that, timers and waits include this. Any thread.
namespace headway::server::time_source {

using Steady = std::chrono::steady_clock;

Steady::time_point steady();
/// As of the kernel's last tick: a few milliseconds old and almost free.
Steady::time_point coarse();
std::chrono::system_clock::time_point wall();

/// True if tests move the time: then a remote store follows it too.
bool artificial();

/// Readings of one moment.
struct Uptime {
    std::chrono::milliseconds steady{0};
    std::chrono::milliseconds slept{0};  ///< of the machine, since it was started
};
Uptime uptime();

/// Time since `begin` that a busy process missed: all of it, except what a test let pass while the
/// process attended.
Steady::duration unattended_since(Steady::time_point begin);

/// How long a thread may wait for a moment that is `left` ahead before it looks at the clock again.
Steady::duration longest_wait(Steady::duration left);

/// Waits for a notification, until `deadline` at most; may return early, so call it in a loop. The
/// caller holds `lock`.
void wait(std::condition_variable& ready, std::unique_lock<std::mutex>& lock,
          Steady::time_point deadline);

}  // namespace headway::server::time_source

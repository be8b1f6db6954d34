// SPDX-License-Identifier: Apache-2.0
#include "server/time/time_source.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <deque>
#include <vector>

#include "server/testclock/jumps.hpp"

// The kernel's clocks and what a test adds: the source of headway-testclock and of unit tests.

namespace headway::server {
namespace {

using time_source::Steady;

/// A jump is noticed within this time, also by threads that nothing wakes for it.
constexpr testclock::Millis kLookEvery{5};
/// A jump waits so long for a thread that is not waiting.
constexpr testclock::Millis kForQuiet{500};
constexpr std::size_t kPassesKept = 256;

/// Time that passed while the process attended.
struct Pass {
    Steady::time_point from;
    Steady::time_point to;
};

/// A thread in wait().
struct Waiter {
    std::condition_variable* ready = nullptr;
    Steady::time_point deadline;
    std::uint64_t jumps = 0;  ///< that it knows of
};

struct State {
    std::atomic<Steady::rep> steady{0};
    std::atomic<std::int64_t> wall_ms{0};
    std::atomic<std::int64_t> slept_ms{0};

    std::mutex mutex;  ///< guards what follows, and the clocks above against threads that wait
    std::condition_variable changed;
    bool waited = false;  ///< a thread has waited: it is an engine's, which reads the clocks
    std::vector<Waiter> waiters;
    std::deque<Pass> passes;
    std::uint64_t jumps = 0;
};

State& state() {
    static State all;
    return all;
}

/// The caller holds the mutex.
bool quiet(const State& all) {
    const auto now = time_source::steady();
    const auto waits = [&](const Waiter& waiter) {
        return waiter.jumps == all.jumps && waiter.deadline > now;
    };
    return !all.waiters.empty() && std::all_of(all.waiters.begin(), all.waiters.end(), waits);
}

}  // namespace

namespace time_source {

Steady::time_point steady() {
    return Steady::now() + Steady::duration{state().steady.load()};
}

Steady::time_point coarse() {
    return steady();
}

bool artificial() {
    return true;
}

std::chrono::system_clock::time_point wall() {
    return std::chrono::system_clock::now() + testclock::Millis{state().wall_ms.load()};
}

Uptime uptime() {
    timespec boot{};
    ::clock_gettime(CLOCK_BOOTTIME, &boot);
    const auto real = std::chrono::seconds{boot.tv_sec} + std::chrono::nanoseconds{boot.tv_nsec} -
                      Steady::now().time_since_epoch();
    return {std::chrono::duration_cast<testclock::Millis>(steady().time_since_epoch()),
            std::chrono::duration_cast<testclock::Millis>(real) +
                testclock::Millis{state().slept_ms.load()}};
}

Steady::duration unattended_since(Steady::time_point begin) {
    State& all = state();
    const std::scoped_lock lock{all.mutex};
    auto left = steady() - begin;
    for (const Pass& pass : all.passes) {
        if (pass.to > begin) left -= pass.to - std::max(pass.from, begin);
    }
    return left;
}

Steady::duration longest_wait(Steady::duration left) {
    return std::min<Steady::duration>(left, kLookEvery);
}

void wait(std::condition_variable& ready, std::unique_lock<std::mutex>& lock,
          Steady::time_point deadline) {
    State& all = state();
    {
        const std::scoped_lock mine{all.mutex};
        all.waited = true;
        all.waiters.push_back({&ready, deadline, all.jumps});
    }
    all.changed.notify_all();
    ready.wait_for(lock, longest_wait(deadline - steady()));
    const std::scoped_lock mine{all.mutex};
    std::erase_if(all.waiters, [&](const Waiter& waiter) { return waiter.ready == &ready; });
}

}  // namespace time_source

namespace testclock {

void jump(const Jump& jump) {
    State& all = state();
    std::unique_lock lock{all.mutex};
    if (all.waited) all.changed.wait_for(lock, kForQuiet, [&] { return quiet(all); });
    const auto from = time_source::steady();
    all.steady += std::chrono::duration_cast<Steady::duration>(jump.steady).count();
    all.wall_ms += jump.wall.count();
    all.slept_ms += jump.slept.count();
    ++all.jumps;
    if (jump.attended && jump.steady > Millis{0}) {
        all.passes.push_back({from, from + jump.steady});
        if (all.passes.size() > kPassesKept) all.passes.pop_front();
    }
    for (const Waiter& waiter : all.waiters)
        waiter.ready->notify_all();
}

bool settle(Millis most) {
    State& all = state();
    std::unique_lock lock{all.mutex};
    return all.changed.wait_for(lock, most, [&] { return quiet(all); });
}

}  // namespace testclock
}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "server/time/time_source.hpp"

// The kernel's clocks: the source of the product.

namespace headway::server::time_source {

Steady::time_point steady() {
    return Steady::now();
}

Steady::time_point coarse() {
    // libstdc++'s steady_clock is CLOCK_MONOTONIC, which has the same epoch.
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
    return Steady::time_point{std::chrono::seconds{at.tv_sec} +
                              std::chrono::nanoseconds{at.tv_nsec}};
}

std::chrono::system_clock::time_point wall() {
    return std::chrono::system_clock::now();
}

bool artificial() {
    return false;
}

Uptime uptime() {
    timespec monotonic{};
    timespec boot{};
    ::clock_gettime(CLOCK_MONOTONIC, &monotonic);
    ::clock_gettime(CLOCK_BOOTTIME, &boot);  // includes the time of a suspend
    const auto ms = [](const timespec& at) {
        return std::chrono::milliseconds{std::int64_t{at.tv_sec} * 1000 + at.tv_nsec / 1'000'000};
    };
    return {ms(monotonic), ms(boot) - ms(monotonic)};
}

Steady::duration unattended_since(Steady::time_point begin) {
    return steady() - begin;
}

Steady::duration longest_wait(Steady::duration left) {
    return left;
}

void wait(std::condition_variable& ready, std::unique_lock<std::mutex>& lock,
          Steady::time_point deadline) {
    ready.wait_until(lock, deadline);
}

}  // namespace headway::server::time_source

// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/loop_pulse.hpp"

namespace headway::server {

void LoopPulse::beat() {
    last_ticks_.store(Clock::steady().time_since_epoch().count(), std::memory_order_relaxed);
    timer_.expires_after(kEvery);
    timer_.async_wait([this](error_code ec) {
        if (!ec) beat();
    });
}

Clock::Steady::time_point LoopPulse::last() const noexcept {
    const std::int64_t ticks = last_ticks_.load(std::memory_order_relaxed);
    if (ticks == kNotStarted) return Clock::steady();
    return Clock::Steady::time_point{Clock::Steady::duration{ticks}};
}

}  // namespace headway::server

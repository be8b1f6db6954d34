// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "server/http/sockets/net.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Records when the I/O thread was last in its event loop, for the engine. While a handler takes
/// long, or while the thread gets no CPU, reports wait unread in their sockets: this is an
/// attention gap, not silence of an agent. Has one timer with the interval kEvery. The io_context
/// must outlive this object.
class LoopPulse {
public:
    static constexpr std::chrono::milliseconds kEvery{100};

    explicit LoopPulse(net::io_context& io) : timer_(io) {}

    /// Starts the timer, which runs until the io_context stops. I/O thread.
    void start() { beat(); }

    /// When the timer last fired; before start(), the current time. Any thread.
    Clock::Steady::time_point last() const noexcept;

private:
    void beat();

    static constexpr std::int64_t kNotStarted = 0;
    std::atomic<std::int64_t> last_ticks_{kNotStarted};  ///< ticks of Clock::Steady
    Timer timer_;
};

}  // namespace headway::server

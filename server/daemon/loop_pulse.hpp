// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "server/http/sockets/net.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Gives the engine the time at which the I/O thread was last in its event loop. While a handler
/// runs long, or the thread gets no CPU, reports wait unread in their sockets: an attention gap,
/// not an agent's silence. Has one timer of kEvery; the io_context must outlive this.
class LoopPulse {
public:
    static constexpr std::chrono::milliseconds kEvery{100};

    explicit LoopPulse(net::io_context& io) : timer_(io) {}

    /// Starts the timer, which runs until the io_context stops. I/O thread.
    void start() { beat(); }

    /// Time of the timer's last run; before start(), the current time. Any thread.
    Clock::Steady::time_point last() const noexcept;

private:
    void beat();

    static constexpr std::int64_t kNotStarted = 0;
    std::atomic<std::int64_t> last_ticks_{kNotStarted};  ///< ticks of Clock::Steady
    Timer timer_;
};

}  // namespace headway::server

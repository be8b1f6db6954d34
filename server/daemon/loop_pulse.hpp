// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "server/http/sockets/net.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Gives the engine the time at which the I/O thread was last in its event loop. While a
/// handler runs long, or the thread gets no CPU, reports wait unread in their sockets: an attention
/// gap and not the silence of an agent. One timer of kEvery; the io_context must outlive it.
class LoopPulse {
public:
    static constexpr std::chrono::milliseconds kEvery{100};

    explicit LoopPulse(net::io_context& io) : timer_(io) {}

    /// Starts the timer; it runs until the io_context stops. I/O thread.
    void start() { beat(); }

    /// The last time of the timer; now, before start(). Any thread.
    Clock::Steady::time_point last() const noexcept;

private:
    void beat();

    static constexpr std::int64_t kNotStarted = 0;
    std::atomic<std::int64_t> last_ticks_{kNotStarted};  ///< of Clock::Steady
    Timer timer_;
};

}  // namespace headway::server

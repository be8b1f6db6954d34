// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "server/clock.hpp"
#include "server/net.hpp"

namespace headway::server {

/// Tells the supervisor when the I/O thread was last at its event loop. While a handler runs for
/// long, or the thread gets no processor, reports wait unread in their sockets: that is a gap in
/// our attention and not the silence of an agent. One timer of kEvery; the owner keeps the
/// io_context alive as long as this.
class LoopPulse {
public:
    static constexpr std::chrono::milliseconds kEvery{100};

    explicit LoopPulse(net::io_context& io) : timer_(io) {}

    /// From here on it beats, until the io_context stops. I/O thread.
    void start() { beat(); }

    /// When it last beat; now, before it has started. Any thread.
    Clock::Steady::time_point last() const noexcept;

private:
    void beat();

    static constexpr std::int64_t kNotStarted = 0;
    std::atomic<std::int64_t> last_ticks_{kNotStarted};  ///< of Clock::Steady
    Timer timer_;
};

}  // namespace headway::server

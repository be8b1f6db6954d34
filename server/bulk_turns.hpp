// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "server/net.hpp"

namespace headway::server {

/// Work of clients who send much, a little in each turn of the loop and in the order it came, so
/// that everybody else waits for a few pieces and not for all of them. As long as the number of
/// connections, each of which has one piece at most. I/O thread only; outlives the run of the loop.
class BulkTurns {
public:
    /// Pieces in a turn of the loop: 64 KB of bodies, or a few milliseconds of handshakes.
    static constexpr std::size_t kPerTurn = 4;

    explicit BulkTurns(net::io_context& io) : io_(io) {}

    /// Runs `work` later, once, from the loop; never before this returns.
    void add(std::function<void()> work);

private:
    void run();

    net::io_context& io_;
    std::deque<std::function<void()>> waiting_;
    bool posted_ = false;
};

}  // namespace headway::server

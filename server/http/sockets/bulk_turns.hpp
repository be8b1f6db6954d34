// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "server/http/sockets/net.hpp"

namespace headway::server {

/// A FIFO queue for the work of clients that send a lot of data. Each turn of the event loop runs
/// only a few pieces of work, so that other clients do not wait long. A connection has at most one
/// piece in the queue. I/O thread only; must outlive the run of the event loop.
class BulkTurns {
public:
    /// Pieces of work in each turn of the loop: 64 KB of bodies, or a few milliseconds of
    /// handshakes.
    static constexpr std::size_t kPerTurn = 4;

    explicit BulkTurns(net::io_context& io) : io_(io) {}

    /// Runs `work` once, later, from the event loop; never before add() returns.
    void add(std::function<void()> work);

private:
    void run();

    net::io_context& io_;
    std::deque<std::function<void()>> waiting_;
    bool posted_ = false;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "server/clock.hpp"
#include "server/messages.hpp"

namespace headway::server {

/// The way from the I/O thread to the supervisor: bounded by limits::kCommandQueueMax and
/// kCommandQueueBytesMax. Requests are staged by the I/O thread and handed over once a turn of its
/// event loop, and taken all at once, so that what arrived together commits together, and while one
/// batch commits the next gathers.
class CommandQueue {
public:
    /// I/O thread only. False when the queue is full or closed; the request is then unchanged.
    /// Those held count for queries only: readers that wait leave the room of those who report
    /// alone.
    bool stage(Request& request);
    /// I/O thread only. The connection has closed: what it asked to read need not be answered.
    void forget(std::uint64_t connection);
    /// I/O thread only. Hands over what was staged and wakes the supervisor.
    void hand_over();

    /// Waits for requests until `deadline` and moves up to limits::kBatchMax of them to `out`
    /// (cleared first). Returns how many stay behind.
    std::size_t take(std::vector<Request>& out, Clock::Steady::time_point deadline);

    /// The connections that were forgotten since the last call. Supervisor thread only.
    std::vector<std::uint64_t> take_forgotten();

    /// How many of those taken still wait for their answer, which count as waiting. Supervisor
    /// thread only.
    void hold(std::size_t count) { held_.store(count, std::memory_order_relaxed); }

    /// I/O thread only, or after it has ended. Nothing more is staged; take() returns at once when
    /// empty.
    void close();
    bool closed_and_empty() const;
    /// Whether some wait to be taken. Any thread.
    bool has_waiting() const { return count_.load(std::memory_order_relaxed) > 0; }
    /// Staged, waiting and held. I/O thread only.
    std::size_t size() const;

private:
    std::vector<Request> staged_;  ///< I/O thread's own

    mutable std::mutex mutex_;  ///< guards everything below
    std::condition_variable ready_;
    std::vector<Request> waiting_;
    std::size_t first_ = 0;                 ///< where the rest of a large batch starts
    std::vector<std::uint64_t> forgotten_;  ///< at most limits::kCommandQueueMax

    std::atomic<bool> closed_{false};
    std::atomic<std::size_t> count_{0};  ///< staged and waiting
    std::atomic<std::size_t> bytes_{0};  ///< of those
    std::atomic<std::size_t> held_{0};
};

}  // namespace headway::server

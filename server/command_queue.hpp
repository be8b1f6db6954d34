#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "server/clock.hpp"
#include "server/messages.hpp"

namespace headway::server {

/// The way from the I/O thread to the supervisor: bounded by limits::kCommandQueueMax and
/// kCommandQueueBytesMax, emptied whole, so that while one batch commits the next gathers. Any
/// thread.
class CommandQueue {
public:
    /// False when the queue is full or closed; the request is then unchanged. Does not wake the
    /// consumer: see wake().
    bool push(Request& request);

    /// Lets the consumer run; once for everything that was pushed in one turn of the event loop.
    void wake();

    /// Waits for requests until `deadline` and moves up to limits::kBatchMax of them to `out`
    /// (cleared first). Returns how many stay behind.
    std::size_t take(std::vector<Request>& out, Clock::Steady::time_point deadline);

    /// Nothing more is taken; take() returns at once when empty.
    void close();
    bool closed_and_empty() const;
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable ready_;
    std::vector<Request> waiting_;
    std::size_t first_ = 0;  ///< where the rest of a large batch starts
    std::size_t bytes_ = 0;
    bool closed_ = false;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "server/engine/base/task.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// The queue from the I/O thread to the engine, bounded by limits::kCommandQueueMax and
/// kCommandQueueBytesMax. The I/O thread stages requests and hands them over once in each turn of
/// its event loop; the engine takes all of them at once. Thus requests that arrive together are
/// committed together, and the next batch gathers while the previous batch commits. Rationed
/// requests (hooks and questions to people) have a lane of their own, and so do large requests. A
/// turn takes few requests from these two lanes, so that they do not delay small reports. Each lane
/// is in order, but a report may overtake a hook. If a client sends each request only after the
/// reply to its previous request, its requests stay in order.
class CommandQueue {
public:
    /// A rationed request takes the engine up to 1 ms, so kRationPerTurn such requests delay a
    /// report by tens of ms.
    static constexpr std::size_t kRationPerTurn = 32;
    /// A request of at least this size is large. A turn takes large requests until they have
    /// kLargeBytesPerTurn together; that many bytes delay a small report by less than 10 ms.
    static constexpr std::size_t kLargeBytes = 64 * 1024;
    static constexpr std::size_t kLargeBytesPerTurn = 256 * 1024;

    /// I/O thread only. False if the queue is full or closed; the request is then unchanged. Held
    /// requests (see hold()) reduce the room for queries only, so that waiting readers do not crowd
    /// out reports.
    bool stage(Request& request);
    /// I/O thread only. Called when the connection has closed: the queries of that connection need
    /// no answer any more.
    void forget(std::uint64_t connection);
    /// I/O thread only. Hands over the staged requests and wakes the engine.
    void hand_over();

    /// I/O thread only. There are streams, so the engine must publish events, not only views. To be
    /// called before the request that opens a stream is staged: the requests of other lanes may be
    /// older than this request, and run after it.
    void set_listening(bool listening) { listening_.store(listening, std::memory_order_relaxed); }
    /// True from the turn on that takes the request of the first stream. Engine thread only.
    bool listening() const { return listening_.load(std::memory_order_relaxed); }

    /// Makes the engine take a turn, even without a request. Any thread.
    void poke();

    /// Waits for requests or a poke(), at most until `deadline`. Then replaces the content of `out`
    /// with up to limits::kBatchMax small requests, in addition up to kRationPerTurn rationed ones,
    /// and some large ones. Returns how many requests are left.
    std::size_t take(std::vector<Request>& out, Clock::Steady::time_point deadline);

    /// The connections passed to forget() since the last call of take_forgotten(). Engine thread
    /// only.
    std::vector<std::uint64_t> take_forgotten();

    /// Sets the number of requests that were taken but still wait for their answer; size() includes
    /// these requests. Engine thread only.
    void hold(std::size_t count) { held_.store(count, std::memory_order_relaxed); }

    /// I/O thread, or any thread after the I/O thread has ended. Refuses further requests; take()
    /// returns at once when the queue is empty.
    void close();
    bool closed_and_empty() const;
    /// True if requests are staged or wait to be taken. Any thread.
    bool has_waiting() const { return count_.load(std::memory_order_relaxed) > 0; }
    /// Number of staged, waiting and held requests. I/O thread only.
    std::size_t size() const;

private:
    std::size_t left() const { return waiting_.size() - first_ + rationed_.size() + large_.size(); }

    std::vector<Request> staged_;  ///< I/O thread only

    mutable std::mutex mutex_;  ///< guards everything below except the atomics
    std::condition_variable ready_;
    std::vector<Request> waiting_;
    std::size_t first_ = 0;  ///< index in waiting_ of the first request that did not fit into a
                             ///< batch
    std::deque<Request> rationed_;
    std::deque<Request> large_;
    bool poked_ = false;
    std::vector<std::uint64_t> forgotten_;  ///< at most limits::kCommandQueueMax

    std::atomic<bool> listening_{false};
    std::atomic<bool> closed_{false};
    std::atomic<std::size_t> count_{0};  ///< number of staged and waiting requests
    std::atomic<std::size_t> bytes_{0};  ///< bytes of the staged and waiting requests
    std::atomic<std::size_t> held_{0};
};

}  // namespace headway::server

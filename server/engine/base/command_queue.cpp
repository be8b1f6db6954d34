// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/command_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {

bool CommandQueue::stage(Request& request) {
    const std::size_t before_it =
        request.read != nullptr ? size() : count_.load(std::memory_order_relaxed);
    if (closed_.load(std::memory_order_relaxed) || before_it >= core::limits::kCommandQueueMax ||
        bytes_.load(std::memory_order_relaxed) + request.bytes >
            core::limits::kCommandQueueBytesMax) {
        return false;
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(request.bytes, std::memory_order_relaxed);
    staged_.push_back(std::move(request));
    return true;
}

void CommandQueue::forget(std::uint64_t connection) {
    if (size() == 0) return;
    const std::lock_guard lock{mutex_};
    if (forgotten_.size() < core::limits::kCommandQueueMax) forgotten_.push_back(connection);
}

std::vector<std::uint64_t> CommandQueue::take_forgotten() {
    const std::lock_guard lock{mutex_};
    return std::exchange(forgotten_, {});
}

void CommandQueue::hand_over() {
    if (staged_.empty()) return;
    {
        const auto take_out = [this](const auto& stays, std::deque<Request>& to) {
            const auto from = std::stable_partition(staged_.begin(), staged_.end(), stays);
            to.insert(to.end(), std::make_move_iterator(from),
                      std::make_move_iterator(staged_.end()));
            staged_.erase(from, staged_.end());
        };
        const std::lock_guard lock{mutex_};
        take_out([](const Request& request) { return !is_rationed(request); }, rationed_);
        take_out([](const Request& request) { return request.bytes < kLargeBytes; }, large_);
        if (waiting_.empty()) {
            waiting_.swap(staged_);
        } else {
            waiting_.insert(waiting_.end(), std::make_move_iterator(staged_.begin()),
                            std::make_move_iterator(staged_.end()));
        }
    }
    staged_.clear();
    ready_.notify_one();
}

void CommandQueue::poke() {
    {
        const std::lock_guard lock{mutex_};
        poked_ = true;
    }
    ready_.notify_one();
}

std::size_t CommandQueue::take(std::vector<Request>& out, Clock::Steady::time_point deadline) {
    out.clear();
    std::unique_lock lock{mutex_};
    while (!closed_ && !poked_ && left() == 0 && Clock::steady() < deadline)
        time_source::wait(ready_, lock, deadline);
    poked_ = false;
    const std::size_t count = std::min(waiting_.size() - first_, core::limits::kBatchMax);
    if (first_ == 0 && count == waiting_.size()) {
        out.swap(waiting_);
    } else {
        const auto from = waiting_.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto to = from + static_cast<std::ptrdiff_t>(count);
        out.assign(std::make_move_iterator(from), std::make_move_iterator(to));
        first_ += count;
        if (first_ == waiting_.size()) {
            waiting_.clear();
            first_ = 0;
        }
    }
    for (std::size_t i = 0; i < kRationPerTurn && !rationed_.empty(); ++i) {
        out.push_back(std::move(rationed_.front()));
        rationed_.pop_front();
    }
    for (std::size_t bytes = 0; bytes < kLargeBytesPerTurn && !large_.empty();) {
        bytes += large_.front().bytes;
        out.push_back(std::move(large_.front()));
        large_.pop_front();
    }
    const std::size_t rest = left();
    lock.unlock();
    std::size_t bytes = 0;
    for (const Request& request : out)
        bytes += request.bytes;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    count_.fetch_sub(out.size(), std::memory_order_relaxed);
    return rest;
}

void CommandQueue::close() {
    hand_over();
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
    }
    ready_.notify_one();
}

bool CommandQueue::closed_and_empty() const {
    const std::lock_guard lock{mutex_};
    return closed_ && left() == 0;
}

std::size_t CommandQueue::size() const {
    return count_.load(std::memory_order_relaxed) + held_.load(std::memory_order_relaxed);
}

}  // namespace headway::server

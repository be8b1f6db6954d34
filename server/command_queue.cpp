#include "server/command_queue.hpp"

#include <algorithm>
#include <iterator>

#include "core/limits.hpp"

namespace headway::server {

bool CommandQueue::push(Request& request) {
    const std::lock_guard lock{mutex_};
    if (closed_ || waiting_.size() - first_ >= core::limits::kCommandQueueMax ||
        bytes_ + request.bytes > core::limits::kCommandQueueBytesMax) {
        return false;
    }
    bytes_ += request.bytes;
    waiting_.push_back(std::move(request));
    return true;
}

void CommandQueue::wake() {
    ready_.notify_one();
}

std::size_t CommandQueue::take(std::vector<Request>& out, Clock::Steady::time_point deadline) {
    out.clear();
    std::unique_lock lock{mutex_};
    ready_.wait_until(lock, deadline, [this] { return closed_ || waiting_.size() > first_; });
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
    for (const Request& request : out)
        bytes_ -= request.bytes;
    return waiting_.size() - first_;
}

void CommandQueue::close() {
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
    }
    ready_.notify_one();
}

bool CommandQueue::closed_and_empty() const {
    const std::lock_guard lock{mutex_};
    return closed_ && waiting_.size() == first_;
}

std::size_t CommandQueue::size() const {
    const std::lock_guard lock{mutex_};
    return waiting_.size() - first_;
}

}  // namespace headway::server

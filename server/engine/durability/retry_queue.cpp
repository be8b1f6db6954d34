// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/retry_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {

bool RetryQueue::keep(Request& request, EngineContext& parts) {
    HEADWAY_ASSERT(request.write != nullptr);
    if (!request.write->delivered() || !request.write->retry_queue()) return false;
    if (waiting_.size() >= core::limits::kCommandQueueMax) return false;
    request.write->restore();
    request.write->wait(parts);
    // A client may come and follow the session before it is stored.
    request.watched = true;
    waiting_.push_back(std::move(request));
    return true;
}

std::vector<Request> RetryQueue::take() {
    const std::size_t count =
        std::min(waiting_.size(), one_by_one_ ? std::size_t{1} : core::limits::kBatchMax);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Request> taken{std::make_move_iterator(waiting_.begin()),
                               std::make_move_iterator(end)};
    waiting_.erase(waiting_.begin(), end);
    untried_ = waiting_.size();
    return taken;
}

void RetryQueue::tried(Clock::Steady::time_point now) {
    const bool failed = waiting_.size() > untried_;
    if (!failed) {
        one_by_one_ = one_by_one_ && !waiting_.empty();
        pause_ = kPauseFirst;
        next_try_ = {};
        return;
    }
    if (!one_by_one_) {  // as they were
        std::rotate(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(untried_),
                    waiting_.end());
    }
    one_by_one_ = true;
    next_try_ = now + pause_;
    pause_ = std::min(2 * pause_, kPauseMax);
}

}  // namespace headway::server

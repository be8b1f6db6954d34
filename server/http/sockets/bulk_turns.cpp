// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/bulk_turns.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace headway::server {

void BulkTurns::add(std::function<void()> work) {
    waiting_.push_back(std::move(work));
    if (std::exchange(posted_, true)) return;
    net::post(io_, [this] { run(); });
}

void BulkTurns::run() {
    for (std::size_t i = 0; i < kPerTurn && !waiting_.empty(); ++i) {
        const std::function<void()> work = std::move(waiting_.front());
        waiting_.pop_front();
        work();
    }
    posted_ = !waiting_.empty();
    // After all handlers that are ready now.
    if (posted_) net::post(io_, [this] { run(); });
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "server/long_bodies.hpp"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "core/limits.hpp"

namespace headway::server {

LongBodies::~LongBodies() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

bool LongBodies::reads_for(std::uint64_t connection) const {
    return std::find(connections_.begin(), connections_.end(), connection) != connections_.end();
}

bool LongBodies::has_room(std::size_t bytes) const {
    return connections_.size() < core::limits::kLongBodiesMax &&
           bytes_ + bytes <= core::limits::kLongBodiesBytesMax;
}

void LongBodies::add(std::uint64_t connection, std::string body, Read read, Then then) {
    const std::size_t bytes = body.size();
    connections_.push_back(connection);
    bytes_ += bytes;
    Job job{std::move(body), std::move(read), secrets_, {}};
    job.then = [this, bytes, said = std::move(then)] {
        connections_.erase(connections_.begin());  // in their order
        bytes_ -= bytes;
        said();
    };
    {
        const std::lock_guard lock{mutex_};
        jobs_.push_back(std::move(job));
    }
    if (thread_.joinable()) {
        wake_.notify_one();
    } else {
        thread_ = std::thread{[this] { run(); }};
    }
}

void LongBodies::run() {
    ::pthread_setname_np(::pthread_self(), "bodies");  // in top and perf
    std::unique_lock lock{mutex_};
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) return;
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        {
            api::JsonTape tape;  // a new one: it keeps the memory of its longest body
            tape.redact_with(job.secrets.get());
            job.read(tape, job.body);
        }
        std::string{}.swap(job.body);
        net::post(io_.get_executor(), std::move(job.then));
        lock.lock();
    }
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/long_bodies.hpp"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <string>
#include <utility>

#include "core/base/limits.hpp"
#include "server/http/body/inflate.hpp"

namespace headway::server {
namespace {

/// JSON is usually packed to a sixteenth at most.
constexpr std::size_t kPackedRatio = 16;

std::size_t weight_of(const LongBodies::Body& body) {
    const std::size_t bytes = body.bytes.size();
    return body.packed ? std::min(body.bytes_max, bytes * kPackedRatio) : bytes;
}

core::Result<std::size_t> read_one(const LongBodies::Body& body, const LongBodies::Read& read,
                                   const core::SecretFinder* secrets) {
    std::string inflated;
    std::string_view text = body.bytes;
    if (body.packed) {
        HEADWAY_TRY(inflated, inflate_gzip(body.bytes, body.bytes_max));
        text = inflated;
    }
    api::JsonDocument document;  // a new one: it keeps the memory of its longest body
    document.redact_with(secrets);
    read(document, text);
    return text.size();
}

}  // namespace

LongBodies::~LongBodies() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

bool LongBodies::has_room(const Body& body) const {
    const std::size_t share = body.asks ? 1 : 2;
    return count_ < core::limits::kLongBodiesMax / share &&
           bytes_ + weight_of(body) <= core::limits::kLongBodiesBytesMax / share;
}

void LongBodies::add(Body body, Read read, Then then) {
    const std::size_t weight = weight_of(body);
    ++count_;
    bytes_ += weight;
    Job job{body, std::move(read), secrets_, {}};
    job.then = [this, weight, follow = std::move(then)](core::Result<std::size_t> bytes) {
        --count_;
        bytes_ -= weight;
        follow(std::move(bytes));
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
        auto bytes = read_one(job.body, job.read, job.secrets.get());
        net::post(io_.get_executor(),
                  [then = std::move(job.then), bytes = std::move(bytes)]() mutable {
                      then(std::move(bytes));
                  });
        lock.lock();
    }
}

}  // namespace headway::server

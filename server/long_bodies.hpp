// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/json_tape.hpp"
#include "core/secrets.hpp"
#include "server/net.hpp"

namespace headway::server {

/// Reads long bodies on a thread of its own, one after the other: a megabyte of JSON takes tens of
/// milliseconds, and the I/O thread holds up everybody for as long. The thread begins with the
/// first of them. I/O thread only, but for what it says otherwise.
class LongBodies {
public:
    /// On the other thread, which has the body from then on: works with nothing but its arguments.
    using Read = std::function<void(api::JsonTape& tape, const std::string& body)>;
    /// On the I/O thread, once the body was read.
    using Then = std::function<void()>;

    explicit LongBodies(net::io_context& io) : io_(io) {}
    LongBodies(const LongBodies&) = delete;
    LongBodies& operator=(const LongBodies&) = delete;
    /// Waits for the body that is being read; no `then` is called any more.
    ~LongBodies();

    /// What is redacted in the bodies that come from now on.
    void redact_with(std::shared_ptr<const core::SecretFinder> secrets) {
        secrets_ = std::move(secrets);
    }
    /// Whether what this connection sends now comes behind a body that is not read yet.
    bool reads_for(std::uint64_t connection) const;
    /// Whether there is room for another body. Without it the caller reads it itself: a hook that
    /// is refused would be a call that runs unasked.
    bool has_room(std::size_t bytes) const;
    void add(std::uint64_t connection, std::string body, Read read, Then then);

private:
    struct Job {
        std::string body;
        Read read;
        std::shared_ptr<const core::SecretFinder> secrets;
        Then then;
    };
    void run();

    net::io_context& io_;
    std::shared_ptr<const core::SecretFinder> secrets_;
    std::vector<std::uint64_t> connections_;  ///< of the bodies that are not read yet, in order
    std::size_t bytes_ = 0;                   ///< of these bodies
    std::mutex mutex_;                        ///< guards what follows
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server

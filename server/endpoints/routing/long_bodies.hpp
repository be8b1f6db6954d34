// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/redaction/secrets.hpp"
#include "server/http/sockets/net.hpp"

namespace headway::server {

/// Inflates and reads long bodies on a thread of its own, one after the other: a megabyte of JSON
/// takes tens of milliseconds, and the I/O thread holds up everybody for as long. The thread begins
/// with the first of them. I/O thread only, except where noted.
class LongBodies {
public:
    /// Its bytes have to live until `then` is called.
    struct Body {
        std::string_view bytes;
        bool packed = false;        ///< it is compressed
        std::size_t bytes_max = 0;  ///< of it once inflated
        bool asks = false;          ///< about a call, which runs unasked if it is refused
    };
    /// On the other thread: works only with its arguments. Not called if the body cannot be
    /// inflated.
    using Read = std::function<void(api::JsonDocument& document, std::string_view body)>;
    /// On the I/O thread, once the body was read: how long it was, or why it cannot be inflated.
    using Then = std::function<void(core::Result<std::size_t> bytes)>;

    explicit LongBodies(net::io_context& io) : io_(io) {}
    LongBodies(const LongBodies&) = delete;
    LongBodies& operator=(const LongBodies&) = delete;
    /// Waits for the body that is being read; no `then` is called any more.
    ~LongBodies();

    /// Finds secrets in the bodies that come from now on.
    void redact_with(std::shared_ptr<const core::SecretFinder> secrets) {
        secrets_ = std::move(secrets);
    }
    /// Whether there is room for another body: half of it is kept for those that ask. Without it,
    /// it is refused, since nothing may take as long on the I/O thread.
    bool has_room(const Body& body) const;
    void add(Body body, Read read, Then then);

private:
    struct Job {
        Body body;
        Read read;
        std::shared_ptr<const core::SecretFinder> secrets;
        Then then;
    };
    void run();

    net::io_context& io_;
    std::shared_ptr<const core::SecretFinder> secrets_;
    std::size_t count_ = 0;  ///< bodies that are not read yet
    std::size_t bytes_ = 0;  ///< of these, packed ones as if inflated
    std::mutex mutex_;       ///< guards what follows
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server

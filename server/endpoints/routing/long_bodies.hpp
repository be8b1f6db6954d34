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

/// Inflates and reads long bodies, one after the other, on a thread of its own: a megabyte of JSON
/// takes tens of milliseconds, and all clients would wait if this happened on the I/O thread. The
/// thread starts with the first long body. I/O thread only, except where noted.
class LongBodies {
public:
    /// A body. Its bytes must live until `then` is called.
    struct Body {
        std::string_view bytes;
        bool packed = false;        ///< the bytes are compressed
        std::size_t bytes_max = 0;  ///< limit of the inflated body
        bool asks = false;  ///< the body asks whether a call may run; if the body were refused, the
                            ///< call would run unchecked
    };
    /// Called on the other thread; uses only its arguments. Not called if the body cannot be
    /// inflated.
    using Read = std::function<void(api::JsonDocument& document, std::string_view body)>;
    /// Called on the I/O thread with the length of the body once it is read, or with the reason why
    /// it cannot be inflated.
    using Then = std::function<void(core::Result<std::size_t> bytes)>;

    explicit LongBodies(net::io_context& io) : io_(io) {}
    LongBodies(const LongBodies&) = delete;
    LongBodies& operator=(const LongBodies&) = delete;
    /// Waits for the body that is being read; calls no further `then`.
    ~LongBodies();

    /// Sets the finder of secrets for later bodies.
    void redact_with(std::shared_ptr<const core::SecretFinder> secrets) {
        secrets_ = std::move(secrets);
    }
    /// True if there is room for `body`; half of the room is reserved for bodies with `asks`. If
    /// there is no room, the body is refused, because the I/O thread must not read it.
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
    std::size_t count_ = 0;  ///< number of bodies that are not read yet
    std::size_t bytes_ = 0;  ///< bytes of these bodies, compressed ones as if inflated
    std::mutex mutex_;       ///< guards the members below
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/listener.hpp"

namespace headway::tests {

/// Answers each request and ends its connection, on a thread of its own, for clients that connect
/// by themselves.
class AnsweringServer {
public:
    /// Returns the bytes of the reply to a request line's target, such as `/v1/sessions`; called on
    /// the server's thread.
    using Answer = std::function<std::string(std::string_view target)>;

    explicit AnsweringServer(Answer answer)
        : answer_(std::move(answer)), thread_([this] { run(); }) {}
    /// The same reply to all.
    explicit AnsweringServer(std::string reply)
        : AnsweringServer([reply = std::move(reply)](std::string_view) { return reply; }) {}
    AnsweringServer(const AnsweringServer&) = delete;
    AnsweringServer& operator=(const AnsweringServer&) = delete;
    ~AnsweringServer() {
        done_ = true;
        thread_.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()); }

    /// A reply of the daemon's.
    static std::string reply(int status, const std::string& body) {
        return "HTTP/1.1 " + std::to_string(status) +
               " x\r\nX-Headway: 1\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\nConnection: close\r\n\r\n" + body;
    }

private:
    void run() {
        while (!done_) {
            auto far = listener_.accept();
            if (!far) {
                std::this_thread::yield();
                continue;
            }
            while (!done_ && far->read().find("\r\n\r\n") == std::string::npos && !far->ended())
                std::this_thread::yield();
            far->send(answer_(target_of(far->received())));
        }
    }

    static std::string_view target_of(std::string_view request) {
        const std::size_t start = std::min(request.find(" ") + 1, request.size());
        return request.substr(start, request.find(' ', start) - start);
    }

    Answer answer_;
    Listener listener_;
    std::atomic<bool> done_{false};
    std::thread thread_;
};

}  // namespace headway::tests

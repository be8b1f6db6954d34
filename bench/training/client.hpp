// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headway::training {

/// Ends the training with a message.
[[noreturn]] void give_up(const std::string& why);

/// A keep-alive connection to the daemon in the same thread: it never waits.
class Client {
public:
    explicit Client(std::uint16_t port);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    Client(Client&& other) noexcept;
    ~Client();

    /// The daemon has accepted the connection: finds its end of it.
    void accepted();
    /// Sends a request; `type` is the media type of the body.
    void ask(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view type = "application/json", std::string_view headers = {});
    /// The same for a stream: whatever comes is dropped, and nothing is waited for.
    void follow(std::string_view target);
    /// Takes what has come. Gives up if the request was refused.
    void read();
    /// A request has no whole reply yet.
    bool waits() const noexcept { return waits_; }
    /// Of the last reply.
    const std::string& body() const noexcept { return body_; }

private:
    void take_reply();

    int fd_;
    std::uint16_t port_;
    bool waits_ = false;
    bool streams_ = false;
    std::string asked_;
    std::string received_;
    std::string body_;
};

}  // namespace headway::training

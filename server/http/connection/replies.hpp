// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/http/connection/http_server.hpp"
#include "server/http/message/reply_to.hpp"

namespace headway::server {

/// Sends replies to clients. A client may be gone before its reply is sent. I/O thread only.
class Replies {
public:
    Replies(net::io_context& io, HttpServer& http) : io_(io), http_(http) {}

    /// Sets the response of a slot; the caller must call flush(). Does nothing if the client is
    /// gone.
    void put(const ReplyTo& to, const Response& response);
    /// Like put(), but to be called from outside the connection's own handler: the reply is flushed
    /// later, from the event loop.
    void respond(const ReplyTo& to, const Response& response);
    /// Sends the responses of this connection.
    void flush(std::uint64_t connection);
    /// The requested path; empty if the client is gone.
    std::string_view path_of(const ReplyTo& to);

private:
    net::io_context& io_;
    HttpServer& http_;
};

}  // namespace headway::server

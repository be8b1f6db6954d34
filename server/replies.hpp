// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/http_server.hpp"
#include "server/messages.hpp"

namespace headway::server {

/// The way back to a client that may be gone by the time its answer is known. I/O thread only.
class Replies {
public:
    Replies(net::io_context& io, HttpServer& http) : io_(io), http_(http) {}

    /// Puts the response into its place in the order of replies; the caller flushes. Nothing
    /// happens where the client is gone.
    void put(const ReplyTo& to, const Response& response);
    /// The same from outside of the connection's own turn: flushed in a turn of its own.
    void respond(const ReplyTo& to, const Response& response);
    /// Sends what was put for this connection.
    void flush(std::uint64_t connection);
    /// The path that was asked for; empty where the client is gone.
    std::string_view path_of(const ReplyTo& to);

private:
    net::io_context& io_;
    HttpServer& http_;
};

}  // namespace headway::server

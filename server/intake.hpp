// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/command_queue.hpp"
#include "server/messages.hpp"
#include "server/net.hpp"
#include "server/streams.hpp"
#include "server/view_cache.hpp"

namespace headway::server {

/// What the I/O thread asks of the supervisor: staged one by one, handed over once a turn of the
/// event loop, since what arrived together should commit together. I/O thread only.
class Intake {
public:
    Intake(net::io_context& io, CommandQueue& queue, const ViewCache& views, const Streams& streams)
        : io_(io), queue_(queue), views_(views), streams_(streams) {}

    /// False when the queue is full. `session` is the one it is about, or empty; `bytes` are those
    /// of the body that it was made of.
    bool ask(const ReplyTo& to, Command command, const std::string& session, std::size_t bytes);
    /// The same for what must not be lost: where the queue is full it is kept, and passed on later.
    /// The caller bounds how many there can be.
    void deliver(const ReplyTo& to, Command command, const std::string& session, std::size_t bytes);
    /// Passes on what is kept, as far as there is room. Called once a second.
    void pass_kept();
    /// The connection has closed: what it asked to read need not be answered.
    void forget(std::uint64_t connection) { queue_.forget(connection); }
    /// Whether there is room for another request.
    bool has_room() const;
    std::size_t size() const { return queue_.size(); }

private:
    bool stage(Request& request);
    Request request_of(const ReplyTo& to, Command command, const std::string& session,
                       std::size_t bytes) const;

    net::io_context& io_;
    CommandQueue& queue_;
    const ViewCache& views_;
    const Streams& streams_;
    std::vector<Request> kept_;  ///< at most as many as were asked of judges and webhooks
    bool wake_posted_ = false;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/engine/base/command_queue.hpp"
#include "server/engine/base/task.hpp"
#include "server/http/sockets/net.hpp"
#include "server/hub/streams/streams.hpp"
#include "server/hub/streams/view_cache.hpp"

namespace headway::server {

/// Sends the tasks of the I/O thread to the engine. They are staged one by one and handed over once
/// in each turn of the event loop, so that requests that arrive together are committed together.
/// I/O thread only.
class Intake {
public:
    Intake(net::io_context& io, CommandQueue& queue, const ViewCache& views, const Streams& streams)
        : io_(io), queue_(queue), views_(views), streams_(streams) {}

    /// False when the queue is full. `session` is the session concerned, or empty; `bytes` is the
    /// size of the request body.
    bool ask(Request request, const std::string& session, std::size_t bytes = 0);
    /// Like ask(), but takes tasks that must not be lost: if the queue is full, the task is kept
    /// and staged later. The caller must bound the number of such tasks.
    void deliver(Request request, const std::string& session, std::size_t bytes);
    /// Stages kept tasks as far as there is room. Called once a second.
    void pass_kept();
    /// Called when the connection has closed: queries that this connection has sent need no answer
    /// any more.
    void forget(std::uint64_t connection) { queue_.forget(connection); }
    /// True if there is room for another request.
    bool has_room() const;
    std::size_t size() const { return queue_.size(); }

private:
    /// A kept request. Its session is kept too, because whether the session is watched is looked up
    /// again at each attempt to stage the request.
    struct Kept {
        std::string session;
        Request request;
    };
    bool stage(Request& request, const std::string& session);

    net::io_context& io_;
    CommandQueue& queue_;
    const ViewCache& views_;
    const Streams& streams_;
    /// At most one for each held hook, each session that belongs to a process, each message to a
    /// webhook, each open question to a judge, and each reload of the configuration.
    std::vector<Kept> kept_;
    bool wake_posted_ = false;
};

}  // namespace headway::server

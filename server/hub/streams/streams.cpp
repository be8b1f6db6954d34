// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/streams.hpp"

#include <algorithm>
#include <utility>

#include "api/text/sse.hpp"
#include "core/base/limits.hpp"
#include "core/base/version.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::chrono::seconds kQuietMax{15};

std::string hello_frame(const StreamReply& reply) {
    const std::string data = "{\"version\":\"" + std::string{core::version().version} +
                             "\",\"head\":" + std::to_string(reply.head) +
                             ",\"oldest\":" + std::to_string(reply.oldest) +
                             ",\"replay_from\":" + std::to_string(reply.from) + "}";
    std::string frame = "retry: 2000\n";
    api::append_sse(frame, "hello", {}, data);
    return frame;
}

std::string reset_frame(const StreamReply& reply) {
    std::string frame;
    api::append_sse(frame, "reset", {},
                    "{\"reason\":\"" + reply.reset +
                        "\",\"oldest\":" + std::to_string(reply.oldest) +
                        ",\"from\":" + std::to_string(reply.from) + "}");
    return frame;
}

}  // namespace

Streams::Streams(ViewCache& views, FindConnection find, Ask ask, Time time)
    : views_(views), find_(std::move(find)), ask_(std::move(ask)), time_(std::move(time)) {}

core::Result<> Streams::open(HttpConnection& connection, std::uint64_t slot, StreamKind kind,
                             const std::string& session, std::optional<std::int64_t> after,
                             Caller caller) {
    core::Error busy{core::ErrorCode::kOverloaded, "too many streams are open; try again", {}};
    const auto room = shares_.room_for(caller.holder, 1, {false, limits::kStreamsMax});
    if (!room.found) return busy;
    Client client;
    client.kind = kind;
    client.session = session;
    client.caller = std::move(caller);
    client.slot = slot;
    client.after = after;
    client.asked = true;
    const std::uint64_t id = connection.id();
    const std::string holder = client.caller.holder;
    clients_[id] = std::move(client);  // first: the query says whether there is a stream
    if (!ask_(id, {session, after})) {
        clients_.erase(id);
        return busy;
    }
    for (const CallerShares::Place& place : room.given_up)
        give_up(place);
    shares_.add(holder, {id, 0});
    if (!session.empty()) views_.watch(session);
    return {};
}

/// The client resumes from its last id, and may be refused then.
void Streams::give_up(const CallerShares::Place& place) {
    const std::uint64_t id = place.first;
    shares_.remove(clients_.at(id).caller.holder, place);  // its end comes from the event loop
    if (HttpConnection* const connection = find_(id)) connection->close();
}

bool Streams::give_up_largest(std::size_t max) {
    const auto newest = shares_.of_largest(max, 1);
    if (newest.empty()) return false;
    give_up(newest.front());
    return true;
}

std::optional<std::uint64_t> Streams::abandon(std::uint64_t connection) {
    const auto client = clients_.find(connection);
    if (client == clients_.end()) return std::nullopt;
    if (client->second.started) {
        HttpConnection* const open = find_(connection);
        if (open != nullptr) open->finish_stream();
        return std::nullopt;
    }
    const std::uint64_t slot = client->second.slot;
    on_closed(connection);
    return slot;
}

void Streams::on_page(std::uint64_t id, StreamReply reply) {
    const auto found = clients_.find(id);
    HttpConnection* connection = find_(id);
    if (found == clients_.end() || connection == nullptr) return;
    Client& client = found->second;
    client.asked = false;
    if (client.ended) return;
    std::string text;
    if (!client.started) {
        if (!connection->begin_stream(client.slot)) {
            connection->close();
            return;
        }
        text = start(client, reply);
    } else {
        text = reset(client, reply);
    }
    if (client.kind == StreamKind::kProgress) {
        send_text(*connection, client, text);
        go_live(id, client);
        if (connection->peer_ended()) connection->finish_stream();
        return;
    }
    for (const storage::StreamEvent& event : reply.events) {
        text += event_frame(event.cursor, event);
        client.position = event.cursor;
        ++frames_sent_;
    }
    client.position = std::max(client.position, reply.through);
    if (reply.caught_up && !connection->peer_ended()) go_live(id, client);
    if (!text.empty()) send_text(*connection, client, text);
    if (connection->peer_ended()) return connection->finish_stream();
    if (!client.live) next_page(id, client);
}

/// Returns the first text of the stream.
std::string Streams::start(Client& client, const StreamReply& reply) {
    client.started = true;
    client.position = reply.from;
    client.oldest = reply.oldest;
    return hello_frame(reply) + (reply.reset.empty() ? "" : reset_frame(reply));
}

/// A deletion in the middle of the replay is reported once.
std::string Streams::reset(Client& client, const StreamReply& reply) {
    const bool goes_back = reply.from < client.position;
    if (reply.reset.empty() || (!goes_back && reply.oldest <= client.oldest)) return {};
    client.position = reply.from;
    client.oldest = reply.oldest;
    return reset_frame(reply);
}

/// Queries the next page once the client has read the last one.
void Streams::next_page(std::uint64_t id, Client& client) {
    HttpConnection* connection = find_(id);
    if (client.live || client.asked || client.ended || connection == nullptr ||
        !connection->writable())
        return;
    client.asked = ask_(id, {client.session, client.position});
    if (!client.asked) connection->close();  // overloaded: the client resumes from its last id
}

void Streams::go_live(std::uint64_t id, Client& client) {
    client.live = true;
    Channel& channel = channel_of(client);
    channel.clients.push_back(id);
    client.next_frame = channel.end();
    if (client.kind != StreamKind::kProgress) return;
    HttpConnection* connection = find_(id);
    if (connection != nullptr && connection->writable())
        send_progress(*connection, client);
    else
        client.stale = true;
}

/// The client was up to date, and one commit exceeded the ring.
void Streams::rejoin(std::uint64_t id, Client& client) {
    client.live = false;
    rejoined_ = true;
    std::erase(channel_of(client).clients, id);
    next_page(id, client);
}

void Streams::cut_lagged(HttpConnection& connection, Client& client) {
    ++lagged_;
    say_last(connection, client, "lagged",
             R"({"reason":"the client read too slowly; resume from the last id"})");
}

void Streams::say_last(HttpConnection& connection, Client& client, std::string_view event,
                       std::string_view data) {
    if (std::exchange(client.ended, true)) return;
    std::string frame;
    api::append_sse(frame, event, {}, data);
    send_text(connection, client, frame);
    connection.finish_stream();
}

/// One that has not begun is left alone: its answer tells whether the session exists.
void Streams::session_deleted(const std::string& session) {
    if (!views_.watched(session)) return;
    std::vector<std::uint64_t> gone;
    for (const auto& [id, client] : clients_) {
        if (client.started && client.session == session) gone.push_back(id);
    }
    for (const std::uint64_t id : gone) {
        HttpConnection* connection = find_(id);
        if (connection == nullptr) continue;
        say_last(*connection, clients_.at(id), "goodbye",
                 R"({"reason":"the session was deleted"})");
    }
}

void Streams::cut(const std::function<bool(const std::string&)>& may_stay) {
    std::vector<std::uint64_t> gone;
    for (const auto& [id, client] : clients_) {
        if (!may_stay(client.caller.credential)) gone.push_back(id);
    }
    for (const std::uint64_t id : gone) {
        const auto client = clients_.find(id);
        HttpConnection* connection = find_(id);
        if (client == clients_.end() || connection == nullptr) continue;
        if (client->second.started) {
            say_last(
                *connection, client->second, "goodbye",
                R"({"reason":"the token or login is not valid any more; authenticate again"})");
        } else {
            connection->close();
        }
    }
}

void Streams::publish_progress(const std::string& session) {
    const auto channel = progress_.find(session);
    if (channel == progress_.end()) return;
    const std::vector<std::uint64_t> ids = channel->second.clients;
    for (const std::uint64_t id : ids) {
        const auto client = clients_.find(id);
        HttpConnection* connection = find_(id);
        if (client == clients_.end() || connection == nullptr) continue;
        if (connection->writable())
            send_progress(*connection, client->second);
        else
            client->second.stale = true;
    }
}

void Streams::send_progress(HttpConnection& connection, Client& client) {
    client.stale = false;
    const core::SessionView* view = views_.find(client.session);
    if (view == nullptr) {
        client.stale = true;
        ask_view(client.session, channel_of(client));
        return;
    }
    std::string data;
    api::append_progress(data, *view, time_());
    std::string frame;
    api::append_sse(frame, "progress", static_cast<std::int64_t>(view->n), data);
    ++frames_sent_;
    send_text(connection, client, frame);
}

/// The view is not cached: its arrival triggers publish_progress(). Queried once per channel,
/// because each answer goes to all of its clients.
void Streams::ask_view(const std::string& session, Channel& channel) {
    if (std::exchange(channel.view_asked, true)) return;
    views_.get(session, [this, session](const auto& found) {
        const auto waiting = progress_.find(session);
        if (waiting != progress_.end()) waiting->second.view_asked = false;
        if (found && *found != nullptr) publish_progress(session);
    });
}

void Streams::send_text(HttpConnection& connection, Client& client, const std::string& text) {
    client.quiet_since = Clock::steady();
    connection.append_stream(text);
}

void Streams::on_writable(HttpConnection& connection) {
    const auto found = clients_.find(connection.id());
    if (found == clients_.end()) return;
    Client& client = found->second;
    if (!client.live) {
        next_page(connection.id(), client);
    } else if (client.kind == StreamKind::kProgress) {
        if (client.stale) send_progress(connection, client);
    } else {
        pump(connection.id(), client);
    }
}

void Streams::on_closed(std::uint64_t id) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    const Client client = std::move(found->second);
    clients_.erase(found);
    shares_.remove(client.caller.holder, {id, 0});
    if (!client.session.empty()) views_.unwatch(client.session);
    if (!client.live) return;
    Channel& channel = channel_of(client);
    std::erase(channel.clients, id);
    if (!channel.clients.empty()) return;
    while (!channel.frames.empty())
        drop_front(channel);
    if (client.kind == StreamKind::kSession) sessions_.erase(client.session);
    if (client.kind == StreamKind::kProgress) progress_.erase(client.session);
    if (client.kind == StreamKind::kAll) all_ = Channel{};
}

void Streams::keep_alive(Clock::Steady::time_point now) {
    std::vector<std::uint64_t> quiet;
    for (const auto& [id, client] : clients_) {
        if (client.started && now - client.quiet_since >= kQuietMax) quiet.push_back(id);
    }
    for (const std::uint64_t id : quiet) {
        const auto client = clients_.find(id);
        HttpConnection* connection = find_(id);
        if (client == clients_.end() || connection == nullptr || !connection->writable()) continue;
        send_text(*connection, client->second, std::string{api::kSseComment});
    }
}

void Streams::drain(std::string_view reason) {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, client] : clients_)
        ids.push_back(id);
    std::string data = R"({"reason":)";
    api::append_json_string(data, reason);
    data += '}';
    for (const std::uint64_t id : ids) {
        HttpConnection* connection = find_(id);
        const auto client = clients_.find(id);
        if (connection == nullptr || client == clients_.end()) continue;
        if (!client->second.started) {
            connection->close();
            continue;
        }
        say_last(*connection, client->second, "goodbye", data);
    }
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/encode/encode.hpp"
#include "server/engine/queries/queries.hpp"
#include "server/http/connection/http_connection.hpp"
#include "server/hub/streams/caller_shares.hpp"
#include "server/hub/streams/view_cache.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

enum class StreamKind : std::uint8_t { kSession, kAll, kProgress };

/// Server-Sent Events. Each channel (one session, or all sessions) keeps one ring of encoded
/// frames, and each client has a position in the ring: an event is encoded once, and one write
/// sends a client everything after its position. A client whose position has left the ring gets
/// `lagged` and is disconnected. There is one exception: if a client was up to date and a single
/// commit displaced its position, the client is fed from the journal, page by page and as fast as
/// it reads, like a client that resumes. I/O thread only.
///
/// No client is removed while a function of this class runs, because connections report their end
/// only from the event loop.
class Streams {
public:
    using FindConnection = std::function<HttpConnection*(std::uint64_t)>;
    /// Sends a StreamQuery on behalf of a connection; false when the queue is full.
    using Ask = std::function<bool(std::uint64_t connection, StreamQuery query)>;
    using Time = std::function<api::ReadingTime()>;
    /// Maximum number of bytes in all rings together: four full rings.
    static constexpr std::size_t kRingsBytesMax = 64U << 20;

    Streams(ViewCache& views, FindConnection find, Ask ask, Time time);

    /// The receiver of a stream.
    struct Caller {
        std::string credential;  ///< the result of Access::stays_as()
        std::string holder;  ///< Call::place_holder(); if it is empty, the stream is never closed
                             ///< for another caller
    };

    /// Begins a stream as the reply to `slot`. `after` is the position to resume from. If too many
    /// streams are open, a stream of the caller with the most streams may be closed (CallerShares).
    /// Error: kOverloaded.
    core::Result<> open(HttpConnection& connection, std::uint64_t slot, StreamKind kind,
                        const std::string& session, std::optional<std::int64_t> after,
                        Caller caller);
    /// The number of streams of the caller with the most streams.
    std::size_t largest_share() const { return shares_.largest(); }
    /// Closes the newest stream of that caller. Returns false if the caller has only a small share
    /// of a table of `max` places (CallerShares::of_largest).
    bool give_up_largest(std::size_t max);

    /// Takes the engine's page for a stream that is catching up.
    void on_page(std::uint64_t connection, StreamReply reply);
    bool is_open(std::uint64_t connection) const { return clients_.contains(connection); }
    /// Called when the query of a stream failed. Returns the slot if it still needs a reply. A
    /// stream that has begun is closed; its client resumes from the last id.
    std::optional<std::uint64_t> abandon(std::uint64_t connection);

    void publish(const std::vector<storage::StreamEvent>& events);
    /// Called when a session's view changed.
    void publish_progress(const std::string& session);
    void on_writable(HttpConnection& connection);
    void on_closed(std::uint64_t connection);
    /// Sends a comment on quiet streams.
    void keep_alive(Clock::Steady::time_point now);
    /// Ends the streams of a session that was deleted, with a goodbye: the id is free, and a later
    /// session with this id numbers its events from 1 again.
    void session_deleted(const std::string& session);
    /// Ends the streams whose callers have lost their access, with a goodbye.
    void cut(const std::function<bool(const std::string& caller)>& may_stay);
    /// Ends all streams with a goodbye that gives the reason.
    void drain(std::string_view reason = "the daemon is going down");

    std::size_t size() const noexcept { return clients_.size(); }
    /// Bytes of all frames, in the rings or in a connection.
    std::size_t held() const noexcept { return *held_; }
    std::uint64_t frames_sent() const noexcept { return frames_sent_; }
    std::uint64_t lagged() const noexcept { return lagged_; }

private:
    struct Entry {
        std::int64_t id = 0;  ///< position of the event
        Frame frame;
    };
    struct Channel {
        std::deque<Entry> frames;
        std::uint64_t base = 0;  ///< number of frames.front()
        std::uint64_t mark = 0;  ///< end() before the current publication
        std::uint64_t turn = 0;  ///< number of the publication to which `mark` belongs
        std::size_t bytes = 0;
        bool view_asked = false;  ///< for progress: the view was requested
        std::vector<std::uint64_t> clients;
        std::uint64_t end() const { return base + frames.size(); }
    };
    struct Client {
        StreamKind kind = StreamKind::kSession;
        std::string session;
        Caller caller;
        std::uint64_t slot = 0;
        std::int64_t position = 0;  ///< the client has been sent everything up to this position
        std::int64_t oldest = 0;    ///< oldest position that was sent to the client
        std::optional<std::int64_t> after;
        std::uint64_t next_frame = 0;  ///< number of the next frame to send, once live
        bool started = false;          ///< the header and `hello` are sent
        bool live = false;
        bool ended = false;  ///< the last frame is sent
        bool asked = false;  ///< a page was requested
        bool stale = false;  ///< for progress: the document changed while the socket was full
        Clock::Steady::time_point quiet_since;
    };

    void give_up(const CallerShares::Place& place);
    static std::string event_frame(std::int64_t id, const storage::StreamEvent& event);
    Channel& channel_of(const Client& client);
    Frame make_frame(std::string text);
    static std::string start(Client& client, const StreamReply& reply);
    static std::string reset(Client& client, const StreamReply& reply);
    void next_page(std::uint64_t id, Client& client);
    void go_live(std::uint64_t id, Client& client);
    void pump(std::uint64_t id, Client& client);
    void pump_channel(Channel& channel);
    void send_progress(HttpConnection& connection, Client& client);
    void send_text(HttpConnection& connection, Client& client, const std::string& text);
    void cut_lagged(HttpConnection& connection, Client& client);
    void say_last(HttpConnection& connection, Client& client, std::string_view event,
                  std::string_view data);
    void append(Channel& channel, std::int64_t id, const storage::StreamEvent& event);
    void drop_front(Channel& channel);
    void drop_read(Channel& channel);
    void rejoin(std::uint64_t id, Client& client);
    void bound_rings();
    void ask_view(const std::string& session, Channel& channel);

    ViewCache& views_;
    FindConnection find_;
    Ask ask_;
    Time time_;
    std::unordered_map<std::uint64_t, Client> clients_;
    CallerShares shares_;
    std::unordered_map<std::string, Channel> sessions_;
    std::unordered_map<std::string, Channel> progress_;
    Channel all_;
    std::vector<Frame> batch_;    ///< reused, empty between calls
    std::size_t ring_bytes_ = 0;  ///< bytes in all rings
    /// Shared with the frames, because a connection may keep frames longer than this object lives.
    std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);
    std::uint64_t turn_ = 0;  ///< number of publish() calls
    bool rejoined_ = false;   ///< rejoin() was called in this publication
    std::uint64_t frames_sent_ = 0;
    std::uint64_t lagged_ = 0;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "config/settings.hpp"
#include "server/bulk_turns.hpp"
#include "server/clock.hpp"
#include "server/gate.hpp"
#include "server/net.hpp"
#include "server/peer.hpp"
#include "server/request_body.hpp"
#include "server/request_head.hpp"
#include "server/response.hpp"
#include "server/tls.hpp"

namespace headway::server {

class HttpConnection;

/// Text of a stream that several connections send: it is kept once for all of them.
using Frame = std::shared_ptr<const std::string>;

/// A complete request. Views live until the handler returns.
struct HttpRequest {
    const RequestHead& head;
    const Target& target;
    std::string_view body;
    const Peer& peer;
};

/// Who answers requests and owns connections. I/O thread only.
class ConnectionOwner {
public:
    virtual ~ConnectionOwner() = default;

    /// What a connection from `peer` may call us.
    virtual const GateSettings& gate(const Peer& peer) const = 0;
    virtual const config::ServerSettings& limits() const = 0;
    virtual bool draining() const = 0;
    virtual std::string next_request_id() = 0;

    /// Answers `slot` of the connection, now or later, with respond() or begin_stream(). May throw:
    /// the request is then answered 500.
    virtual void on_request(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) = 0;
    /// A refusal that never reached on_request().
    virtual void on_refused(core::ErrorCode code) = 0;
    /// What clients have not read yet, or not sent whole, has grown by so many bytes, or shrunk.
    /// False: it is too much. The owner may cut() some for it, later.
    virtual bool on_held(std::ptrdiff_t change) = 0;
    /// Where long bodies are read, small ones grow large, and handshakes are made.
    virtual BulkTurns& bulk() = 0;
    /// A stream has written all it was given.
    virtual void on_writable(HttpConnection& connection) = 0;
    /// The peer is gone or was cut off; nothing more may be sent. Called once, from the loop: never
    /// while a call of the owner is on the stack, which may hold what this takes away.
    virtual void on_closed(HttpConnection& connection) = 0;
    /// Nothing refers to the connection any more; destroys it.
    virtual void release(HttpConnection& connection) = 0;
};

/// One client: reads requests, also pipelined ones, from a small buffer, hands each to the owner
/// once it is complete and has passed the gate, and writes the replies in order with one system
/// call where the socket takes them. Deadlines are checked by the owner's one timer for all
/// connections. I/O thread only; destroyed by release() when the last asynchronous operation has
/// returned.
class HttpConnection {
public:
    /// `tls` is null for a connection that is not encrypted.
    HttpConnection(Socket socket, const Peer& peer, std::unique_ptr<TlsStream> tls,
                   std::uint64_t id, ConnectionOwner& owner);

    void start();
    std::uint64_t id() const noexcept { return id_; }

    /// Puts the reply in its place; it leaves with the next flush().
    void respond(std::uint64_t slot, const Response& response);
    /// What the request of `slot` asked for, without its query; empty once it is answered.
    std::string_view path(std::uint64_t slot) const noexcept;
    /// Writes what is ready and goes on reading.
    void flush();

    /// Turns the connection into a stream, when `slot` is the oldest unanswered request; false
    /// otherwise.
    bool begin_stream(std::uint64_t slot);
    bool streaming() const noexcept { return streaming_; }
    /// Nothing waits to be written, so that stream() may be called.
    bool writable() const noexcept { return out_.empty() && !frame_ && !closed_; }
    /// Sends as many of the frames as the socket takes, with one call; how many that were. Of the
    /// last of them a part may still have to be written. Precondition: writable().
    std::size_t stream(std::span<const Frame> frames);
    /// Sends text behind whatever waits already.
    void append_stream(std::string_view text);
    /// Closes once everything is written.
    void finish_stream();

    /// Closes what has overstayed. `now` is the wheel's.
    void check_deadline(Clock::Steady::time_point now);
    /// Drain: closes at once when idle, else after the replies in flight.
    void drain();
    void close();
    /// Bytes that are kept for this client, a shared frame as if it were its own.
    std::size_t unread() const noexcept { return held_ + (frame_ ? frame_->size() : 0); }

private:
    struct Slot {
        std::uint64_t number = 0;
        bool ready = false;
        bool keep_alive = true;
        bool head_only = false;
        bool http_1_0 = false;
        Clock::Steady::time_point started;
        std::string request_id;
        std::string path;
        const Deprecation* deprecation = nullptr;
        std::string text;  ///< the reply, when an older one is still to come
    };
    enum class Phase : std::uint8_t { kIdle, kHead, kBody, kWriting, kStreaming, kLeaving };

    void read();
    void read_bulk(net::mutable_buffer space);
    void decrypt(net::mutable_buffer space, bool into_body);
    void decrypt_in_turn(net::mutable_buffer space, bool into_body);
    void received(error_code ec, std::size_t count, bool into_body);
    void on_read(error_code ec);
    void consume();
    bool consume_one();
    bool read_head();
    bool admit_head();
    bool begin_body(std::string_view here);
    bool end_body();
    bool take(std::string_view body, std::size_t used);
    void inflate_in_turn(std::string_view packed, std::size_t used);
    void inflate(std::string_view packed, std::size_t used);
    void refuse_body(core::Error error);
    void dispatch(std::string_view body);
    void finish(std::size_t used);
    void refuse(const core::Error& error);
    Slot& open_slot(const RequestHead* head);
    void collect();
    void render(Slot& slot, const Response& response, std::string& out);
    void write();
    bool note_held();
    bool send_waiting();
    void await_room();
    std::size_t send_frames(std::span<const Frame> frames, error_code& ec);
    void ignore_input();
    std::size_t send(net::const_buffer bytes, error_code& ec);
    void on_write(error_code ec);
    void set_phase(Phase phase);
    bool last_before_the_drain() const;
    void make_room();
    void skip(std::size_t used);
    void leave();
    void operation_done();

    Socket socket_;
    Peer peer_;
    std::unique_ptr<TlsStream> tls_;  ///< null: plain
    std::uint64_t id_;
    ConnectionOwner& owner_;

    std::unique_ptr<char[]> buffer_;  ///< unread bytes are [begin_, end_)
    std::size_t capacity_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;

    std::optional<RequestHead> head_;  ///< complete, its body is not
    std::optional<Target> target_;
    RequestBody body_;
    bool in_body_ = false;    ///< body bytes go to body_ instead of the buffer
    bool inflating_ = false;  ///< a whole body waits for its turn
    bool owes_continue_ = false;

    std::vector<Slot> slots_;  ///< requests without a reply on the wire, oldest first
    std::uint64_t next_slot_ = 1;
    std::uint64_t stream_slot_ = 0;  ///< asks for a stream, behind which nothing is read; 0: none
    Frame frame_;                    ///< goes out before out_
    std::size_t frame_written_ = 0;
    std::string out_;
    std::size_t written_ = 0;
    std::size_t early_ = 0;  ///< bytes of replies in slots_, which wait for an older one
    std::size_t held_ = 0;   ///< as the owner was told: unread replies, what there is of a body

    Phase phase_ = Phase::kIdle;
    Clock::Steady::time_point deadline_;
    int operations_ = 0;
    bool reading_ = false;
    bool writing_ = false;
    bool closing_ = false;  ///< no more requests; closes when everything is written
    bool streaming_ = false;
    bool closed_ = false;
};

}  // namespace headway::server

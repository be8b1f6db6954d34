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
#include "server/http/request_body.hpp"
#include "server/request_head.hpp"
#include "server/response.hpp"
#include "server/tls.hpp"

namespace headway::server {

class HttpConnection;

/// Text of a stream, stored once for all connections that send it.
using Frame = std::shared_ptr<const std::string>;

/// A complete request. Views are valid until the handler returns.
struct HttpRequest {
    const RequestHead& head;
    const Target& target;
    std::string_view body;
    const Peer& peer;
};

/// Answers requests and owns connections. I/O thread only.
class ConnectionOwner {
public:
    virtual ~ConnectionOwner() = default;

    /// The host names that a connection from `peer` may use.
    virtual const GateSettings& gate(const Peer& peer) const = 0;
    virtual const config::ServerSettings& limits() const = 0;
    virtual bool draining() const = 0;
    virtual std::string next_request_id() = 0;

    /// Answers `slot` of the connection, now or later, with respond() or begin_stream(). May throw:
    /// the request is then answered 500.
    virtual void on_request(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) = 0;
    /// A request was refused before on_request().
    virtual void on_refused(core::ErrorCode code) = 0;
    /// The bytes of unread replies and unfinished bodies changed by `change`. False: the total is
    /// too high; the owner may cut() connections later.
    virtual bool on_held(std::ptrdiff_t change) = 0;
    /// The queue for long bodies, inflation and handshakes.
    virtual BulkTurns& bulk() = 0;
    /// A stream has written all its data.
    virtual void on_writable(HttpConnection& connection) = 0;
    /// The peer is gone or was cut off; nothing more may be sent. Called once, and only from the
    /// loop: a call of the owner that is on the stack may still use what this releases.
    virtual void on_closed(HttpConnection& connection) = 0;
    /// Destroys the connection, to which nothing refers any more.
    virtual void release(HttpConnection& connection) = 0;
};

/// One client connection. Reads requests, also pipelined ones, from a small buffer, passes each
/// complete one that the gate accepts to the owner, and writes the replies in order, with one
/// system call where the socket takes them. The owner's one timer checks the deadlines of all
/// connections. I/O thread only; destroyed by release() when the last asynchronous operation has
/// returned.
class HttpConnection {
public:
    /// `tls` is null for a connection that is not encrypted.
    HttpConnection(Socket socket, const Peer& peer, std::unique_ptr<TlsStream> tls,
                   std::uint64_t id, ConnectionOwner& owner);

    void start();
    std::uint64_t id() const noexcept { return id_; }

    /// Sets the reply of a slot; the next flush() sends it.
    void respond(std::uint64_t slot, const Response& response);
    /// The path of the request of `slot`, without its query; empty once it is answered.
    std::string_view path(std::uint64_t slot) const noexcept;
    /// Writes what is ready and continues to read.
    void flush();

    /// Turns the connection into a stream, when `slot` is the oldest unanswered request; false
    /// otherwise.
    bool begin_stream(std::uint64_t slot);
    bool streaming() const noexcept { return streaming_; }
    /// True if nothing waits to be written, so that stream() may be called.
    bool writable() const noexcept { return out_.empty() && !frame_ && !closed_; }
    /// Sends as many frames as the socket takes with one call and returns their number. The last
    /// one may be sent in part; the rest of it follows. Precondition: writable().
    std::size_t stream(std::span<const Frame> frames);
    /// Sends text after what already waits.
    void append_stream(std::string_view text);
    /// Closes once everything is written.
    void finish_stream();

    /// Closes the connection if its deadline has passed. `now` is the wheel's.
    void check_deadline(Clock::Steady::time_point now);
    /// Drain: closes at once when idle, else after the replies in flight.
    void drain();
    void close();
    /// Bytes held for this client, including a shared frame.
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
        std::string text;  ///< the reply, while an older one is missing
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
    bool inflating_ = false;  ///< a whole body waits to be inflated
    bool owes_continue_ = false;

    std::vector<Slot> slots_;  ///< requests without a reply on the wire, oldest first
    std::uint64_t next_slot_ = 1;
    std::uint64_t stream_slot_ = 0;  ///< asked for a stream, after which nothing is read; 0: none
    Frame frame_;                    ///< goes out before out_
    std::size_t frame_written_ = 0;
    std::string out_;
    std::size_t written_ = 0;
    std::size_t early_ = 0;  ///< bytes of replies in slots_ that wait for an older one
    /// as reported to the owner: unread replies and the received part of a body
    std::size_t held_ = 0;

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

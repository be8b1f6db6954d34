// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "server/http/connection/connection_owner.hpp"
#include "server/http/connection/reply_writer.hpp"
#include "server/http/connection/transport.hpp"
#include "server/http/message/request_reader.hpp"
#include "server/http/message/response.hpp"
#include "server/http/sockets/net.hpp"
#include "server/http/sockets/peer.hpp"
#include "server/http/sockets/tls.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// One client connection. It moves bytes from the socket to a RequestReader, and from a ReplyWriter
/// to the socket with one system call for all bytes that are ready. It also keeps its deadlines,
/// which a timer of the owner checks. I/O thread only; release() destroys it when the last
/// asynchronous operation has returned.
class HttpConnection final : private Transport::User {
public:
    /// `tls` is null for an unencrypted connection.
    HttpConnection(Socket socket, const Peer& peer, std::unique_ptr<TlsStream> tls,
                   std::uint64_t id, ConnectionOwner& owner);

    void start();
    std::uint64_t id() const noexcept { return id_; }

    /// Sets the reply of a slot; the next flush() sends it.
    void respond(std::uint64_t slot, const Response& response);
    /// Keeps the request of on_request() valid until let_go(). Until then, no further request is
    /// read, and another thread may use this request. The connection lives at least until let_go(),
    /// even if its peer is gone.
    void keep_request();
    void let_go();
    /// The path of the request in `slot`, without its query; empty once the request is answered.
    std::string_view path(std::uint64_t slot) const noexcept { return writer_.path(slot); }
    /// Returns the last pidfd that the client of the report socket sent; it then belongs to the
    /// caller. According to the client, it refers to the agent's process. On other connections, the
    /// result is invalid.
    system::FileDescriptor take_agent_process() noexcept { return transport_.take_passed(); }
    /// Writes ready replies and continues to read.
    void flush();

    /// Turns the connection into a stream if `slot` is the oldest unanswered request; otherwise
    /// returns false.
    bool begin_stream(std::uint64_t slot, StreamBody body = StreamBody::kEvents);
    bool streaming() const noexcept { return writer_.streaming(); }
    /// True if the peer has ended sending. The peer still gets the replies to its requests; then
    /// its stream ends.
    bool peer_ended() const noexcept { return state_ == State::kPeerEnded; }
    /// True if nothing waits to be written, so that stream() may be called.
    bool writable() const noexcept { return writer_.empty() && state_ != State::kClosed; }
    /// Sends as many frames as the socket takes in one call, and returns their number. If the last
    /// frame was sent only in part, the rest follows later. Precondition: writable().
    std::size_t stream(std::span<const Frame> frames);
    /// Sends text after the bytes that already wait.
    void append_stream(std::string_view text);
    /// Closes the connection once everything is written.
    void finish_stream();

    /// Closes the connection if its deadline has passed. `now` is the time of the owner's timer.
    void check_deadline(Clock::Steady::time_point now);
    /// Closes the connection for a drain: at once if it is idle, else after the replies in flight.
    void drain();
    /// Closes the connection if it only waits for a request, or for the rest of a request's head,
    /// and is not on the operator's socket. Returns false if the connection stays open.
    bool give_way();
    /// True if the connection may be closed after one reply: exactly one request is unanswered,
    /// nothing else is pending, and the connection is not on the operator's socket.
    bool gives_way_after_reply() const;
    /// True if the connection has received a request.
    bool served() const noexcept { return served_; }
    void close();
    /// Number of bytes held for this client, including a shared frame.
    std::size_t unread() const noexcept { return held_ + writer_.frame_bytes(); }

private:
    enum class State : std::uint8_t {
        kOpen,
        kPeerEnded,  ///< the peer has ended sending; replies to its requests are still sent
        kLeaving,    ///< everything is sent; the peer has yet to close
        kClosed,
    };
    /// The part of a request that the peer must send in time.
    enum class Wait : std::uint8_t { kNothing, kRequest, kHead, kBody };

    void on_received(const error_code& ec, std::size_t count) override;
    void on_room(const error_code& ec) override;
    void take(const error_code& ec);
    void read();
    bool wants_bytes() const;
    void consume();
    RequestReader::Step admitted(RequestReader::Step step);
    void handle(RequestReader::Step step);
    void dispatch();
    void refuse();
    std::uint64_t open_slot(const RequestHead* head, const Endpoint* endpoint);
    void inflate_in_turn();
    void write();
    bool note_held();
    void leave();
    bool last_before_the_drain() const;
    Wait awaited() const;
    void watch();
    void operation_done();

    Transport transport_;
    Peer peer_;
    std::uint64_t id_;
    ConnectionOwner& owner_;
    RequestReader reader_;
    ReplyWriter writer_;
    std::size_t held_ = 0;  ///< bytes held, as reported to the owner
    int operations_ = 0;
    bool kept_ = false;
    bool admitted_ = false;  ///< admit() has accepted the request whose body is being read
    bool served_ = false;
    State state_ = State::kOpen;
    Wait wait_ = Wait::kRequest;
    Clock::Steady::time_point read_deadline_;
    /// The time by which the peer must have read the sent bytes, or have closed the connection.
    Clock::Steady::time_point write_deadline_ = Clock::Steady::time_point::max();
};

}  // namespace headway::server

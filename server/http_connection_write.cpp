// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <utility>

#include "core/assert.hpp"
#include "core/limits.hpp"
#include "server/http_connection.hpp"

// The writing half of a connection: replies in order, streams, deadlines, the end.

namespace headway::server {
namespace {

using core::ErrorCode;

/// How long a peer may take to close after our FIN.
constexpr std::chrono::seconds kLeaveTimeout{2};
constexpr std::size_t kIdleBytesMax = 16'384;  // of the buffer of an idle connection
constexpr std::size_t kPiecesMax = 64;         // below IOV_MAX; more is not faster
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

void HttpConnection::respond(std::uint64_t number, const Response& response) {
    if (closed_) return;
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [number](const Slot& s) { return s.number == number; });
    if (slot == slots_.end()) return;
    if (number == stream_slot_) stream_slot_ = 0;  // it was refused
    if (slots_.size() == 1 && last_before_the_drain()) slot->keep_alive = false;
    if (response.close || !slot->keep_alive) closing_ = true;
    slot->ready = true;
    if (slot == slots_.begin()) {
        render(*slot, response, out_);
        slots_.erase(slot);
        collect();
    } else {
        render(*slot, response, slot->text);
        early_ += slot->text.size();
    }
}

/// Moves ready replies to the output, in order.
void HttpConnection::collect() {
    while (!slots_.empty() && slots_.front().ready) {
        out_.append(slots_.front().text);
        early_ -= slots_.front().text.size();
        slots_.erase(slots_.begin());
    }
    if (slots_.empty() && std::exchange(owes_continue_, false)) out_.append(kContinue);
}

void HttpConnection::render(Slot& slot, const Response& response, std::string& out) {
    Envelope envelope;
    envelope.request_id = slot.request_id;
    envelope.microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::steady() - slot.started)
            .count());
    envelope.keep_alive = slot.keep_alive && !response.close;
    envelope.say_keep_alive = slot.http_1_0;
    envelope.head_only = slot.head_only;
    envelope.deprecation = slot.deprecation;
    append_response(out, response, envelope);
}

void HttpConnection::flush() {
    if (closed_) return;
    write();
    if (closed_) return;
    if (!streaming_ && !closing_ && begin_ != end_ && !in_body_ && !inflating_ &&
        slots_.size() < core::limits::kPipelinedMax && !reading_ && head_ == std::nullopt) {
        consume();  // requests that waited for room
        write();
    }
    read();
}

/// Reports the bytes held for this client to the owner; false when the total is too high. A body
/// counts as long as it has memory: it may wait to be inflated, or be given up while the socket
/// still reads into it.
bool HttpConnection::note_held() {
    const std::size_t held = (out_.empty() ? 0 : out_.capacity()) + early_ + body_.held();
    if (held == held_) return true;
    const auto change = static_cast<std::ptrdiff_t>(held) - static_cast<std::ptrdiff_t>(held_);
    held_ = held;
    return owner_.on_held(change) || change < 0;
}

/// False when the peer is gone.
bool HttpConnection::send_waiting() {
    error_code ec;
    if (frame_) {
        const net::const_buffer rest = net::buffer(*frame_) + frame_written_;
        frame_written_ += send(rest, ec);
        if (frame_written_ == frame_->size()) {
            frame_.reset();
            frame_written_ = 0;
        }
    }
    if (!frame_ && !ec && !out_.empty()) {
        written_ += send(net::buffer(out_) + written_, ec);
        if (written_ >= out_.size() / 2 && written_ < out_.size()) {
            out_.erase(0, written_);  // frees what is written before the rest is
            written_ = 0;
        }
    }
    return !ec || ec == net::error::would_block || ec == net::error::try_again;
}

void HttpConnection::await_room() {
    if (phase_ != Phase::kLeaving) set_phase(streaming_ ? Phase::kStreaming : Phase::kWriting);
    writing_ = true;
    ++operations_;
    socket_.async_wait(Socket::wait_write, [this](error_code ec) {
        writing_ = false;
        on_write(ec);
        operation_done();
    });
}

void HttpConnection::write() {
    if (closed_) return;
    if (writing_) {
        note_held();
        return;
    }
    if (!send_waiting()) {
        close();
        return;
    }
    if (frame_ || written_ < out_.size()) {
        note_held();
        await_room();
        return;
    }
    out_.clear();
    written_ = 0;
    if (out_.capacity() > kIdleBytesMax) out_.shrink_to_fit();
    note_held();
    if (slots_.empty() && (closing_ || (!streaming_ && last_before_the_drain()))) {
        leave();
    } else if (slots_.empty() && phase_ == Phase::kWriting) {
        set_phase(Phase::kIdle);
    }
}

/// Sends as much as the socket takes; would_block when it takes no more.
std::size_t HttpConnection::send(net::const_buffer bytes, error_code& ec) {
    if (!tls_) return socket_.write_some(bytes, ec);
    std::size_t sent = 0;
    while (sent < bytes.size()) {  // one record at a time
        const net::const_buffer rest = bytes + sent;
        const TlsStream::Io io = tls_->write(rest.data(), rest.size());
        sent += io.count;
        if (io.status == TlsStream::Status::kDone) continue;
        const bool full = io.status == TlsStream::Status::kWantWrite;
        ec = full ? net::error::would_block : net::error::connection_reset;
        break;
    }
    return sent;
}

/// Shuts down sending and waits for the peer's end: closing with unread input would reset the
/// connection and could lose the reply.
void HttpConnection::leave() {
    if (streaming_ || phase_ == Phase::kLeaving) {
        close();
        return;
    }
    error_code ignored;
    if (tls_) tls_->say_goodbye();
    socket_.shutdown(Socket::shutdown_send, ignored);
    in_body_ = false;
    begin_ = end_ = 0;
    set_phase(Phase::kLeaving);
    read();
}

void HttpConnection::on_write(error_code ec) {
    if (closed_) return;
    if (ec) {
        close();
        return;
    }
    if (!streaming_) {
        flush();
        return;
    }
    write();
    if (writable()) owner_.on_writable(*this);
}

bool HttpConnection::begin_stream(std::uint64_t number) {
    if (closed_ || slots_.empty() || slots_.front().number != number || slots_.size() > 1) {
        return false;
    }
    Envelope envelope;
    envelope.request_id = slots_.front().request_id;
    envelope.deprecation = slots_.front().deprecation;
    append_stream_header(out_, envelope);
    slots_.clear();
    streaming_ = true;
    stream_slot_ = 0;
    const std::string_view behind{buffer_.get() + begin_, end_ - begin_};
    // a next request never gets a reply
    closing_ = behind.find_first_not_of("\r\n") != behind.npos;
    begin_ = end_ = 0;
    set_phase(Phase::kStreaming);
    write();
    if (!closed_) read();
    return !closed_;
}

std::size_t HttpConnection::stream(std::span<const Frame> frames) {
    HEADWAY_ASSERT(writable() && streaming_);
    error_code ec;
    std::size_t sent = send_frames(frames, ec);
    if (ec && ec != net::error::would_block && ec != net::error::try_again) {
        close();
        return 0;
    }
    std::size_t taken = 0;
    while (taken < frames.size() && sent >= frames[taken]->size())
        sent -= frames[taken++]->size();
    if (taken < frames.size()) {
        frame_ = frames[taken++];
        frame_written_ = sent;
    }
    write();
    return taken;
}

/// Sends frames; returns the number of bytes that the socket took.
std::size_t HttpConnection::send_frames(std::span<const Frame> frames, error_code& ec) {
    std::size_t sent = 0;
    if (tls_) {
        for (const Frame& frame : frames) {
            sent += send(net::buffer(*frame), ec);
            if (ec) break;
        }
        return sent;
    }
    std::array<net::const_buffer, kPiecesMax> pieces;
    const std::size_t count = std::min(frames.size(), pieces.size());
    for (std::size_t i = 0; i < count; ++i)
        pieces[i] = net::buffer(*frames[i]);
    return socket_.write_some(std::span{pieces}.first(count), ec);
}

void HttpConnection::append_stream(std::string_view text) {
    if (closed_) return;
    out_.append(text);
    write();
}

void HttpConnection::finish_stream() {
    closing_ = true;
    if (writable()) close();
}

void HttpConnection::set_phase(Phase phase) {
    phase_ = phase;
    const config::ServerSettings& settings = owner_.limits();
    const auto now = Clock::coarse();
    switch (phase) {
        case Phase::kIdle:
            deadline_ = now + settings.idle_timeout;
            return;
        case Phase::kHead:
            deadline_ = now + settings.header_timeout;
            return;
        case Phase::kBody:
            deadline_ = now + settings.body_timeout;
            return;
        case Phase::kLeaving:
            deadline_ = now + kLeaveTimeout;
            return;
        case Phase::kWriting:
        case Phase::kStreaming:
            deadline_ = now + settings.write_timeout;
            return;
    }
}

void HttpConnection::check_deadline(Clock::Steady::time_point now) {
    if (closed_ || now < deadline_) return;
    switch (phase_) {
        case Phase::kIdle:
        case Phase::kLeaving:
            close();
            return;
        case Phase::kHead:
        case Phase::kBody:
            in_body_ = false;
            head_.reset();
            refuse({ErrorCode::kRequestTimeout, "the request did not arrive in time", {}});
            flush();
            return;
        case Phase::kWriting:
        case Phase::kStreaming:
            // Only unread bytes are the client's delay, not the time of a long poll.
            if (frame_ || written_ < out_.size()) close();
            return;
    }
}

/// True in a drain if no further request has begun to arrive: the pending reply is the last one.
bool HttpConnection::last_before_the_drain() const {
    return owner_.draining() && !head_ && begin_ == end_;
}

void HttpConnection::drain() {
    // Others close after their pending reply: see last_before_the_drain().
    const bool idle = slots_.empty() && writable() && !head_ && begin_ == end_;
    if (!closed_ && !streaming_ && idle) close();
}

void HttpConnection::close() {
    if (closed_) return;
    closed_ = true;
    if (held_ > 0) owner_.on_held(-static_cast<std::ptrdiff_t>(std::exchange(held_, 0)));
    ++operations_;  // keeps us alive through the calls below
    error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
    frame_.reset();
    std::string{}.swap(out_);       // assigning an empty one would keep the memory
    if (inflating_) body_.clear();  // not while a read still uses the memory
    // Posted, because a caller on the stack may still use what on_closed() releases.
    net::post(socket_.get_executor(), [this] {
        owner_.on_closed(*this);
        operation_done();
    });
}

void HttpConnection::operation_done() {
    if (--operations_ == 0 && closed_) owner_.release(*this);
}

}  // namespace headway::server

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "core/assert.hpp"
#include "core/limits.hpp"
#include "server/http_connection.hpp"

// The writing half of a connection: replies in order, streams, deadlines, the end.

namespace headway::server {
namespace {

using core::ErrorCode;

/// How long a peer that was told goodbye may take to say so too.
constexpr std::chrono::seconds kLeaveTimeout{2};

}  // namespace

void HttpConnection::respond(std::uint64_t number, const Response& response) {
    if (closed_) return;
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [number](const Slot& s) { return s.number == number; });
    if (slot == slots_.end()) return;
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

/// Moves replies that were waiting for an older one.
void HttpConnection::collect() {
    while (!slots_.empty() && slots_.front().ready) {
        out_.append(slots_.front().text);
        early_ -= slots_.front().text.size();
        slots_.erase(slots_.begin());
    }
}

void HttpConnection::render(Slot& slot, const Response& response, std::string& out) {
    Envelope envelope;
    envelope.request_id = slot.request_id;
    envelope.microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::steady() - slot.started)
            .count());
    envelope.keep_alive = slot.keep_alive;
    envelope.head_only = slot.head_only;
    envelope.deprecation = slot.deprecation;
    append_response(out, response, envelope);
}

void HttpConnection::flush() {
    if (closed_) return;
    write();
    if (closed_) return;
    if (!streaming_ && !closing_ && begin_ != end_ && !in_body_ &&
        slots_.size() < core::limits::kPipelinedMax && !reading_ && head_ == std::nullopt) {
        consume();  // requests that waited for room
        write();
    }
    read();
}

/// Tells the owner what we hold for the client; false when that is too much over all clients.
bool HttpConnection::note_held() {
    const std::size_t held = out_.size() - written_ + early_ + (in_body_ ? body_.size() : 0);
    if (held == held_) return true;
    const auto change = static_cast<std::ptrdiff_t>(held) - static_cast<std::ptrdiff_t>(held_);
    held_ = held;
    return owner_.on_held(change) || change < 0;
}

/// False when the clients together leave too much unread, and this one more than its share: it must
/// be cut.
bool HttpConnection::affordable() {
    return note_held() || held_ < core::limits::kUnreadFairBytes;
}

void HttpConnection::write() {
    if (closed_) return;
    if (writing_) {
        if (!affordable()) cut();
        return;
    }
    if (!out_.empty()) {
        error_code ec;
        written_ += send(net::buffer(out_.data() + written_, out_.size() - written_), ec);
        if (ec && ec != net::error::would_block && ec != net::error::try_again) {
            close();
            return;
        }
    }
    if (!affordable()) {
        cut();
        return;
    }
    if (written_ < out_.size()) {
        if (phase_ != Phase::kLeaving) {
            set_phase(streaming_ ? Phase::kStreaming : Phase::kWriting);
        }
        writing_ = true;
        ++operations_;
        socket_.async_wait(Socket::wait_write, [this](error_code ec) {
            writing_ = false;
            on_write(ec);
            operation_done();
        });
        return;
    }
    out_.clear();
    written_ = 0;
    if (out_.capacity() > 65'536) out_.shrink_to_fit();
    if (slots_.empty() && (closing_ || (!streaming_ && last_before_the_drain()))) {
        leave();
    } else if (slots_.empty() && phase_ == Phase::kWriting) {
        set_phase(Phase::kIdle);
    }
}

/// As much as the socket takes; would_block when it takes no more.
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

/// Says goodbye and waits for the peer's: closing with unread input would reset the connection, and
/// the reply with it.
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
    closing_ = false;
    begin_ = end_ = 0;
    set_phase(Phase::kStreaming);
    write();
    if (!closed_) read();
    return !closed_;
}

void HttpConnection::stream(std::span<const net::const_buffer> pieces) {
    HEADWAY_ASSERT(writable() && streaming_);
    error_code ec;
    std::size_t sent = tls_ ? 0 : socket_.write_some(pieces, ec);
    if (ec && ec != net::error::would_block && ec != net::error::try_again) {
        close();
        return;
    }
    for (const net::const_buffer& piece : pieces) {
        const std::size_t skip = std::min(sent, piece.size());
        sent -= skip;
        out_.append(static_cast<const char*>(piece.data()) + skip, piece.size() - skip);
    }
    write();
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
            // Time spent by us, as in a long poll, is not the client's; only unread bytes are.
            if (written_ < out_.size()) close();
            return;
    }
}

/// Draining, and no further request has begun to arrive: the reply that is owed is the last one.
bool HttpConnection::last_before_the_drain() const {
    return owner_.draining() && !head_ && begin_ == end_;
}

void HttpConnection::drain() {
    // Any other closes after the reply it is owed: see last_before_the_drain().
    const bool idle = slots_.empty() && out_.empty() && !head_ && begin_ == end_;
    if (!closed_ && !streaming_ && idle) close();
}

void HttpConnection::cut() {
    owner_.on_cut();
    close();
}

void HttpConnection::close() {
    if (closed_) return;
    closed_ = true;
    if (held_ > 0) owner_.on_held(-static_cast<std::ptrdiff_t>(std::exchange(held_, 0)));
    ++operations_;  // keeps us alive through the calls below
    error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
    owner_.on_closed(*this);
    net::post(socket_.get_executor(), [this] { operation_done(); });
}

void HttpConnection::operation_done() {
    if (--operations_ == 0 && closed_) owner_.release(*this);
}

}  // namespace headway::server

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
    }
}

/// Moves replies that were waiting for an older one.
void HttpConnection::collect() {
    while (!slots_.empty() && slots_.front().ready) {
        out_.append(slots_.front().text);
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

void HttpConnection::write() {
    if (writing_ || closed_) return;
    if (!out_.empty()) {
        error_code ec;
        written_ +=
            socket_.write_some(net::buffer(out_.data() + written_, out_.size() - written_), ec);
        if (ec && ec != net::error::would_block && ec != net::error::try_again) {
            close();
            return;
        }
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

/// Says goodbye and waits for the peer's: closing with unread input would reset the connection, and
/// the reply with it.
void HttpConnection::leave() {
    if (streaming_ || phase_ == Phase::kLeaving) {
        close();
        return;
    }
    error_code ignored;
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
    std::size_t sent = socket_.write_some(pieces, ec);
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

void HttpConnection::close() {
    if (closed_) return;
    closed_ = true;
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

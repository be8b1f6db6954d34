// SPDX-License-Identifier: Apache-2.0
#include "server/http_connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>
#include <new>
#include <utility>

#include "core/assert.hpp"
#include "core/limits.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;
using core::Error;
using core::ErrorCode;

constexpr std::size_t kHeadBufferMax = limits::kHeaderBytesMax + 16;  // with leading empty lines
// Longer bodies are read by BulkTurns.
constexpr std::size_t kBulkBytesMin = 65'536;

}  // namespace

HttpConnection::HttpConnection(Socket socket, const Peer& peer, std::unique_ptr<TlsStream> tls,
                               std::uint64_t id, ConnectionOwner& owner)
    : socket_(std::move(socket)),
      peer_(peer),
      tls_(std::move(tls)),
      id_(id),
      owner_(owner),
      buffer_(std::make_unique<char[]>(limits::kReadBufferBytes)),
      capacity_(limits::kReadBufferBytes) {
    set_phase(Phase::kIdle);
}

void HttpConnection::start() {
    error_code ignored;
    socket_.non_blocking(true, ignored);
    if (!peer_.local) socket_.set_option(net::ip::tcp::no_delay(true), ignored);
    // A handshake has the same time limit as a header.
    if (tls_) deadline_ = Clock::coarse() + owner_.limits().header_timeout;
    read();
}

void HttpConnection::read() {
    const bool full = slots_.size() >= limits::kPipelinedMax ||
                      out_.size() - written_ >= limits::kWriteBufferBytesMax;
    const bool leaving = phase_ == Phase::kLeaving && slots_.empty();
    if (reading_ || inflating_ || closed_ || (closing_ && !streaming_ && !leaving) || full) return;
    if (stream_slot_ != 0 && begin_ != end_) return;  // later requests wait for its reply
    net::mutable_buffer space;
    if (in_body_) {
        const std::span<char> room = body_.room();
        space = net::buffer(room.data(), room.size());
        if (!note_held()) {
            refuse_body(
                {ErrorCode::kOverloaded, "too many large bodies are under way; send it again", {}});
            write();
            return;
        }
    } else {
        make_room();
        space = net::buffer(buffer_.get() + end_, capacity_ - end_);
    }
    reading_ = true;
    ++operations_;
    if (in_body_ && body_.wire_bytes() >= kBulkBytesMin) {
        read_bulk(space);
    } else if (tls_) {
        decrypt(space, in_body_);
    } else {
        socket_.async_read_some(space,
                                [this, into_body = in_body_](error_code ec, std::size_t count) {
                                    received(ec, count, into_body);
                                });
    }
}

/// read() for TLS, which may hold decrypted bytes that the socket has no more.
void HttpConnection::decrypt(net::mutable_buffer space, bool into_body) {
    const TlsStream::Io io = tls_->read(space.data(), space.size());
    const bool to_write = io.status == TlsStream::Status::kWantWrite;
    if (to_write || io.status == TlsStream::Status::kWantRead) {
        socket_.async_wait(to_write ? Socket::wait_write : Socket::wait_read,
                           [this, space, into_body](error_code ec) {
                               if (ec || closed_) {
                                   received(net::error::operation_aborted, 0, into_body);
                               } else if (tls_->established()) {
                                   decrypt(space, into_body);
                               } else {  // a handshake step may take milliseconds
                                   decrypt_in_turn(space, into_body);
                               }
                           });
        return;
    }
    error_code ec;
    if (io.status == TlsStream::Status::kEnded) ec = net::error::eof;
    if (io.status == TlsStream::Status::kFailed) ec = net::error::connection_reset;
    // Posted, as Asio does: a client that always has more data must not overflow the stack.
    net::post(socket_.get_executor(),
              [this, ec, count = io.count, into_body] { received(ec, count, into_body); });
}

void HttpConnection::received(error_code ec, std::size_t count, bool into_body) {
    reading_ = false;
    if (into_body && in_body_) {
        body_.received(count);
    } else if (into_body) {  // the body was given up meanwhile: frees its memory
        body_.clear();
        if (!closed_) note_held();
    } else {
        end_ += count;
    }
    on_read(ec);
    operation_done();
}

void HttpConnection::on_read(error_code ec) {
    if (closed_) return;
    if (ec == net::error::eof && !streaming_ && !slots_.empty() && phase_ != Phase::kLeaving) {
        // The peer may have closed one half only: pending requests are still answered for a while.
        closing_ = true;
        set_phase(Phase::kLeaving);
        return;
    }
    if (ec) {
        close();
        return;
    }
    if (streaming_ || phase_ == Phase::kLeaving) {
        ignore_input();
        return;
    }
    consume();
    flush();
}

/// Takes no more requests and only reads to notice the end. A request after a stream would wait
/// without end, so it closes the stream.
void HttpConnection::ignore_input() {
    const std::string_view input{buffer_.get() + begin_, end_ - begin_};
    const bool request = streaming_ && input.find_first_not_of("\r\n") != input.npos;
    begin_ = end_ = 0;
    if (request) finish_stream();
    read();
}

/// Handles all complete requests of the buffer.
void HttpConnection::consume() {
    while (!closing_ && !closed_ && !streaming_ && !inflating_ && stream_slot_ == 0 &&
           slots_.size() < limits::kPipelinedMax) {
        if (!consume_one()) return;
    }
}

/// False when more bytes are needed, or no more requests are taken.
bool HttpConnection::consume_one() {
    if (!head_ && !read_head()) return false;
    if (!head_) return true;  // refused, and skipped
    if (in_body_) return body_.status() != RequestBody::Status::kNeedMore && end_body();
    const std::string_view here{buffer_.get() + begin_ + head_->bytes,
                                end_ - begin_ - head_->bytes};
    const auto length = static_cast<std::size_t>(head_->content_length.value_or(0));
    if (head_->chunked || here.size() < length) return begin_body(here);
    return take(here.substr(0, length), head_->bytes + length);
}

bool HttpConnection::read_head() {
    if (begin_ == end_) {
        if (slots_.empty()) set_phase(Phase::kIdle);
        return false;
    }
    RequestHead head;
    Error error;
    switch (parse_head({buffer_.get() + begin_, end_ - begin_}, head, error)) {
        case HeadStatus::kNeedMore:
            if (phase_ != Phase::kHead) set_phase(Phase::kHead);
            return false;
        case HeadStatus::kMalformed:
            refuse(error);
            return false;
        case HeadStatus::kComplete:
            break;
    }
    head_ = head;
    return admit_head();
}

/// Checks the head by gate and route, before the body is read.
bool HttpConnection::admit_head() {
    strip_authority(*head_, owner_.gate(peer_));
    core::Result<> fits = check_head(*head_, owner_.gate(peer_));
    if (fits) {
        auto target = match(head_->method, head_->target);
        fits = target ? check_body(*head_, target->endpoint->body) : core::Result<>{target.error()};
        if (fits) {
            target_ = *std::move(target);
            return true;
        }
    }
    // A refusal that keeps the framing intact skips a short body that is already in the buffer.
    const auto length = static_cast<std::size_t>(head_->content_length.value_or(0));
    const bool here = !head_->chunked && length <= end_ - begin_ - head_->bytes;
    const std::size_t used = head_->bytes + length;
    if (breaks_framing(fits.error().code) || !here) {
        closing_ = true;
        refuse(fits.error());
        return false;
    }
    refuse(fits.error());
    head_.reset();
    skip(used);
    return true;
}

void HttpConnection::skip(std::size_t used) {
    begin_ += used;
    if (begin_ == end_) begin_ = end_ = 0;
}

void HttpConnection::dispatch(std::string_view body) {
    Slot& slot = open_slot(&*head_);
    const std::uint64_t number = slot.number;
    const RequestHead head = *std::exchange(head_, {});
    const Target target = *std::exchange(target_, {});
    slot.deprecation = target.endpoint->deprecation;
    if (!head.keep_alive) closing_ = true;
    if (target.endpoint->reply == ReplyKind::kStream) stream_slot_ = number;
    set_phase(Phase::kWriting);
    try {
        owner_.on_request(*this, number, {head, target, body, peer_});
    } catch (const std::bad_alloc&) {
        throw;  // see App::run_loop()
    } catch (const std::exception& e) {
        respond(number, problem_response({ErrorCode::kInternal, e.what(), {}}, head.target));
    }
}

void HttpConnection::refuse(const Error& error) {
    owner_.on_refused(error.code);
    const bool known = head_.has_value();
    Slot& slot = open_slot(known ? &*head_ : nullptr);
    const std::string_view target = known ? head_->target : std::string_view{};
    Response response = problem_response(error, target.substr(0, target.find('?')));
    if (response.close || !known || closing_) {
        response.close = true;
        closing_ = true;
        head_.reset();
    }
    respond(slot.number, response);
}

HttpConnection::Slot& HttpConnection::open_slot(const RequestHead* head) {
    Slot& slot = slots_.emplace_back();
    slot.number = next_slot_++;
    slot.started = Clock::steady();
    if (head == nullptr) {
        slot.keep_alive = false;
        slot.request_id = owner_.next_request_id();
        return slot;
    }
    slot.keep_alive = head->keep_alive && !owner_.draining();
    slot.path = head->target.substr(0, head->target.find('?'));
    slot.head_only = head->method == Method::kHead;
    slot.http_1_0 = head->http_1_0;
    const bool usable = usable_request_id(head->request_id);
    slot.request_id = usable ? std::string{head->request_id} : owner_.next_request_id();
    return slot;
}

std::string_view HttpConnection::path(std::uint64_t number) const noexcept {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [number](const Slot& other) {
        return other.number == number && !other.ready;
    });
    return slot == slots_.end() ? std::string_view{} : std::string_view{slot->path};
}

/// Makes space for at least one more byte of a head.
void HttpConnection::make_room() {
    if (end_ < capacity_) return;
    if (begin_ > 0 && !head_) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        return;
    }
    // Only a head may be longer than the buffer; parse_head() refuses it at its limit.
    const std::size_t larger = std::min(capacity_ * 2, kHeadBufferMax + limits::kReadBufferBytes);
    HEADWAY_ASSERT(larger > capacity_);
    auto grown = std::make_unique<char[]>(larger);
    std::memcpy(grown.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_ = std::move(grown);
    capacity_ = larger;
    end_ -= begin_;
    begin_ = 0;
}

}  // namespace headway::server

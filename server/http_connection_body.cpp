// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "server/http_connection.hpp"
#include "server/http/inflate.hpp"

// Request bodies that are long, chunked or compressed.

namespace headway::server {

/// read() within a long body.
void HttpConnection::read_bulk(net::mutable_buffer space) {
    if (tls_) {
        decrypt_in_turn(space, true);
        return;
    }
    socket_.async_wait(Socket::wait_read, [this, space](error_code ec) {
        if (ec || closed_) {
            received(net::error::operation_aborted, 0, true);
            return;
        }
        owner_.bulk().add([this, space] {
            error_code failed;
            const std::size_t count = closed_ ? 0 : socket_.read_some(space, failed);
            if (failed == net::error::would_block) failed = {};
            received(failed, count, true);
        });
    });
}

void HttpConnection::decrypt_in_turn(net::mutable_buffer space, bool into_body) {
    owner_.bulk().add([this, space, into_body] {
        if (closed_) {
            received(net::error::operation_aborted, 0, into_body);
        } else {
            decrypt(space, into_body);
        }
    });
}

/// Begins a body that is incomplete or must be decoded. The head stays in the buffer, because its
/// views are needed.
bool HttpConnection::begin_body(std::string_view here) {
    set_phase(Phase::kBody);
    if (head_->chunked) {
        body_.start_chunked(target_->endpoint->body.bytes_max);
    } else {
        body_.start(static_cast<std::size_t>(*head_->content_length));
    }
    std::size_t used = 0;
    switch (body_.take(here, used)) {
        case RequestBody::Status::kComplete:
            return take(body_.text(), head_->bytes + used);
        case RequestBody::Status::kFailed:
            refuse_body(body_.error());
            return false;
        case RequestBody::Status::kNeedMore:
            break;
    }
    end_ = begin_ + head_->bytes;
    in_body_ = true;
    owes_continue_ = head_->expects_continue && !head_->http_1_0 && here.empty();
    collect();
    return false;
}

/// The body is complete outside of the buffer, or unreadable.
bool HttpConnection::end_body() {
    if (body_.status() == RequestBody::Status::kFailed) {
        refuse_body(body_.error());
        return false;
    }
    in_body_ = owes_continue_ = false;
    note_held();
    return take(body_.text(), head_->bytes);
}

/// Takes a whole body; `used` bytes of the buffer belong to this request.
bool HttpConnection::take(std::string_view body, std::size_t used) {
    if (head_->gzip && !body.empty()) {
        inflate_in_turn(body, used);
        return false;
    }
    dispatch(body);
    if (streaming_) {
        body_.clear();
        return false;
    }
    finish(used);
    return true;
}

/// Inflation runs in BulkTurns, because a kilobyte may become a megabyte. Until then the packed
/// bytes stay in the buffer or in body_, which counts them, and nothing is read. The inflated body
/// exists for one call of the owner, so there is at most one.
void HttpConnection::inflate_in_turn(std::string_view packed, std::size_t used) {
    inflating_ = true;
    set_phase(Phase::kWriting);  // the client's time limit ends here
    ++operations_;
    owner_.bulk().add([this, packed, used] {
        inflating_ = false;
        if (!closed_ && !closing_) inflate(packed, used);
        operation_done();
    });
}

void HttpConnection::inflate(std::string_view packed, std::size_t used) {
    auto body = inflate_gzip(packed, target_->endpoint->body.bytes_max);
    if (!body) {
        refuse_body(body.error());
    } else {
        dispatch(*body);
        if (!streaming_) finish(used);
        consume();
    }
    flush();
}

/// Continues with the next request, whose start may have come with the end of a chunked body.
void HttpConnection::finish(std::size_t used) {
    begin_ += used;
    if (begin_ == end_) begin_ = end_ = 0;
    const std::string_view behind = body_.behind();
    std::copy(behind.begin(), behind.end(), buffer_.get() + end_);
    end_ += behind.size();
    body_.clear();
}

/// Refuses a body whose end is unknown or unreachable: nothing after it is read.
void HttpConnection::refuse_body(core::Error error) {  // by value: it may belong to the body
    in_body_ = owes_continue_ = false;
    body_.clear();
    closing_ = true;
    refuse(error);
}

}  // namespace headway::server

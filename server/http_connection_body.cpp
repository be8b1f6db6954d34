// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "server/http_connection.hpp"
#include "server/inflate.hpp"

// The bodies of requests that do not lie in the buffer as they are: long, chunked, packed.

namespace headway::server {

/// What read() does in the middle of a long body.
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

/// What is here is not the whole body, or has to be decoded. The head stays where it is, since its
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

/// The body has come past the buffer, or cannot be read.
bool HttpConnection::end_body() {
    if (body_.status() == RequestBody::Status::kFailed) {
        refuse_body(body_.error());
        return false;
    }
    in_body_ = owes_continue_ = false;
    note_held();
    return take(body_.text(), head_->bytes);
}

/// A whole body; `used` bytes of the buffer are this request's.
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

/// A kilobyte may become a megabyte: work that is done in turn with that of others. Until then the
/// packed bytes stay where they came, in the buffer or in body_, which counts them: nothing is read
/// meanwhile. Inflated they last for one call of the owner, so that there is one such body at most.
void HttpConnection::inflate_in_turn(std::string_view packed, std::size_t used) {
    inflating_ = true;
    set_phase(Phase::kWriting);  // from here on it is we who take the time
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

/// On to the next request, whose start may have come with the end of a chunked body.
void HttpConnection::finish(std::size_t used) {
    begin_ += used;
    if (begin_ == end_) begin_ = end_ = 0;
    const std::string_view behind = body_.behind();
    std::copy(behind.begin(), behind.end(), buffer_.get() + end_);
    end_ += behind.size();
    body_.clear();
}

/// One whose end is not known, or that cannot be had: nothing behind it is read.
void HttpConnection::refuse_body(core::Error error) {  // a copy, since it may be the body's
    in_body_ = owes_continue_ = false;
    body_.clear();
    closing_ = true;
    refuse(error);
}

}  // namespace headway::server

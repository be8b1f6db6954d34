// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "server/http/body/request_body.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/http/message/gate.hpp"
#include "server/http/message/request_head.hpp"

namespace headway::server {

/// Cuts the bytes of one connection into requests. Each head is checked against gate and route
/// before its body is read; a body that is complete in the buffer is not copied. Takes bytes in
/// pieces of any size, with the same result, in linear time. Pure.
///
/// Pass bytes through room() and received(), then call next() until it needs more bytes.
class RequestReader {
public:
    enum class Step : std::uint8_t {
        kNeedsBytes,
        kContinue,  ///< the client awaits 100 Continue before its body; returned once
        kPacked,    ///< the body is complete and compressed: call inflate() when there is time
        kRequest,   ///< head(), target() and body() are a request until done()
        kRefused,   ///< reply with error(), valid until done(); no request follows if last()
    };

    RequestReader();

    /// Space for the next bytes, at least one byte, valid until received(). Do not call it while a
    /// request is in use or packed.
    std::span<char> room();
    /// Takes `count` bytes that were put into room(); drops them after the last request.
    void received(std::size_t count);
    /// True if next() may be called: room() is not lent, no request is in use or packed, and the
    /// reader has not ended.
    bool ready() const noexcept { return lent_ == Lent::kNone && collects(); }
    /// The next step. `gate` has the host names that this client may use.
    Step next(const GateSettings& gate);
    /// Inflates the body after kPacked; returns kRequest or kRefused. A body too long to inflate at
    /// once stays compressed if the route accepts it: still_packed().
    Step inflate();
    /// Gives up the request that has begun to arrive, even while room() is lent, and takes no more
    /// bytes.
    Step refuse(core::Error error);
    /// Ends the use of the request or refusal; its views become invalid.
    void done();
    /// Drops the bytes read and takes no requests after the one in use. True if another request had
    /// begun, not counting empty lines. May be called again, to drop later bytes.
    bool end();

    /// Null if an unreadable head was refused.
    const RequestHead* head() const noexcept { return head_.bytes > 0 ? &head_ : nullptr; }
    const Target& target() const noexcept { return target_; }
    std::string_view body() const noexcept { return text_; }
    const core::Error& error() const noexcept { return error_; }
    bool last() const noexcept { return last_; }

    /// True if no byte of a further request has arrived.
    bool idle() const noexcept { return state_ == State::kHead && begin_ == end_; }
    bool in_body() const noexcept { return state_ == State::kBody; }
    bool packed() const noexcept { return state_ == State::kPacked; }
    /// True for a body in use that is not inflated.
    bool still_packed() const noexcept { return still_packed_; }
    /// True for a request that the caller has to finish first: it is in use or packed.
    bool holds_one() const noexcept { return !collects() && state_ != State::kEnded; }
    /// The bytes of this body received so far.
    std::size_t body_bytes() const noexcept { return in_body() ? body_.wire_bytes() : 0; }
    /// Bytes of memory that bodies hold until it is freed. This includes a body that waits to be
    /// inflated, and one given up while its room() is lent.
    std::size_t held() const noexcept { return body_.held(); }

private:
    enum class State : std::uint8_t {
        kHead,     ///< collects a head in buffer_
        kBody,     ///< collects a body in body_; its head stays in buffer_
        kPacked,   ///< has a complete compressed body
        kRequest,  ///< in use
        kRefused,  ///< in use
        kEnded,    ///< drops everything
    };
    enum class Lent : std::uint8_t { kNone, kBuffer, kBody };

    bool collects() const noexcept { return state_ == State::kHead || state_ == State::kBody; }
    std::string_view unread() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
    bool worth_parsing();
    Step read_head(const GateSettings& gate);
    Step admit(const GateSettings& gate);
    Step begin_body();
    Step go_on_with_body();
    Step whole(std::string_view text, std::size_t used);
    Step refused(core::Error error);
    void skip(std::size_t used) noexcept;
    void make_room();

    std::unique_ptr<char[]> buffer_;  ///< unread bytes are [begin_, end_)
    std::size_t capacity_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t parsed_ = 0;    ///< size of an incomplete head when last parsed
    std::size_t searched_ = 0;  ///< leading bytes without the head's end
    std::size_t lines_ = 0;     ///< how often the head was parsed at a line end

    RequestHead head_;  ///< head of the request collected or in use
    Target target_;
    RequestBody body_;
    std::string inflated_;
    std::string_view text_;  ///< the body, packed or in use: into buffer_, body_ or inflated_
    std::size_t used_ = 0;   ///< buffer bytes of the request in use
    core::Error error_;
    State state_ = State::kHead;
    Lent lent_ = Lent::kNone;
    bool last_ = false;  ///< no request follows the one in use
    bool still_packed_ = false;
};

}  // namespace headway::server

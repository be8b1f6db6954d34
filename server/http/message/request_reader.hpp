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

/// Cuts the bytes of one connection into requests. Each head is checked against the gate and the
/// route before its body is read. A body that is complete in the buffer is not copied. Bytes may
/// come in pieces of any size, with the same result. Takes linear time. Pure.
///
/// Put bytes into room(), report them with received(), then call next() until it needs more bytes.
class RequestReader {
public:
    enum class Step : std::uint8_t {
        kNeedsBytes,
        kContinue,  ///< the client waits for 100 Continue before it sends its body; returned once
        kPacked,    ///< the body is complete and compressed: call inflate() when there is time
        kRequest,   ///< a request is available in head(), target() and body() until done()
        kRefused,   ///< the request is to be refused with error(), which is valid until done(); if
                    ///< last(), no request follows
    };

    RequestReader();

    /// Space of at least one byte for the next bytes, valid until received(). Must not be called
    /// while a request is in use or packed.
    std::span<char> room();
    /// Takes `count` bytes that were put into room(). After the last request, the bytes are
    /// dropped.
    void received(std::size_t count);
    /// True if next() may be called: no room() is in use, no request is in use or packed, and the
    /// reader has not ended.
    bool ready() const noexcept { return lent_ == Lent::kNone && collects(); }
    /// The next step. `gate` has the host names that this client may send.
    Step next(const GateSettings& gate);
    /// Inflates the body after kPacked; returns kRequest or kRefused. A body that is too long to be
    /// inflated at once stays compressed if the route allows this; see still_packed().
    Step inflate();
    /// Refuses the request that has begun to arrive, with `error`, and accepts no more bytes. May
    /// be called while a room() is in use.
    Step refuse(core::Error error);
    /// Called when the request or refusal is no longer in use; its views become invalid.
    void done();
    /// Drops unread bytes and takes no request after the one in use. True if another request had
    /// begun, not counting empty lines. May be called again, to drop bytes that came later.
    bool end();

    /// Null if the head could not be read and was refused.
    const RequestHead* head() const noexcept { return head_.bytes > 0 ? &head_ : nullptr; }
    const Target& target() const noexcept { return target_; }
    std::string_view body() const noexcept { return text_; }
    const core::Error& error() const noexcept { return error_; }
    bool last() const noexcept { return last_; }

    /// True if no byte of a further request has arrived.
    bool idle() const noexcept { return state_ == State::kHead && begin_ == end_; }
    bool in_body() const noexcept { return state_ == State::kBody; }
    bool packed() const noexcept { return state_ == State::kPacked; }
    /// True if the body in use is not inflated.
    bool still_packed() const noexcept { return still_packed_; }
    /// True if there is a request that the caller must finish first: it is in use or packed.
    bool holds_one() const noexcept { return !collects() && state_ != State::kEnded; }
    /// The bytes of this body received so far.
    std::size_t body_bytes() const noexcept { return in_body() ? body_.wire_bytes() : 0; }
    /// Bytes of memory held for bodies, including a body that waits to be inflated, and one that
    /// was given up while its room() is in use.
    std::size_t held() const noexcept { return body_.held(); }

private:
    enum class State : std::uint8_t {
        kHead,     ///< collects a head in buffer_
        kBody,     ///< collects a body in body_; its head stays in buffer_
        kPacked,   ///< has a complete compressed body
        kRequest,  ///< a request is in use
        kRefused,  ///< a refusal is in use
        kEnded,    ///< ended: drops everything
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
    std::size_t parsed_ = 0;  ///< size of an incomplete head when it was last parsed
    /// Number of bytes at the start that are known not to contain the end of the head.
    std::size_t searched_ = 0;
    std::size_t lines_ = 0;  ///< how often the head was parsed at the end of a line

    RequestHead head_;  ///< head of the request collected or in use
    Target target_;
    RequestBody body_;
    std::string inflated_;
    std::string_view text_;  ///< the body, packed or in use; a view into buffer_, body_ or
                             ///< inflated_
    std::size_t used_ = 0;   ///< buffer bytes of the request in use
    core::Error error_;
    State state_ = State::kHead;
    Lent lent_ = Lent::kNone;
    bool last_ = false;  ///< no request follows the one in use
    bool still_packed_ = false;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message/endpoint.hpp"
#include "server/http/message/response.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Text of a stream, stored once for all connections that send it.
using Frame = std::shared_ptr<const std::string>;

/// The replies of one connection as bytes to send. Requests take places in order, replies may be
/// set in any order, and bytes are sent in the order of the requests; the last reply has
/// `Connection: close`. The connection may end with a stream, which then is its last reply. Pure:
/// the owner of the socket sends unsent(), and reports with sent() how much the socket took.
class ReplyWriter {
public:
    /// Facts about a request that its reply needs.
    struct Asked {
        std::string request_id;
        std::string path;  ///< the path without its query
        Clock::Steady::time_point at;
        const Deprecation* deprecation = nullptr;
        bool keep_alive = true;  ///< the connection may continue; false: this is the last request
        bool head_only = false;
        bool http_1_0 = false;
        bool stream =
            false;  ///< the reply is a stream: this is the last request, unless it is refused
    };

    /// False while no further request may be taken, because too many requests wait for their reply,
    /// a stream is about to begin, or the connection ends.
    bool accepts() const noexcept;
    /// True while so many bytes are unsent that no further request should be read.
    bool full() const noexcept;
    /// True if the reply to the newest request is a stream that has not begun.
    bool awaits_stream() const noexcept;
    /// Takes the next place in the order and returns its number. Precondition: not ending().
    std::uint64_t open(Asked asked);
    /// The path of an unanswered request; empty for any other number.
    std::string_view path(std::uint64_t number) const noexcept;
    /// True while some request has no reply, or has one that waits for an older reply.
    bool owes() const noexcept { return !slots_.empty(); }
    bool owes_one() const noexcept { return slots_.size() == 1; }

    /// Sets the reply of `number`, unless it has one. If this reply or its request closes the
    /// connection, no place can follow the newest one.
    void respond(std::uint64_t number, const Response& response, Clock::Steady::time_point now);
    /// Records that no further request follows the requests that have a place.
    void expect_no_more() noexcept;
    /// True if the connection ends after the replies of the open places and the bytes that wait to
    /// be sent.
    bool ending() const noexcept { return state_ == State::kLast || state_ == State::kStreamEnds; }
    /// Sends 100 Continue when all older replies are sent, unless the body has arrived by then.
    void expect_body();

    /// Begins a stream as the reply of `number`; false if other places are open.
    bool begin_stream(std::uint64_t number, StreamBody body = StreamBody::kEvents);
    bool streaming() const noexcept {
        return state_ == State::kStream || state_ == State::kStreamEnds;
    }
    /// Sends text after the bytes that already wait.
    void append(std::string_view text) { out_.append(text); }
    /// Records that the socket took the first `count` bytes of `frames`, after everything else.
    /// Returns the number of frames that are done; a frame that was sent only in part is kept here
    /// until it is complete.
    std::size_t sent_frames(std::span<const Frame> frames, std::size_t count);
    /// Ends a stream: nothing follows the bytes that wait to be sent.
    void end_stream() noexcept;

    /// Bytes to send, in this order; pieces may be empty.
    std::array<std::string_view, 2> unsent() const noexcept;
    /// Records that the socket took the first `count` bytes of unsent().
    void sent(std::size_t count);
    /// True if nothing waits to be sent.
    bool empty() const noexcept { return out_.empty() && !frame_; }
    /// True if everything is sent and nothing follows, so that the connection is to be closed.
    bool finished() const noexcept { return ending() && slots_.empty() && empty(); }

    /// The memory of unsent bytes, without shared frames.
    std::size_t held() const noexcept { return (out_.empty() ? 0 : out_.capacity()) + early_; }
    std::size_t frame_bytes() const noexcept { return frame_ ? frame_->size() : 0; }
    /// Drops everything, because the peer is gone.
    void clear() noexcept;

private:
    enum class State : std::uint8_t {
        kReplies,
        kLast,  ///< the newest place is the last one
        kStream,
        kStreamEnds,  ///< the stream ends after the bytes that wait to be sent
    };
    struct Slot {
        std::uint64_t number = 0;
        Asked asked;
        bool ready = false;
        std::string text;  ///< the reply, while an older reply is missing
    };
    void render(const Slot& slot, const Response& response, Clock::Steady::time_point now,
                std::string& out) const;
    void collect();

    std::vector<Slot> slots_;  ///< requests whose replies are not in out_ yet, oldest first
    std::uint64_t next_number_ = 1;
    Frame frame_;  ///< sent before out_
    std::size_t frame_sent_ = 0;
    std::string out_;
    std::size_t out_sent_ = 0;
    std::size_t early_ = 0;  ///< bytes of replies in slots_
    State state_ = State::kReplies;
    bool owes_continue_ = false;
};

}  // namespace headway::server

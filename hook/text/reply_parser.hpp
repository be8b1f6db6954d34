// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headway::hook {

/// Parses one HTTP/1.1 reply (RFC 9112) as its bytes arrive: its body has a known length, is
/// chunked, or lasts until the connection ends. Leading blanks of the body, which the daemon sends
/// as a sign of life while it holds a reply, are dropped. Replies with status 1xx are skipped; any
/// other status than 200 is an error. Pure.
class ReplyParser {
public:
    enum class State : std::uint8_t { kMore, kWhole, kBroken };

    /// Takes the next bytes; bytes after a whole reply are ignored.
    State feed(std::string_view bytes);
    /// Called when the daemon has closed the connection: ends the input.
    State end();

    State state() const noexcept;
    /// The body after its leading blanks; complete if state() is kWhole.
    const std::string& body() const noexcept { return body_; }
    /// True if the daemon knew none of the model answers in the request and requests older ones.
    bool wants_older_uses() const noexcept { return wants_older_uses_; }
    /// True if the daemon wants the operator's goal to be checked.
    bool wants_goal() const noexcept { return wants_goal_; }
    /// True if the reply is a daemon's: its head has `X-Headway`. Another program on the daemon's
    /// port may reply with anything.
    bool of_daemon() const noexcept { return of_daemon_; }
    /// The status in the last status line; 0 before the first one.
    int status() const noexcept { return status_; }

    static constexpr std::size_t kHeadBytesMax = 64 * 1024;
    static constexpr std::size_t kBodyBytesMax = 4 * 1024 * 1024;

private:
    /// The part that the next byte belongs to.
    enum class Part : std::uint8_t {
        kStatusLine,
        kHeader,
        kLength,     ///< a body of known length
        kUntilEnd,   ///< a body that ends with the connection
        kChunkSize,  ///< the line before a chunk
        kChunk,
        kChunkEnd,  ///< the line break after a chunk
        kTrailer,
        kWhole,
        kBroken,
    };

    void take_line();
    void take_status_line(std::string_view line);
    void take_header(std::string_view line);
    void take_chunk_size(std::string_view line);
    void end_of_head();
    std::size_t take_body(std::string_view bytes);

    Part part_ = Part::kStatusLine;
    std::string line_;
    std::size_t head_bytes_ = 0;
    std::uint64_t left_ = 0;  ///< remaining bytes of the body or chunk
    bool chunked_ = false;
    bool has_length_ = false;
    bool wants_older_uses_ = false;
    bool wants_goal_ = false;
    bool of_daemon_ = false;
    int status_ = 0;
    std::string body_;
};

/// False for a body that cannot be a JSON object. Each reply to a hook is a JSON object, so with
/// any other body the call must not run. Pure.
bool may_be_object(std::string_view body);

}  // namespace headway::hook

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headway::hook {

/// One reply of HTTP/1.1 (RFC 9112), as its bytes come: of a known length, chunked, or until the
/// connection ends. Leading blanks of the body, by which the daemon shows that it is alive while it
/// holds a reply, are dropped. Replies 1xx are passed over; any other than 200 is an error. Pure.
class ReplyParser {
public:
    enum class State : std::uint8_t { kMore, kWhole, kBroken };

    /// Takes the next bytes; those behind a whole reply are ignored.
    State feed(std::string_view bytes);
    /// The daemon sends no more.
    State end();

    State state() const noexcept;
    /// Text after the leading blanks; whole when state() is.
    const std::string& body() const noexcept { return body_; }
    /// The daemon knew none of the answers that it received, and wants older ones.
    bool wants_older_uses() const noexcept { return wants_older_uses_; }
    /// The daemon wants the operator's goal to be checked.
    bool wants_goal() const noexcept { return wants_goal_; }
    /// Status of the last status line; 0 before one.
    int status() const noexcept { return status_; }

    static constexpr std::size_t kHeadBytesMax = 64 * 1024;
    static constexpr std::size_t kBodyBytesMax = 4 * 1024 * 1024;

private:
    /// Part to which the next byte belongs.
    enum class Part : std::uint8_t {
        kStatusLine,
        kHeader,
        kLength,     ///< of a body of a known length
        kUntilEnd,   ///< of a body that ends with the connection
        kChunkSize,  ///< the line before a chunk
        kChunk,
        kChunkEnd,  ///< the line break behind a chunk
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
    std::uint64_t left_ = 0;  ///< of the body or chunk
    bool chunked_ = false;
    bool has_length_ = false;
    bool wants_older_uses_ = false;
    bool wants_goal_ = false;
    int status_ = 0;
    std::string body_;
};

/// True for nothing, and for what may be an object of JSON: another program on the port of the
/// daemon may answer with a page. Pure.
bool looks_like_an_answer(std::string_view body) noexcept;

}  // namespace headway::hook

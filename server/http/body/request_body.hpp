// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "server/http/body/chunked_body.hpp"

namespace headway::server {

/// Collects the body of one request. Either the length of the body is known in advance, or the body
/// comes in chunks. Memory grows with the received bytes, so a large Content-Length alone costs
/// nothing. Pure.
class RequestBody {
public:
    enum class Status : std::uint8_t { kNeedMore, kComplete, kFailed };

    void start(std::size_t length);
    /// Begins a chunked body of at most `bytes_max` bytes.
    void start_chunked(std::size_t bytes_max);
    /// Takes the bytes that arrived with the head; sets `used` to the number of these bytes that
    /// belong to the body.
    Status take(std::string_view bytes, std::size_t& used);
    /// The buffer for the next bytes. Precondition: status() is kNeedMore.
    std::span<char> room();
    /// Takes `count` bytes that were read into room().
    Status received(std::size_t count);
    /// The last status of received() or take().
    Status status() const noexcept { return status_; }
    const core::Error& error() const { return chunks_->error(); }

    /// The part of the body received so far; all of it once the body is complete.
    std::string_view text() const noexcept { return {text_.data(), have_}; }
    /// The bytes after the body's end: the start of the next request.
    std::string_view behind() const noexcept { return behind_; }
    /// The size as received, before decoding.
    std::size_t wire_bytes() const noexcept { return wire_bytes_; }
    /// The memory that the body uses.
    std::size_t held() const noexcept;
    void clear();

private:
    Status decode(std::string_view wire, std::size_t& used);

    std::string text_;  ///< the first have_ bytes were received; the rest is room()
    std::size_t have_ = 0;
    std::size_t wanted_ = 0;
    std::size_t wire_bytes_ = 0;
    std::optional<ChunkedBody> chunks_;
    std::unique_ptr<char[]> wire_;  ///< chunks, before they are decoded
    std::string_view behind_;       ///< points into wire_
    Status status_ = Status::kNeedMore;
};

}  // namespace headway::server

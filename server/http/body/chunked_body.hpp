// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

/// Decodes a body with `Transfer-Encoding: chunked` (RFC 9112, 7.1) incrementally. Strict, because
/// a proxy may parse the same bytes differently: a size is one to fourteen hexadecimal digits and
/// nothing else, so there are no extensions; there are no trailers; every line ends in CRLF. The
/// body has at most `body_bytes_max` bytes and at most twice as many on the wire, including chunk
/// sizes. Pure.
class ChunkedBody {
public:
    enum class Status : std::uint8_t { kNeedMore, kComplete, kFailed };

    explicit ChunkedBody(std::size_t body_bytes_max) : bytes_max_(body_bytes_max) {}

    /// Decodes `wire` and appends to `body`. `used` is the number of bytes that belong to this
    /// body: all of `wire` unless the body is complete. After kFailed, see error().
    Status feed(std::string_view wire, std::string& body, std::size_t& used);
    /// kBadRequest or kBodyTooLarge.
    const core::Error& error() const noexcept { return error_; }

private:
    /// Part to which the next byte belongs.
    enum class Part : std::uint8_t { kSize, kSizeEnd, kData, kDataCr, kDataLf, kEndCr, kEndLf };

    Status fail(core::ErrorCode code, std::string why);
    bool take_size(char byte);
    bool take(char byte);

    std::size_t bytes_max_;
    std::size_t wire_bytes_ = 0;
    std::size_t body_bytes_ = 0;
    std::uint64_t size_ = 0;  ///< chunk size; within the chunk's data, the bytes left
    std::size_t digits_ = 0;  ///< digits of the size so far
    Part part_ = Part::kSize;
    bool complete_ = false;
    core::Error error_;
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

/// Decodes a body with `Transfer-Encoding: chunked` (RFC 9112, 7.1) incrementally. The decoder is
/// strict, because a proxy may parse the same bytes differently: a size consists of one to fourteen
/// hexadecimal digits, without extensions; trailers are not allowed; every line ends in CRLF. The
/// decoded body may have at most `body_bytes_max` bytes, and the bytes before decoding at most
/// twice as many. Pure.
class ChunkedBody {
public:
    enum class Status : std::uint8_t { kNeedMore, kComplete, kFailed };

    explicit ChunkedBody(std::size_t body_bytes_max) : bytes_max_(body_bytes_max) {}

    /// Decodes `wire` and appends to `body`. `used` is set to the number of bytes that belong to
    /// this body: all of `wire`, unless the body ends within `wire`. After kFailed, see error().
    Status feed(std::string_view wire, std::string& body, std::size_t& used);
    /// Either kBadRequest or kBodyTooLarge.
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
    /// Size of the chunk; while its data is read, the number of bytes left.
    std::uint64_t size_ = 0;
    std::size_t digits_ = 0;  ///< digits of the size so far
    Part part_ = Part::kSize;
    bool complete_ = false;
    core::Error error_;
};

}  // namespace headway::server

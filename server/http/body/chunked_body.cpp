// SPDX-License-Identifier: Apache-2.0
#include "server/http/body/chunked_body.hpp"

#include <algorithm>
#include <utility>

namespace headway::server {
namespace {

/// A size line has at most 16 bytes; the value fits 64 bits and exceeds every limit.
constexpr std::size_t kSizeDigitsMax = 14;

int digit_of(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

}  // namespace

ChunkedBody::Status ChunkedBody::fail(core::ErrorCode code, std::string why) {
    error_ = {code, std::move(why), "Transfer-Encoding"};
    return Status::kFailed;
}

bool ChunkedBody::take_size(char byte) {
    if (byte == '\r' && digits_ > 0) {
        part_ = Part::kSizeEnd;
        return true;
    }
    const int digit = digit_of(byte);
    if (digit < 0) {
        fail(core::ErrorCode::kBadRequest,
             "the size of a chunk must be hexadecimal digits and a line end, without extensions");
        return false;
    }
    if (++digits_ > kSizeDigitsMax) {
        fail(core::ErrorCode::kBadRequest,
             "the line with the size of a chunk has at most 16 bytes");
        return false;
    }
    size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
    return true;
}

/// Takes a byte that is not data.
bool ChunkedBody::take(char byte) {
    const bool wants_cr = part_ == Part::kDataCr || part_ == Part::kEndCr;
    if (part_ == Part::kSize) return take_size(byte);
    if (byte != (wants_cr ? '\r' : '\n')) {
        fail(core::ErrorCode::kBadRequest, part_ == Part::kEndCr
                                               ? "trailers behind the last chunk are not taken"
                                               : "the lines of a chunked body end in CRLF");
        return false;
    }
    switch (part_) {
        case Part::kSizeEnd:
            digits_ = 0;
            part_ = size_ == 0 ? Part::kEndCr : Part::kData;
            break;
        case Part::kDataCr:
            part_ = Part::kDataLf;
            break;
        case Part::kDataLf:
            part_ = Part::kSize;
            break;
        case Part::kEndCr:
            part_ = Part::kEndLf;
            break;
        default:
            complete_ = true;
            break;
    }
    return true;
}

ChunkedBody::Status ChunkedBody::feed(std::string_view wire, std::string& body, std::size_t& used) {
    used = 0;
    while (used < wire.size() && !complete_) {
        if (part_ != Part::kData) {
            if (!take(wire[used])) return Status::kFailed;
            ++used;
            ++wire_bytes_;
            if (part_ == Part::kData && size_ > bytes_max_ - body_bytes_) {
                return fail(core::ErrorCode::kBodyTooLarge,
                            "the body is limited to " + std::to_string(bytes_max_) + " bytes here");
            }
        } else {
            const std::size_t count =
                static_cast<std::size_t>(std::min<std::uint64_t>(size_, wire.size() - used));
            body.append(wire.substr(used, count));
            used += count;
            wire_bytes_ += count;
            body_bytes_ += count;
            size_ -= count;
            if (size_ == 0) part_ = Part::kDataCr;
        }
        if (wire_bytes_ > 2 * bytes_max_) {
            return fail(core::ErrorCode::kBodyTooLarge,
                        "a chunked body may take at most twice its limit of " +
                            std::to_string(bytes_max_) + " bytes; send larger chunks");
        }
    }
    return complete_ ? Status::kComplete : Status::kNeedMore;
}

}  // namespace headway::server

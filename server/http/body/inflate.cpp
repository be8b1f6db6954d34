// SPDX-License-Identifier: Apache-2.0
#include "server/http/body/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

// The only file that includes zlib.

namespace headway::server {
namespace {

constexpr std::size_t kStep = 16'384;
constexpr int kGzipOnly = 16;  // added to the window's bits: gzip, not zlib's own format

/// Calls inflateEnd().
struct Inflation {
    z_stream stream{};
    Inflation() {
        if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
    }
    Inflation(const Inflation&) = delete;
    Inflation& operator=(const Inflation&) = delete;
    ~Inflation() { inflateEnd(&stream); }
};

/// Another member follows (RFC 1952, 2.2).
bool goes_on(const z_stream& stream) {
    return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
}

core::Error damaged(const char* why) {
    return {core::ErrorCode::kBadRequest,
            std::string{"the body is not in its Content-Encoding, gzip: "} + why,
            "Content-Encoding"};
}

}  // namespace

core::Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max) {
    Inflation inflation;
    z_stream& stream = inflation.stream;
    // zlib's interface lacks a const here.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    while (true) {
        const std::size_t have = out.size();
        const std::size_t room = std::min(kStep, bytes_max + 1 - have);
        out.resize(have + room);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
        stream.avail_out = static_cast<uInt>(room);
        const int status = inflate(&stream, Z_NO_FLUSH);
        out.resize(have + room - stream.avail_out);
        if (out.size() > bytes_max) {
            return core::Error{
                core::ErrorCode::kBodyTooLarge,
                "the body is limited to " + std::to_string(bytes_max) + " bytes, inflated",
                "Content-Encoding"};
        }
        if (status == Z_STREAM_END) {
            if (!goes_on(stream)) break;
            inflateReset(&stream);  // each member has 18 bytes, so this is linear
            continue;
        }
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status != Z_OK)
            return damaged(status == Z_BUF_ERROR ? "its end is missing" : "damaged");
        if (stream.avail_in == 0 && stream.avail_out != 0) return damaged("its end is missing");
    }
    if (stream.avail_in != 0) return damaged("it has bytes after its end");
    return out;
}

}  // namespace headway::server

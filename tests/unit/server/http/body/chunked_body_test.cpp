// SPDX-License-Identifier: Apache-2.0
#include "server/http/body/chunked_body.hpp"

#include <catch2/catch.hpp>

#include "server/http/body/inflate.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using headway::core::ErrorCode;
using headway::tests::code_of;
using headway::tests::gzip;
using Status = ChunkedBody::Status;

namespace {

struct Fed {
    Status status;
    std::string body;
    std::size_t used = 0;
    ErrorCode error{};
};

/// Feeds the wire in pieces of this size.
Fed feed(const std::string& wire, std::size_t piece, std::size_t bytes_max = 100) {
    ChunkedBody chunks{bytes_max};
    Fed fed{Status::kNeedMore, {}, 0, {}};
    while (fed.used < wire.size() && fed.status == Status::kNeedMore) {
        std::size_t used = 0;
        fed.status = chunks.feed(std::string_view{wire}.substr(fed.used, piece), fed.body, used);
        fed.used += used;
    }
    if (fed.status == Status::kFailed) fed.error = chunks.error().code;
    return fed;
}

}  // namespace

TEST_CASE("chunked body: chunks are joined, however they arrive", "[server]") {
    const std::string wire = "5\r\nhello\r\n0A\r\n, chunked \r\n6\r\nworld!\r\n0\r\n\r\n";
    for (std::size_t piece = 1; piece <= wire.size() + 1; ++piece) {
        const Fed fed = feed(wire + "GET / HTTP/1.1", piece);
        CHECK((fed.status == Status::kComplete));
        CHECK(fed.body == "hello, chunked world!");
        CHECK(fed.used == wire.size());
    }
}

TEST_CASE("chunked body: ambiguous framing is refused", "[server]") {
    const std::pair<const char*, std::string> cases[] = {
        {"an extension", "5;a=b\r\nhello\r\n0\r\n\r\n"},
        {"an extension of the last chunk", "0;a\r\n\r\n"},
        {"a trailer", "0\r\nX: 1\r\n\r\n"},
        {"a space behind a size", "5 \r\nhello\r\n0\r\n\r\n"},
        {"a space before a size", " 5\r\nhello\r\n0\r\n\r\n"},
        {"a tab before a size", "\t5\r\nhello\r\n0\r\n\r\n"},
        {"a sign", "+5\r\nhello\r\n0\r\n\r\n"},
        {"a negative size", "-5\r\nhello\r\n0\r\n\r\n"},
        {"a prefix", "0x5\r\nhello\r\n0\r\n\r\n"},
        {"an underscore", "0_5\r\nhello\r\n0\r\n\r\n"},
        {"no size", "\r\nhello\r\n0\r\n\r\n"},
        {"a word for a size", "five\r\nhello\r\n0\r\n\r\n"},
        {"a line feed alone behind a size", "5\nhello\r\n0\r\n\r\n"},
        {"a carriage return alone", "5\rhello\r\n0\r\n\r\n"},
        {"two carriage returns", "5\r\r\nhello\r\n0\r\n\r\n"},
        {"more data than its size", "4\r\nhello\r\n0\r\n\r\n"},
        {"less data than its size", "6\r\nhello\r\n0\r\n\r\n"},
        {"a line feed alone behind data", "5\r\nhello\n0\r\n\r\n"},
        {"a line feed alone at the end", "0\r\n\n"},
        {"a NUL in a size", std::string("5\0\r\nhello\r\n0\r\n\r\n", 17)},
        {"a size of fifteen digits", "000000000000005\r\nhello\r\n0\r\n\r\n"},
        {"a size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\n"},
    };
    for (const auto& [name, wire] : cases) {
        DYNAMIC_SECTION(name) {
            for (const std::size_t piece : {std::size_t{1}, wire.size()}) {
                const Fed fed = feed(wire, piece);
                CHECK((fed.status == Status::kFailed));
                CHECK(fed.error == ErrorCode::kBadRequest);
            }
        }
    }
}

TEST_CASE("chunked body: its size and its size on the wire are bounded", "[server]") {
    CHECK(
        (feed("64\r\n" + std::string(100, 'x') + "\r\n0\r\n\r\n", 7).status == Status::kComplete));
    CHECK(feed("65\r\n", 7).error == ErrorCode::kBodyTooLarge);
    CHECK(feed("FFFFFFFFFFFFFF\r\n", 7).error == ErrorCode::kBodyTooLarge);
    CHECK(feed("50\r\n" + std::string(80, 'x') + "\r\n50\r\n", 7).error ==
          ErrorCode::kBodyTooLarge);
    std::string tiny;
    for (int i = 0; i < 40; ++i)
        tiny += "1\r\nx\r\n";
    const Fed fed = feed(tiny, 9);
    CHECK(fed.error == ErrorCode::kBodyTooLarge);
    CHECK(fed.body.size() < 40);
}

TEST_CASE("inflate: restores a compressed body", "[server]") {
    const std::string text(50'000, 'x');
    CHECK(*inflate_gzip(gzip(text), 50'000) == text);
    CHECK(inflate_gzip(gzip(""), 10)->empty());
}

TEST_CASE("inflate: the inflated size is bounded, whatever the packed one", "[server]") {
    const std::string bomb = gzip(std::string(10'000'000, '\0'));
    CHECK(bomb.size() < 20'000);
    CHECK(code_of(inflate_gzip(bomb, 1U << 20)) == ErrorCode::kBodyTooLarge);
    CHECK(code_of(inflate_gzip(gzip("abc"), 2)) == ErrorCode::kBodyTooLarge);
}

TEST_CASE("inflate: anything but whole gzip members is refused", "[server]") {
    const std::string good = gzip("hello, hello, hello");
    const auto code = [](const std::string& packed) { return code_of(inflate_gzip(packed, 1000)); };
    CHECK(code("hello") == ErrorCode::kBadRequest);
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK(code(good.substr(0, size)) == ErrorCode::kBadRequest);
    CHECK(code(good + "x") == ErrorCode::kBadRequest);
    CHECK(*inflate_gzip(good + gzip("") + good, 1000) == "hello, hello, hellohello, hello, hello");
    CHECK(code_of(inflate_gzip(good + good, 30)) == ErrorCode::kBodyTooLarge);
    for (std::size_t size = 1; size < good.size(); ++size)
        CHECK(code(good + good.substr(0, size)) == ErrorCode::kBadRequest);
    std::string flipped = good;
    flipped[good.size() - 6] ^= 1;  // of its checksum
    CHECK(code(flipped) == ErrorCode::kBadRequest);
}

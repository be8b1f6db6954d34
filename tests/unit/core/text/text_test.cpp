// SPDX-License-Identifier: Apache-2.0
#include "core/text/text.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway::core;

namespace {

std::string repeated(const std::string& piece, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes)
        out += piece;
    return out;
}

bool starts_between_characters(std::string_view text) {
    return text.empty() || (static_cast<unsigned char>(text.front()) & 0xC0U) != 0x80U;
}

/// True if the last character is complete.
bool ends_between_characters(std::string_view text) {
    std::size_t tail = 0;
    while (tail < text.size() &&
           (static_cast<unsigned char>(text[text.size() - 1 - tail]) & 0xC0U) == 0x80U)
        ++tail;
    const auto lead = static_cast<unsigned char>(text[text.size() - 1 - tail]);
    const std::size_t wanted = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    return tail == wanted;
}

}  // namespace

TEST_CASE("text: up to the limit it is kept whole", "[core]") {
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, limits::kTextWholeBytesMax}) {
        const Text text = bounded_text(std::string(size, 'x'));
        CHECK(text.whole());
        CHECK(text.kept.size() == size);
        CHECK(text.digest == Digest{});
        CHECK(text.empty() == (size == 0));
    }
}

TEST_CASE("text: above the limit head, tail, length and digest are kept", "[core]") {
    const std::string whole = "start" + std::string(limits::kTextWholeBytesMax, '.') + "end";
    const Text text = bounded_text(whole);
    CHECK_FALSE(text.whole());
    CHECK(text.bytes == whole.size());
    CHECK(text.head_bytes == limits::kTextHeadBytes);
    CHECK(text.kept == whole.substr(0, limits::kTextHeadBytes) +
                           whole.substr(whole.size() - limits::kTextTailBytes));
    CHECK(text.digest == digest_of(whole));
}

TEST_CASE("text: cuts fall between UTF-8 sequences wherever the limit lands", "[core]") {
    for (const char* piece : {"\xC3\xA4", "\xE2\x86\x92", "\xF0\x9F\x98\x80"}) {
        for (std::size_t shift = 0; shift < 4; ++shift) {
            const std::string whole = std::string(shift, 'x') + repeated(piece, 6000);
            const Text text = bounded_text(whole);
            const std::string_view kept{text.kept};
            const auto head = kept.substr(0, text.head_bytes);
            const auto tail = kept.substr(text.head_bytes);
            CHECK(ends_between_characters(head));
            CHECK(starts_between_characters(tail));
            CHECK(whole.starts_with(head));
            CHECK(whole.ends_with(tail));
            CHECK(head.size() > limits::kTextHeadBytes - 4);
            CHECK(tail.size() > limits::kTextTailBytes - 4);
        }
    }
}

TEST_CASE("text: what is shortened ends with a sign of it, within its bytes", "[core]") {
    CHECK(shortened("", 0).empty());
    CHECK(shortened("ab", 2) == "ab");
    CHECK(shortened("abcdef", 5) == "ab…");
    CHECK(shortened("aäöü", 6) == "aä…");
    CHECK(shortened("aäöü", 5) == "a…");
    CHECK(shortened("abcdef", 3) == "…");
}

TEST_CASE("text: invalid UTF-8 is bounded too", "[core]") {
    const Text text = bounded_text(std::string(10'000, '\x80'));
    CHECK(text.bytes == 10'000);
    CHECK(text.kept.size() <= limits::kTextHeadBytes + limits::kTextTailBytes);
}

TEST_CASE("text: digests are MurmurHash3 x64 128 with seed 0", "[core]") {
    // From the reference implementation: each tail length at least once.
    const std::pair<const char*, const char*> cases[] = {
        {"", "00000000000000000000000000000000"},
        {"hello", "cbd8a7b341bd9b025b1e906a48ae1d19"},
        {"hello, world", "342fac623a5ebc8e4cdcbc079642414d"},
        {"19 Jan 2038 at 3:14:07 AM", "b89e5988b737affc664fc2950231b2cb"},
        {"The quick brown fox jumps over the lazy dog.", "cd99481f9ee902c9695da1a38987b6e7"},
    };
    for (const auto& [text, hex] : cases)
        CHECK(to_hex(digest_of(text)) == hex);
}

TEST_CASE("text: a digest is 32 lower case digits, the high half first", "[core]") {
    CHECK(to_hex({0x0123456789abcdefULL, 1}) == "0123456789abcdef0000000000000001");
}

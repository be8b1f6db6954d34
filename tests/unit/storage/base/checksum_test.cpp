// SPDX-License-Identifier: Apache-2.0
#include "storage/base/checksum.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/gen.hpp"

using namespace headway::storage;
using namespace headway::tests;

TEST_CASE("checksum: CRC-32C of the published examples", "[storage]") {
    CHECK(checksum("") == 0);
    CHECK(checksum("123456789") == 0xE3069283U);
    CHECK(checksum(std::string(32, '\0')) == 0x8A9136AAU);  // RFC 3720, B.4
    CHECK(checksum(std::string(32, '\xff')) == 0x62A8AB43U);
}

TEST_CASE("checksum: the same with and without the processor's instruction", "[storage]") {
    Gen gen{seed()};
    for (int i = 0; i < 200; ++i) {
        const std::string text = gen.bytes(gen.below(300));
        const auto before = static_cast<std::uint32_t>(gen.below(UINT32_MAX));
        CHECK(checksum_by_tables(text, before) == checksum(text, before));
    }
}

TEST_CASE("checksum: of two parts it is that of the whole", "[storage]") {
    Gen gen{seed()};
    for (int i = 0; i < 50; ++i) {
        const std::string text = gen.bytes(1 + gen.below(100));
        const std::size_t cut = gen.index(text.size());
        CHECK(checksum(text.substr(cut), checksum(text.substr(0, cut))) == checksum(text));
    }
}

TEST_CASE("checksum: every flipped bit of a row changes it", "[storage]") {
    const std::string events = "some events of a session, as bytes";
    const std::int64_t sound = row_checksum(7, 3, 12, 5, events);
    for (int bit = 0; bit < 64; ++bit) {
        const auto flip = static_cast<std::int64_t>(1ULL << bit);
        CHECK(row_checksum(7 ^ flip, 3, 12, 5, events) != sound);
        CHECK(row_checksum(7, 3 ^ flip, 12, 5, events) != sound);
        CHECK(row_checksum(7, 3, 12 ^ flip, 5, events) != sound);
        CHECK(row_checksum(7, 3, 12, 5 ^ flip, events) != sound);
    }
    for (std::size_t bit = 0; bit < events.size() * 8; ++bit) {
        std::string damaged = events;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        CHECK(row_checksum(7, 3, 12, 5, damaged) != sound);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "core/text/words.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "core/calls/command_parts.hpp"

using namespace headway::core;

namespace {

constexpr std::array<std::string_view, 4> kSomeWords{"ls", "git log", "cat", "g++"};
constexpr WordList<4> kSomeList{{"ls", "git log", "cat", "g++"}};

}  // namespace

TEST_CASE("WordList: finds what a plain list of the same words finds", "[core]") {
    for (const std::string text :
         {"ls", "ls -l", "lsof", "git log", "git", "cat x", "g++ a.cpp", "", "x", "\xc3\xa9"}) {
        CHECK(contains(kSomeList, text) == contains(kSomeWords, text));
        CHECK(is_one_of(text, kSomeList) == is_one_of(text, kSomeWords));
        CHECK(starts_with_any(text, kSomeList) == starts_with_any(text, kSomeWords));
    }
    CHECK(contains(kSomeList, "git log"));
    CHECK(is_one_of("ls -l", kSomeList));
    CHECK_FALSE(is_one_of("lsof", kSomeList));
}

TEST_CASE("ByteSet: every byte alone, also above 127", "[core]") {
    for (int byte = 0; byte < 256; ++byte) {
        ByteSet one;
        one.add(static_cast<char>(byte));
        for (int other = 0; other < 256; ++other)
            CHECK(one.has(static_cast<char>(other)) == (other == byte));
    }
}

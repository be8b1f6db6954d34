// SPDX-License-Identifier: Apache-2.0
#include "core/text/phrases.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/gen.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr std::array<std::string_view, 5> kList{"rate limit", "0 left", "ab", "abc", "x/y"};
constexpr Phrases kPhrasesOfTest{kList};

}  // namespace

TEST_CASE("phrases: the first of the list is found wherever it stands, case aside", "[core]") {
    CHECK(kPhrasesOfTest.first_in("") == 5);
    CHECK(kPhrasesOfTest.first_in("a") == 5);
    CHECK(kPhrasesOfTest.first_in("xx RATE Limit") == 0);
    CHECK(kPhrasesOfTest.first_in("abc, then 0 left") == 1);
    CHECK(kPhrasesOfTest.first_in("zabc") == 2);  // the list decides, not the length
    CHECK(kPhrasesOfTest.first_in("X/Y") == 4);
    CHECK(kPhrasesOfTest.first_in("rate limi") == 5);
    CHECK(kPhrasesOfTest.first_in("a\x02") == 5);  // the same five bits as "ab"
}

TEST_CASE("phrases: the beginning of a word is asked for where it matters", "[core]") {
    CHECK(kPhrasesOfTest.any_word_in("an abacus"));
    CHECK(kPhrasesOfTest.any_word_in("7ab"));
    CHECK_FALSE(kPhrasesOfTest.any_word_in("crab"));
    CHECK_FALSE(kPhrasesOfTest.any_word_in("b"));
}

TEST_CASE("phrases: they agree with a plain search on any text", "[core]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int i = 0; i < 2'000; ++i) {
        std::string text;
        for (std::uint64_t n = gen.below(24); n > 0; --n)
            text += "aAbBcC xX/yY0left\x01\x02\xc3"[gen.below(20)];
        std::size_t plain = kList.size();
        for (std::size_t k = kList.size(); k-- > 0;)
            if (lower(text).find(kList[k]) != std::string::npos) plain = k;
        CAPTURE(text);
        REQUIRE(kPhrasesOfTest.first_in(text) == plain);
        REQUIRE(kPhrasesOfTest.any_in(text) == (plain < kList.size()));
    }
}

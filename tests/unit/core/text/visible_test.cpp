// SPDX-License-Identifier: Apache-2.0
#include "core/text/visible.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/gen.hpp"

using namespace headway;
using core::visible;
using core::visible_json;

TEST_CASE("visible: what steers a terminal or hides is written out, and nothing is dropped",
          "[core]") {
    CHECK(visible("rm -r build") == "rm -r build");
    CHECK(visible("h\u00e9llo \u65e5\u672c \U0001f389") == "h\u00e9llo \u65e5\u672c \U0001f389");
    CHECK(visible("echo hi \x1b]0; rm -rf ~ \a") == "echo hi \\u{1b}]0; rm -rf ~ \\u{7}");
    CHECK(visible("echo safe\b\b\b\bEVIL") == "echo safe\\u{8}\\u{8}\\u{8}\\u{8}EVIL");
    CHECK(visible("a\nb\tc\rd") == "a\\u{a}b\\u{9}c\\u{d}d");
    CHECK(visible(std::string_view{"\0\x7f", 2}) == "\\u{0}\\u{7f}");
    CHECK(visible("\u0085\u009b\u00a0\u202e\u2066") == "\\u{85}\\u{9b}\\u{a0}\\u{202e}\\u{2066}");
    CHECK(visible("\ufe0f\u034f\u3164\u2800\u3000") ==
          "\\u{fe0f}\\u{34f}\\u{3164}\\u{2800}\\u{3000}");
    CHECK(visible("\U000e0041\U0010ffff") == "\\u{e0041}\\u{10ffff}");
    CHECK(visible("\xff\xed\xa0\x80") == "\\x{ff}\\x{ed}\\x{a0}\\x{80}");
}

TEST_CASE("visible: an escape that an agent writes is none, and blanks at the ends are seen",
          "[core]") {
    CHECK(visible("\\u{1b}") == "\\u{5c}u{1b}");
    CHECK(visible("\\\\x{ff}") == "\\\\u{5c}x{ff}");
    CHECK(visible("C:\\users\\n") == "C:\\users\\n");
    CHECK(visible(" a  b ") == "\\u{20}a  b\\u{20}");
    CHECK(visible(" ") == "\\u{20}");
    CHECK(visible("").empty());
}

TEST_CASE("visible: no text is a command to a service that reads the output of a job", "[core]") {
    CHECK(visible("::stop-commands::tok") == "\\u{3a}:stop-commands::tok");
    CHECK(visible(" ::error::x") == "\\u{20}::error::x");
    CHECK(visible("std::string") == "std::string");
    CHECK(visible("a ##[error]b") == "a \\u{23}#[error]b");
    CHECK(visible("##vso[task.complete]###[x]") == "\\u{23}#vso[task.complete]#\\u{23}#[x]");
    CHECK(visible("## Title [1]") == "## Title [1]");
    CHECK(visible_json(R"({"a":"##[error]"})") == R"({"a":"\u0023#[error]"})");
}

TEST_CASE("visible: hidden characters of JSON become its escapes, line ends between values stay",
          "[core]") {
    CHECK(visible_json("{\n\"a\":\"x\u009b\x7f\u202e\U000e0041\"}") ==
          "{\n\"a\":\"x\\u009b\\u007f\\u202e\\udb40\\udc41\"}");
    CHECK(visible_json("[\"\u00e9\U0001f389\"]") == "[\"\u00e9\U0001f389\"]");
}

TEST_CASE("visible: different texts stay different, and none keeps what is hidden", "[core]") {
    tests::Gen gen{tests::seed()};
    INFO("HEADWAY_SEED=" << tests::seed());
    // Short ones of few parts, so that some would meet if they could.
    const std::string parts[] = {"a",    " ",    "\\",   "u{",     "x{",     "20}",    "5c}",
                                 "\x1b", "1b}",  "\n",   "\xff",   "ff}",    "\u202e", "202e}",
                                 "\\u{", "\\x{", "\xc3", "\u00e9", "\u200b", "200b}",  "\xe2"};
    std::set<std::string> texts;
    std::set<std::string> shown;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::uint64_t left = gen.below(6); left > 0; --left)
            text += parts[gen.below(std::size(parts))];
        texts.insert(text);
        const std::string line = visible(text);
        shown.insert(line);
        for (std::string_view rest = line; !rest.empty();) {
            const core::Character next = core::first_character(rest);
            REQUIRE(next.bytes > 0);
            REQUIRE_FALSE(core::is_hidden(next.point));
            rest.remove_prefix(next.bytes);
        }
    }
    CHECK(shown.size() == texts.size());
}

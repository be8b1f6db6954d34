// SPDX-License-Identifier: Apache-2.0
#include "cli/base/text.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace headway::cli;
using namespace std::chrono_literals;

TEST_CASE("text: a clean line is one line in which nothing is dropped", "[cli]") {
    CHECK(clean_line("plain text") == "plain text");
    CHECK(clean_line("\x1b[31mred\x1b[0m") == "\\u{1b}[31mred\\u{1b}[0m");
    CHECK(clean_line("\x1b]0;title\atext") == "\\u{1b}]0;title\\u{7}text");
    CHECK(clean_line("a\u202eb\u2066c") == "a\\u{202e}b\\u{2066}c");
    CHECK(clean_line("a\nb\r\n\tc  d ") == "a b c d");
    CHECK(clean_line("bad \xC3( \xFF") == "bad \\x{c3}( \\x{ff}");
    CHECK(on_one_line(" a\n\x1b") == "a \x1b");
}

TEST_CASE("text: cropping and padding count columns", "[cli]") {
    CHECK(width_of("h\xC3\xA9llo") == 5);
    CHECK(crop("hello", 5) == "hello");
    CHECK(crop("hello", 4) == "hel…");
    CHECK(crop("h\xC3\xA9llo", 3) == "h\xC3\xA9…");
    CHECK(crop("hello", 0).empty());
    for (const char* const wide : {"\u65E5", "\uD55C", "\uFF21", "\u2705", "\U0001F680", "\u3042"})
        CHECK(width_of(wide) == 2);
    for (const char* const narrow : {"\u00D7", "\u2026", "\u2588", "\u2713", "\u03A3", "\u0416"})
        CHECK(width_of(narrow) == 1);
    CHECK(crop("\u65E5\u672C\u8A9E", 6) == "\u65E5\u672C\u8A9E");
    CHECK(crop("\u65E5\u672C\u8A9E", 5) == "\u65E5\u672C…");
    CHECK(crop("\u65E5\u672C\u8A9E", 4) == "\u65E5…");
    CHECK(pad("\u65E5", 4) == "\u65E5  ");
    CHECK(pad("h\xC3\xA9", 4) == "h\xC3\xA9  ");
    CHECK(pad("hello", 4) == "hello");
    CHECK(cut_bytes("h\xC3\xA9llo", 2) == "h");
    CHECK(cut_bytes("h\xC3\xA9llo", 3) == "h\xC3\xA9");
}

TEST_CASE("text: durations and sizes for people", "[cli]") {
    CHECK(human_duration(850ms) == "850ms");
    CHECK(human_duration(5'120ms) == "5.1s");
    CHECK(human_duration(59'960ms) == "1m00s");
    CHECK(human_duration(125s) == "2m05s");
    CHECK(human_duration(3h + 12min) == "3h12m");
    CHECK(human_duration(98h) == "4d02h");
    CHECK(human_duration(-5ms) == "0ms");
    CHECK(human_duration(std::chrono::milliseconds::max()) == "106751991167d07h");
    CHECK(human_bytes(512) == "512 B");
    CHECK(human_bytes(4.2 * 1024 * 1024) == "4.2 MiB");
    CHECK(human_bytes(1024.0 * 1024) == "1.0 MiB");
}

TEST_CASE("text: times are read as the daemon writes them", "[cli]") {
    const auto time = parse_time("2026-11-21T02:00:00.250Z");
    REQUIRE(time);
    CHECK(time->time_since_epoch() == 1'795'226'400'250ms);
    CHECK_FALSE(parse_time("yesterday"));
    CHECK_FALSE(parse_time("2026-13-21T02:00:00.000Z"));
    CHECK_FALSE(parse_time(""));
}

TEST_CASE("text: a field is a line, and nothing without a value", "[cli]") {
    std::ostringstream out;
    field_line(out, "tool", "deploy");
    field_line(out, "risk", "");
    CHECK(out.str() == "  tool      deploy\n");
}

TEST_CASE("text: only ASCII letters become upper case", "[cli]") {
    CHECK(uppercase("wait-4 caf\xC3\xA9") == "WAIT-4 CAF\xC3\xA9");
}

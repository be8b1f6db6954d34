// SPDX-License-Identifier: Apache-2.0
#include "cli/text.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace headway::cli;
using namespace std::chrono_literals;

TEST_CASE("text: a clean line cannot steer a terminal", "[cli]") {
    CHECK(clean_line("plain text") == "plain text");
    CHECK(clean_line("\x1b[31mred\x1b[0m") == "red");
    CHECK(clean_line("\x1b]0;title\atext") == "text");
    CHECK(clean_line("\x1b]8;;http://x\x1b\\link") == "link");
    // What is not seen, or turns the order of letters.
    CHECK(clean_line("a\u202eb\u2066c") == "a\\u{202e}b\\u{2066}c");
    CHECK(clean_line("rm\u200b -rf\ufeff") == "rm\\u{200b} -rf\\u{feff}");
    CHECK(clean_line("\u00ad\u061c\u2028\u3164") == "\\u{ad}\\u{61c}\\u{2028}\\u{3164}");
    CHECK(clean_line("\U000e0041") == "\\u{e0041}");
    CHECK(clean_line("héllo – 日本 🎉") == "héllo – 日本 🎉");
    CHECK(clean_line("a\x1b") == "a");
    CHECK(clean_line("a\x1b[") == "a");
    CHECK(clean_line("a\nb\r\n\tc  d ") == "a b c d");
    CHECK(clean_line("a\x07"
                     "b\x7f"
                     "c") == "abc");
    CHECK(clean_line("a\xC2\x9B"
                     "31mb") == "a31mb");  // C1 CSI
    CHECK(clean_line("caf\xC3\xA9 \xF0\x9F\x98\x80") == "caf\xC3\xA9 \xF0\x9F\x98\x80");
    CHECK(clean_line("bad \xC3( \xFF") == "bad ?( ?");
}

TEST_CASE("text: cropping and padding count code points", "[cli]") {
    CHECK(width_of("h\xC3\xA9llo") == 5);
    CHECK(crop("hello", 5) == "hello");
    CHECK(crop("hello", 4) == "hel…");
    CHECK(crop("h\xC3\xA9llo", 3) == "h\xC3\xA9…");
    CHECK(crop("hello", 0).empty());
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

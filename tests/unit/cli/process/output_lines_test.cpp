// SPDX-License-Identifier: Apache-2.0
#include "cli/process/output_lines.hpp"

#include <catch2/catch.hpp>

using headway::cli::OutputLines;

TEST_CASE("output lines: lines are reported once they are complete", "[cli]") {
    OutputLines lines;
    CHECK_FALSE(lines.take(false));
    lines.feed("one\ntw");
    CHECK(lines.take(false) == "one");
    CHECK_FALSE(lines.take(false));
    lines.feed("o\nthree");
    CHECK(lines.take(false) == "two");
    CHECK(lines.take(true) == "three");
    CHECK_FALSE(lines.take(true));
}

TEST_CASE("output lines: what a carriage return overwrote is not shown", "[cli]") {
    OutputLines lines;
    lines.feed("10 %\r50 %\r");
    lines.feed("100 %\r\ndone\r\n");
    CHECK(lines.take(false) == "100 %\ndone");
}

TEST_CASE("output lines: colours and empty lines are dropped", "[cli]") {
    OutputLines lines;
    lines.feed("\x1b[32mok\x1b[0m\n\n   \n\x1b[K\n");
    CHECK(lines.take(false) == "ok");
}

TEST_CASE("output lines: a flood is counted, the last lines stay", "[cli]") {
    OutputLines lines;
    for (int i = 0; i < 100; ++i)
        lines.feed(std::to_string(i) + "\n");
    const auto text = lines.take(false);
    REQUIRE(text);
    CHECK_THAT(*text, Catch::StartsWith("[80 earlier lines left out]\n80\n81\n"));
    CHECK_THAT(*text, Catch::EndsWith("\n99"));
}

TEST_CASE("output lines: a line without end is bounded", "[cli]") {
    OutputLines lines;
    for (int i = 0; i < 1'000; ++i)
        lines.feed(std::string(10'000, 'x'));
    const auto text = lines.take(true);
    REQUIRE(text);
    CHECK(text->size() == OutputLines::kLineBytesMax);
}

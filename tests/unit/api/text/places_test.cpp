// SPDX-License-Identifier: Apache-2.0
#include "api/text/places.hpp"

#include <catch2/catch.hpp>
#include <string>

using headway::api::without_places;

namespace {

/// The failure at a line.
std::string failure_at(std::string text, const std::string& line) {
    for (std::size_t place = text.find("@L"); place != text.npos; place = text.find("@L"))
        text.replace(place, 2, line);
    return text;
}

}  // namespace

TEST_CASE("places: an error at another line is the same error", "[api]") {
    const char* const failure = GENERATE(
        "src/a.ts(@L,5): error TS2322", "src/a.ts:@L:5 - error TS2322", "A.java:@L: error: symbol",
        "  File \"/p/a.py\", line @L, in f",
        "  --> src/main.rs:@L:5\n   |\n@L |     x\n   |  ^ i32",
        "/p/a.js\n  @L:5  error  'x' is not defined", "@L:5  error  'x' is not defined",
        "l.@L \\foo", "psql:a.sql:@L: ERROR:  no t",
        "  on main.tf line @L, in resource:\n  @L:   foo = 1", "a.rb:@L:in `f'",
        "a.sh: line @L: syntax error", "> @L | const a", "make: *** [Makefile:@L: a.o] Error 1",
        "SyntaxError: no brace (@L:5)", "Expecting ',': line @L column 5 (char 7)", "Bar.java:@L)",
        "a.cs(@L): error CS1002", "a.hs:@L:5-9: error");
    CAPTURE(failure);
    CHECK(without_places(failure_at(failure, "12")) == without_places(failure_at(failure, "9")));
    CHECK(without_places(failure_at(failure, "12")) == without_places(failure_at(failure, "1340")));
    CHECK(without_places(failure_at(failure, "12")) != failure_at(failure, "12"));
}

TEST_CASE("places: other numbers of a failure stay", "[api]") {
    const char* const failure =
        GENERATE("2 errors", "assert 1 == 2", "expected: 5", "connect 127.0.0.1:3000 failed",
                 "step 3: no", "got (3, 4)", "x = (12)", "at position 12", "1:2 odds",
                 "bad date on line 12", "sha256:12ab", "E 5 | 6", "", "12", "# 5");
    CHECK(without_places(failure) == failure);
}

TEST_CASE("places: what a mask took for a time is a place as well", "[api]") {
    CHECK(without_places("  \x01  error  no") == without_places("  9:5  error  no"));
    CHECK(without_places("a.c:\x01: no") == without_places("a.c:9:5: no"));
}

TEST_CASE("places: the errors of a compiler are counted by their lines", "[api]") {
    using headway::api::count_places;
    CHECK(count_places("a.ts(12,5): error TS1\nb/c.ts(1,2): error TS2\n  in x") == 2);
    CHECK(count_places("# x/a\n./a.go:12:5: undefined: foo") == 1);
    CHECK(count_places("Traceback:\n  File \"/p/a.py\", line 12\nTypeError: no") == std::nullopt);
    CHECK(count_places("    at f (a.js:12:5)\nat g (a.js:1)") == std::nullopt);
    CHECK(count_places("") == std::nullopt);
}

TEST_CASE("places: a number that says how far something came is no counter", "[api]") {
    const char* const differing = GENERATE("budget used up at row {} of 50000; run again to go on",
                                           "curl: (18) transfer closed with {} bytes remaining",
                                           "stopped at {}%", "imported {}/900 rows");
    const char* const alike = GENERATE("attempt {} of 5 failed", "worker {} crashed",
                                       "request req-{} timed out", "try {}/3: no route");
    const auto with = [](std::string_view text, std::string_view number) {
        std::string out{text};
        return out.replace(out.find("{}"), 2, number);
    };
    CAPTURE(differing, alike);
    CHECK(headway::api::without_numbers(with(differing, "12")) !=
          headway::api::without_numbers(with(differing, "21")));
    CHECK(headway::api::without_numbers(with(alike, "1")) ==
          headway::api::without_numbers(with(alike, "2")));
}

// SPDX-License-Identifier: Apache-2.0
#include "config/values/parse.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

using namespace headway::config;
using namespace std::chrono_literals;

TEST_CASE("parse: a whole number is all of the text and within its range", "[config]") {
    CHECK(parse_whole("7", 0, 10).value() == 7);
    CHECK(parse_whole(Value(std::int64_t{10}), 0, 10).value() == 10);
    CHECK(parse_whole("18446744073709551615", 0, UINT64_MAX).value() == UINT64_MAX);
    for (const char* text : {"", " 7", "7 ", "+7", "-1", "-0", "0x7", "7.0", "7k", "1e3", "11",
                             "18446744073709551616", "99999999999999999999999999"})
        CHECK_FALSE(parse_whole(text, 0, 10).has_value());
    CHECK_FALSE(parse_whole(Value(std::int64_t{-1}), 0, UINT64_MAX).has_value());
    CHECK_FALSE(parse_whole(Value(7.0), 0, 6).has_value());
    CHECK(parse_whole("11", 0, 10).error().detail == "\"11\" is not a whole number from 0 to 10");
}

TEST_CASE("parse: no fraction lies outside, and none is nan", "[config]") {
    CHECK(parse_fraction("0").value() == 0);
    CHECK(parse_fraction("1").value() == 1);
    CHECK(parse_fraction(Value(0.25)).value() == 0.25);
    for (const char* text : {"nan", "-nan", "inf", "-inf", "1.0001", "-0.1", "", "0.5x", "0,5"})
        CHECK_FALSE(parse_fraction(text).has_value());
    CHECK(std::isnan(parse_number("ten")));
}

TEST_CASE("parse: a time has a unit and is within its range", "[config]") {
    CHECK(parse_time("10s", 1s, 1min).value() == 10s);
    CHECK(parse_time("1s", 1s, 1min).value() == 1s);
    CHECK(parse_time("60s", 1s, 1min).value() == 1min);
    for (const char* text : {"999ms", "61s", "10", "-1s", "s", "", "9999999999999999999h"})
        CHECK_FALSE(parse_time(text, 1s, 1min).has_value());
}

TEST_CASE("parse: a word is one of those there are, else the nearest is named", "[config]") {
    constexpr std::array<std::string_view, 3> kWords{"debug", "info", "error"};
    CHECK(parse_word("error", kWords).value() == 2);
    for (const char* text : {"", "Error", "error ", "err"})
        CHECK_FALSE(parse_word(text, kWords).has_value());
    CHECK_THAT(parse_word("infoo", kWords).error().detail,
               Catch::Contains("is not one of debug, info, error") && Catch::Contains("info"));
}

TEST_CASE("parse: a list has at most as many items as its key takes", "[config]") {
    CHECK(parse_list("a,b", 2, "tools").value() == Value::List{"a", "b"});
    CHECK(parse_list(Value(Value::List{"a,b", "c"}), 2, "tools").value() ==
          Value::List{"a,b", "c"});
    CHECK(parse_list("a,b,c", 2, "tools").error().detail == "more than 2 tools");
    CHECK(parse_list("", 0, "tools").value().empty());
}

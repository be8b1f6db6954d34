// SPDX-License-Identifier: Apache-2.0
#include "api/text/query.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using headway::core::ErrorCode;

TEST_CASE("query: query parameters are decoded", "[api]") {
    constexpr std::string_view kKnown = "a b_c empty";
    const auto query = Query::parse("a=x%3D%26%C3%A4+y&b%5Fc=1&&empty=", kKnown);
    require_ok(query);
    CHECK(*query->find("a") == "x=&ä y");
    CHECK(*query->find("b_c") == "1");
    CHECK(query->find("empty")->empty());
    CHECK(query->find("c") == nullptr);
    CHECK(Query::parse("empty", kKnown).value().find("empty")->empty());
    CHECK(*Query::parse("a=b=c", kKnown).value().find("a") == "b=c");
    require_ok(Query::parse("", {}));
    CHECK(Query::parse("x=1", {}).error().detail == "unknown parameter; known here are: none");
    CHECK(Query::parse("x=1", kKnown).error().detail ==
          "unknown parameter; known here are: a, b_c, empty");
}

TEST_CASE("query: what a query may not be", "[api]") {
    constexpr std::string_view kKnown = "a";
    const std::pair<const char*, const char*> cases[] = {
        {"b=1", "b"},   {"a=1&a=1", "a"}, {"a=%", "a"}, {"a=%4", "a"},    {"a=%zz", "a"},
        {"a=%00", "a"}, {"A=1", "A"},     {"=1", ""},   {"%zz=1", "%zz"}, {"a=1&%61=2", "a"},
    };
    for (const auto& [text, field] : cases) {
        DYNAMIC_SECTION(text) {
            const auto query = Query::parse(text, kKnown);
            CHECK(code_of(query) == ErrorCode::kInvalidParameter);
            CHECK(query.error().field == field);
        }
    }
}

TEST_CASE("query: durations", "[api]") {
    const std::pair<const char*, std::int64_t> good[] = {
        {"55s", 55'000}, {"500ms", 500}, {"2m", 120'000}, {"3", 3'000}, {"0", 0}, {"0ms", 0},
    };
    for (const auto& [text, ms] : good)
        CHECK(parse_duration_ms(text, "wait").value() == ms);
    for (const char* bad : {"", "s", "-1s", "1.5s", "1h", "1 s", "+1s", "1S", "1ss", "2000000000",
                            "99999999999999999999s", "0x1s"}) {
        const auto parsed = parse_duration_ms(bad, "wait");
        INFO(bad);
        CHECK(code_of(parsed) == ErrorCode::kInvalidParameter);
        CHECK(parsed.error().field == "wait");
    }
}

TEST_CASE("query: whole numbers within bounds", "[api]") {
    CHECK(parse_number("1", "limit", 1, 200).value() == 1);
    CHECK(parse_number("200", "limit", 1, 200).value() == 200);
    CHECK(parse_number("18446744073709551615", "after", 0, UINT64_MAX).value() == UINT64_MAX);
    for (const char* bad :
         {"", "0", "201", "-1", "+1", " 1", "1 ", "1.0", "x", "0x10", "18446744073709551616"}) {
        INFO(bad);
        CHECK(code_of(parse_number(bad, "limit", 1, 200)) == ErrorCode::kInvalidParameter);
    }
}

TEST_CASE("query: a parameter is UTF-8, and a refused one is shown so", "[api]") {
    CHECK(headway::api::Query::parse("a=%C3%A9", "a").has_value());
    for (const char* text : {"a=%FF", "%FF=1", "a=x%C3"}) {
        INFO(text);
        const auto refused = headway::api::Query::parse(text, "a");
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code == headway::core::ErrorCode::kInvalidParameter);
        CHECK(refused.error().detail == "must be UTF-8");
    }
}

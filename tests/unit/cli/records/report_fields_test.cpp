// SPDX-License-Identifier: Apache-2.0
#include "cli/records/report_fields.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using headway::cli::build_data;
using headway::cli::build_labels;
using headway::cli::check_once;
using headway::tests::parsed;

TEST_CASE("report fields: values are JSON where they can be, else text", "[cli]") {
    const auto data =
        build_data("", {"percent=40", "ok=false", "tool=bash", "error.class=test",
                        "error.message=2 failed", "list=[1,2]", "id=\"7\"", "e=", "eq=a=b"});
    REQUIRE(data.has_value());
    CHECK(*data == parsed(R"({"percent":40,"ok":false,"tool":"bash","list":[1,2],"id":"7",
        "e":"","eq":"a=b","error":{"class":"test","message":"2 failed"}})"));
}

TEST_CASE("report fields: they add to the JSON given", "[cli]") {
    const auto data = build_data(R"({"a":1,"b":{"c":2}})", {"b.d=3", "a=4"});
    REQUIRE(data.has_value());
    CHECK(*data == parsed(R"({"a":4,"b":{"c":2,"d":3}})"));
}

TEST_CASE("report fields: what is not a field or not JSON is refused", "[cli]") {
    for (const char* field : {"novalue", "=x", "a.=x", "a.b=1"}) {
        CHECK_FALSE(build_data(R"({"a":7})", {field}).has_value());
    }
    for (const char* text : {"{", "[1]", "7", "nonsense"}) {
        CHECK_FALSE(build_data(text, {}).has_value());
    }
}

TEST_CASE("report fields: a field that is given twice is refused by its name", "[cli]") {
    const std::vector<std::vector<std::string>> twice{{"tool=a", "ok=true", "tool=b"},
                                                      {"tool=a", "tool=a"},
                                                      {"error=x", "error.class=y"},
                                                      {"error.class=y", "error={}"}};
    for (const std::vector<std::string>& fields : twice) {
        const auto once = check_once(fields);
        REQUIRE_FALSE(once.has_value());
        const std::string name = fields[0].substr(0, fields[0].find_first_of("=."));
        CHECK_THAT(once.error().detail,
                   Catch::Contains("\"" + name + "\" is given more than once"));
    }
    CHECK(check_once({"tool=a", "tools=b", "a.b=1", "a.bc=2"}).has_value());
}

TEST_CASE("report fields: labels stay text", "[cli]") {
    const auto labels = build_labels({"team=night", "run=7"});
    REQUIRE(labels.has_value());
    CHECK(*labels == parsed(R"({"team":"night","run":"7"})"));
    CHECK_FALSE(build_labels({"team"}).has_value());
    CHECK_FALSE(build_labels({"team="}).has_value());
}

// SPDX-License-Identifier: Apache-2.0
#include "config/values/duration.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using headway::config::parse_duration;
using headway::config::print_duration;

TEST_CASE("duration: every unit is read and printed back", "[config]") {
    struct Case {
        const char* text;
        std::chrono::milliseconds value;
        const char* printed;
    };
    const Case cases[] = {{"500ms", 500ms, "500ms"}, {"10s", 10s, "10s"},  {"2m", 2min, "2m"},
                          {"12h", 12h, "12h"},       {"30d", 720h, "30d"}, {"120s", 2min, "2m"},
                          {"90s", 90s, "90s"},       {"0", 0ms, "0s"},     {"0s", 0ms, "0s"}};
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            const auto parsed = parse_duration(c.text);
            REQUIRE(parsed.has_value());
            CHECK(*parsed == c.value);
            CHECK(print_duration(*parsed) == c.printed);
        }
    }
}

TEST_CASE("duration: what is not one is refused with the way to write it", "[config]") {
    const char* const texts[] = {
        "",    "10",    "s",     "ten seconds",          "-1s", "1.5s", "10 s", "1w", "+1s",
        "10S", "1h30m", "4000d", "99999999999999999999s"};
    for (const char* text : texts) {
        DYNAMIC_SECTION("'" << text << "'") {
            const auto parsed = parse_duration(text);
            REQUIRE_FALSE(parsed.has_value());
            CHECK(parsed.error().code == headway::core::ErrorCode::kInvalidConfig);
            CHECK_THAT(parsed.error().detail, Catch::Contains("500ms, 10s, 2m, 12h or 30d"));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "config/values/size.hpp"

#include <catch2/catch.hpp>

using headway::config::parse_size;
using headway::config::print_size;

TEST_CASE("size: every unit is read and printed back", "[config]") {
    struct Case {
        const char* text;
        std::uint64_t value;
        const char* printed;
    };
    const Case cases[] = {{"0", 0, "0B"},
                          {"0MiB", 0, "0B"},
                          {"7B", 7, "7B"},
                          {"512KiB", 512U << 10, "512KiB"},
                          {"64MiB", 64U << 20, "64MiB"},
                          {"2048MiB", 2ULL << 30, "2GiB"},
                          {"1536MiB", 1536ULL << 20, "1536MiB"}};
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            const auto parsed = parse_size(c.text);
            REQUIRE(parsed.has_value());
            CHECK(*parsed == c.value);
            CHECK(print_size(*parsed) == c.printed);
        }
    }
}

TEST_CASE("size: what is not one is refused with the way to write it", "[config]") {
    const char* const texts[] = {"",      "10",   "MiB",   "-1MiB",       "1.5MiB",
                                 "1 MiB", "64MB", "64mib", "99999999GiB", "99999999999999999999B"};
    for (const char* text : texts) {
        DYNAMIC_SECTION("'" << text << "'") {
            const auto parsed = parse_size(text);
            REQUIRE_FALSE(parsed.has_value());
            CHECK(parsed.error().code == headway::core::ErrorCode::kInvalidConfig);
            CHECK_THAT(parsed.error().detail, Catch::Contains("512KiB, 64MiB or 1GiB"));
        }
    }
}

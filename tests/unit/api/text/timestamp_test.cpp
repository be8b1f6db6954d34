// SPDX-License-Identifier: Apache-2.0
#include "api/text/timestamp.hpp"

#include <catch2/catch.hpp>

using namespace headway;

TEST_CASE("timestamp: RFC 3339 UTC with milliseconds", "[api]") {
    const std::pair<std::int64_t, const char*> cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1'700'000'000'123, "2023-11-14T22:13:20.123Z"},
        {951'782'399'999, "2000-02-28T23:59:59.999Z"},
        {951'782'400'000, "2000-02-29T00:00:00.000Z"},
        {4'107'542'400'000, "2100-03-01T00:00:00.000Z"},
        {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
    };
    for (const auto& [ms, text] : cases) {
        std::string out = ">";
        api::append_timestamp(out, core::Timestamp{core::Millis{ms}});
        CHECK(out == std::string{">"} + text);
    }
}

TEST_CASE("timestamp: reads what it writes, and other fractions, and nothing else", "[api]") {
    const auto read = [](std::string_view text) -> std::int64_t {
        core::Timestamp at{core::Millis{-1}};
        return api::parse_timestamp(text, at) ? at.time_since_epoch().count() : -1;
    };
    CHECK(read("2026-11-21T02:37:00.123Z") == 1795228620123);
    CHECK(read("2026-11-21T02:37:00Z") == 1795228620000);
    CHECK(read("2026-11-21T02:37:00.5Z") == 1795228620500);
    CHECK(read("2026-11-21T02:37:00.123456789Z") == 1795228620123);
    for (const std::string_view bad :
         {"", "Z", "2026-11-21", "2026-11-21T02:37:00", "2026-11-21T02:37:00+01:00",
          "2026-13-21T02:37:00Z", "2026-02-30T02:37:00Z", "2026-11-21T24:00:00Z",
          "2026-11-21T02:61:00Z", "2026-11-21T02:37:00.Z", "2026-11-21T02:37:00,5Z",
          "2026-11-21 02:37:00Z", "2026-11-21T02:37:00.1x3Z"}) {
        CHECK(read(bad) == -1);
    }
}

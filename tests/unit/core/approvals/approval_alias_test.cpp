// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approval_alias.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

TEST_CASE("approval alias: a UUIDv7 of the time that leads back to the position", "[core]") {
    for (const std::int64_t cursor : {std::int64_t{1}, std::int64_t{77}, std::int64_t{1} << 40}) {
        const std::string alias = approval_alias("a-1", 7, at(5), cursor);
        CHECK(alias.size() == 36);
        CHECK(alias.substr(0, 13) == "018bcfe5-6805");
        CHECK(alias[14] == '7');
        CHECK((alias[19] == '8' || alias[19] == '9' || alias[19] == 'a' || alias[19] == 'b'));
        CHECK(cursor_of_alias(alias) == cursor);
        CHECK(approval_alias("a-1", 7, at(5), cursor) == alias);
        CHECK(approval_alias("a-1", 8, at(5), cursor) != alias);
    }
}

TEST_CASE("approval alias: approval ids and other UUIDs are no alias", "[core]") {
    for (const char* text :
         {"", "a-1.a7", "018bcfe5-6805-4000-8000-000000000001",
          "018bcfe5-6805-7000-8000-000000000000", "018bcfe5-6805-7000-8000-00000000000g",
          "018bcfe5_6805-7000-8000-000000000001", "018bcfe5-6805-7000-0000-000000000001"}) {
        CHECK_FALSE(cursor_of_alias(text).has_value());
    }
    CHECK(is_uuid("018bcfe5-6805-4000-8000-00000000000A"));
    CHECK_FALSE(is_uuid("018bcfe5-6805-4000-8000-00000000000g"));
    CHECK_FALSE(is_uuid("018bcfe5_6805-4000-8000-000000000001"));
    CHECK(cursor_of_alias("018BCFE5-6805-7ABC-8000-00000000000A") == 10);
}

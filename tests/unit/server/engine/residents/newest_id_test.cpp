// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/newest_id.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/support/gen.hpp"

using namespace headway::server;
using namespace headway::tests;

TEST_CASE("NewestId: ids that count up are new, with and without leading zeros", "[engine]") {
    NewestId newest;
    newest.start();
    for (int i = 1; i < 2000; ++i) {
        const std::string id = "call-" + std::to_string(i);
        CHECK(newest.is_new(id));
        newest.note(id);
        CHECK_FALSE(newest.is_new(id));
    }
    CHECK(newest.is_new("00000000000000000001"));
}

TEST_CASE("NewestId: an id that is there is never called new", "[engine]") {
    Gen gen{seed()};
    NewestId newest;
    newest.start();
    std::set<std::string> all;
    for (int i = 0; i < 2000; ++i) {
        const std::string id = gen.bytes(1 + gen.below(3));
        if (all.count(id) != 0) CHECK_FALSE(newest.is_new(id));
        newest.note(id);
        all.insert(id);
        CHECK_FALSE(newest.is_new(id));
    }
}

TEST_CASE("NewestId: of a session whose ids are not known none is new", "[engine]") {
    NewestId newest;
    newest.note("a");
    CHECK_FALSE(newest.is_new("b"));
}

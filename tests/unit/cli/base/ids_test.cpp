// SPDX-License-Identifier: Apache-2.0
#include "cli/base/ids.hpp"

#include <catch2/catch.hpp>

using namespace headway::cli;

TEST_CASE("ids: any text becomes a valid session id", "[cli]") {
    CHECK(session_id_of("build-1_a.b:c") == "build-1_a.b:c");
    CHECK(session_id_of("a b/ü") == "a-b---");
    CHECK(session_id_of("") == "session");
    CHECK(session_id_of(std::string(300, 'x')).size() == 128);
}

TEST_CASE("ids: the generations of a session have one base", "[cli]") {
    CHECK(base_of_generation("night") == "night");
    CHECK(base_of_generation("night~2") == "night");
    CHECK(base_of_generation("night~x") == "night~x");
    CHECK(base_of_generation("night~02") == "night~02");
    CHECK(next_generation("night") == "night~2");
    CHECK(next_generation("night~2") == "night~3");
    CHECK(next_generation("night~99") == "night~100");
    CHECK(next_generation("night~x") == "night~x~2");
}

TEST_CASE("ids: tags are twelve digits and differ", "[cli]") {
    const std::string tag = random_tag();
    CHECK(tag.size() == 12);
    CHECK(tag.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(tag != random_tag());
}

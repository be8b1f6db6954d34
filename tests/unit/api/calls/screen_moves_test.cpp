// SPDX-License-Identifier: Apache-2.0
#include "api/calls/screen_moves.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

using headway::api::JsonDocument;
using headway::api::moves_on_screen;

namespace {

bool moves(const std::string& tool, const std::string& args) {
    JsonDocument document;
    REQUIRE(document.parse(args));
    return moves_on_screen(tool, document.root());
}

}  // namespace

TEST_CASE("A tool that acts on a screen, or moves by a direction or a key, moves there", "[api]") {
    CHECK(moves("scroll", R"({"amount":3})"));
    CHECK(moves("move", R"({"dir":"left"})"));
    CHECK(moves("key", R"({"text":"Return"})"));
    CHECK(moves("mcp__chess__move", R"({"from":"e2","to":"e4"})"));
    CHECK(moves_on_screen("step", std::nullopt));
}

TEST_CASE("A tool that moves a record or money moves nothing on a screen", "[api]") {
    CHECK_FALSE(moves("mcp__trello__move_card", R"({"card":"c1","list":"done"})"));
    CHECK_FALSE(moves("mcp__bank__move_money", R"({"from":"a","to":"b","amount":10})"));
    CHECK_FALSE(moves("rotate_key", R"({"key_id":"k1"})"));
    CHECK_FALSE(moves("read_file", R"({"path":"a"})"));
}

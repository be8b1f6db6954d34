// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/ping_path.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "server/tokens/token_text.hpp"

using namespace headway::server;
using headway::core::ErrorCode;

TEST_CASE("ping path: an id and what is said of it", "[server]") {
    for (const std::string action : {"", "start", "fail", "log", "0", "7", "255"}) {
        const auto path = parse_ping_path(action.empty() ? "job" : "job/" + action);
        REQUIRE(path);
        CHECK(path->id == "job");
        CHECK(path->action == action);
        CHECK(path->key.empty());
    }
}

TEST_CASE("ping path: other ends are refused", "[server]") {
    for (const char* rest : {"", "job/", "job/256", "job/-1", "job/+1", "job/1x", "job/START",
                             "job/start/", "job/start/fail", "job//start"}) {
        const auto path = parse_ping_path(rest);
        INFO(rest);
        REQUIRE_FALSE(path);
        CHECK(path.error().code == ErrorCode::kUnknownRoute);
    }
}

TEST_CASE("ping path: a token stands in front, and is never an id", "[server]") {
    const std::string token = make_token().value().text;
    const auto path = parse_ping_path(token + "/job/fail");
    REQUIRE(path);
    CHECK(path->key == token);
    CHECK(path->id == "job");
    CHECK(path->action == "fail");
    const auto named = parse_ping_path(token + "/start");
    REQUIRE(named);
    CHECK(named->id == "start");
    CHECK(parse_ping_path(token).error().code == ErrorCode::kUnknownRoute);
    CHECK(parse_ping_path(token.substr(0, token.size() - 1) + "/job").error().code ==
          ErrorCode::kUnauthorized);
    CHECK(parse_ping_path("hw_short/start")->id == "hw_short");
}

TEST_CASE("ping path: what is shown has no token", "[server]") {
    const std::string token = make_token().value().text;
    CHECK(path_without_key("/ping/" + token + "/job/fail") == "/ping/KEY/job/fail");
    CHECK(path_without_key("/ping/" + token) == "/ping/KEY");
    CHECK(path_without_key("/ping/" + token.substr(0, 50)) == "/ping/KEY");
    CHECK(path_without_key("/ping/job/" + token) == "/ping/job/KEY");
    CHECK(path_without_key("/ping//" + token + "/" + token + "/") == "/ping//KEY/KEY/");
    CHECK(path_without_key("/ping/job/fail") == "/ping/job/fail");
    CHECK(path_without_key("/v1/sessions/a") == "/v1/sessions/a");
}

// SPDX-License-Identifier: Apache-2.0
#include "api/text/sse.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using headway::core::ErrorCode;

TEST_CASE("sse: an event with its id, name and data", "[api]") {
    std::string out = "before\n";
    append_sse(out, "heartbeat", 42, R"({"n":42})");
    CHECK(out == "before\nid: 42\nevent: heartbeat\ndata: {\"n\":42}\n\n");
}

TEST_CASE("sse: without an id the client's position stays", "[api]") {
    std::string out;
    append_sse(out, "goodbye", std::nullopt, "{}");
    CHECK(out == "event: goodbye\ndata: {}\n\n");
}

TEST_CASE("sse: the comment is a comment and ends its block", "[api]") {
    CHECK(kSseComment.front() == ':');
    CHECK(kSseComment.ends_with("\n\n"));
}

TEST_CASE("sse: positions are whole numbers", "[api]") {
    CHECK(parse_position("0", "last_event_id").value() == 0);
    CHECK(parse_position("9223372036854775807", "last_event_id").value() == INT64_MAX);
    for (const char* bad : {"", "-1", "x", "1x", " 1", "1.0", "9223372036854775808", "+1"}) {
        INFO(bad);
        const auto parsed = parse_position(bad, "Last-Event-ID");
        CHECK(code_of(parsed) == ErrorCode::kInvalidParameter);
        CHECK(parsed.error().field == "Last-Event-ID");
    }
}

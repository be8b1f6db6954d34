// SPDX-License-Identifier: Apache-2.0
#include "api/calls/bare_values.hpp"

#include <catch2/catch.hpp>

using headway::api::is_bare_value;

TEST_CASE("bare values: addresses, times and UUIDs alone", "[api]") {
    const char* const answer = GENERATE(
        "0x401004 in main ()", "0x7fffffffe000:\t0x0000000000001000", "00:01:20",
        "00:01:07,000 --> 00:01:07,900", "2026-12-07T10:00:00Z",
        "2026-11-01 10:00:12.123456789 +0000", "550e8400-e29b-41d4-a716-446655440000\n",
        R"({"slot":"2026-12-07T10:00:00Z"})", R"({"id":"550e8400-e29b-41d4-a716-446655440000"})");
    CAPTURE(answer);
    CHECK(is_bare_value(answer, true));
}

TEST_CASE("bare values: sentences, numbers and clocks are none", "[api]") {
    const char* const answer =
        GENERATE("", "12", "ok", "0.34s", "done at 12:03:44", "<Foo object at 0x7f3a10>", "0x",
                 "0x1 this is another thing", R"({"time":"12:03:44"})", R"({"updated":"12:03:44"})",
                 R"({"a":"12:03:44","n":5})", R"({"a":"12:03:44")", "{}", "1.2.3", "v1-2");
    CAPTURE(answer);
    CHECK_FALSE(is_bare_value(answer, true));
}

TEST_CASE("bare values: the id of the work that a queue gives out is what was asked for", "[api]") {
    using headway::api::asks_for_next;
    CHECK(asks_for_next("dequeue", "{}", ""));
    CHECK(asks_for_next("claim_job", R"({"by":"me"})", ""));
    CHECK(asks_for_next("Bash", "{}", "redis-cli LPOP jobs"));
    CHECK_FALSE(asks_for_next("Bash", "{}", "curl -X POST localhost/charges"));
    CHECK_FALSE(asks_for_next("reserve_table", R"({"time":"19:00"})", ""));
    CHECK_FALSE(asks_for_next("queue_render", R"({"scene":"a"})", ""));
    CHECK_FALSE(asks_for_next("release", "{}", ""));
    const char* const answer = R"({"job_id":"550e8400-e29b-41d4-a716-446655440000"})";
    CHECK(is_bare_value(answer, true));
    CHECK_FALSE(is_bare_value(answer, false));
}

// SPDX-License-Identifier: Apache-2.0
#include "core/detection/rate_limit.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

TEST_CASE("rate limit: a reset after a time in words is that long away", "[budget]") {
    CHECK(wait_in_words("You have exhausted your capacity on this model. Your quota will reset "
                        "after 8h44m7s.") == Millis{31'447'000});
    CHECK(wait_in_words("Your quota will reset after 5s.") == Millis{5'000});
    CHECK(wait_in_words("Your quota resets after lunch") == Millis{0});
}

TEST_CASE("rate limit: class decides, then status, then message", "[budget]") {
    CHECK(is_rate_limit("rate_limit", std::nullopt, ""));
    CHECK(is_rate_limit("RateLimitError", 500, "x"));
    CHECK(is_rate_limit("overloaded_error", std::nullopt, ""));
    CHECK(is_rate_limit("TooManyRequests", std::nullopt, ""));
    CHECK(is_rate_limit("", 429, ""));
    CHECK(is_rate_limit("", 529, ""));
    CHECK(is_rate_limit("", std::nullopt, "HTTP 429: slow down"));
    CHECK(is_rate_limit("MyError", std::nullopt, "Rate limit reached for requests"));
    CHECK_FALSE(is_rate_limit("", 503, "rate limit"));
    CHECK_FALSE(is_rate_limit("connection_refused", std::nullopt, "rate limit"));
    CHECK_FALSE(is_rate_limit("", std::nullopt, "connection refused"));
    CHECK_FALSE(is_rate_limit("", std::nullopt, "read 429 lines"));
    CHECK_FALSE(is_rate_limit("", std::nullopt, ""));
}

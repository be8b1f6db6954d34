// SPDX-License-Identifier: Apache-2.0
#include "core/detection/rate_limit.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "core/detection/provider_stop.hpp"
#include "core/text/text.hpp"

using namespace headway::core;

TEST_CASE("rate limit: a reset after a time in words is that long away", "[budget]") {
    CHECK(wait_in_words("You have exhausted your capacity on this model. Your quota will reset "
                        "after 8h44m7s.") == Millis{31'447'000});
    CHECK(wait_in_words("Your quota will reset after 5s.") == Millis{5'000});
    CHECK(wait_in_words("Your quota will reset after 0s.") == Millis{0});
    CHECK_FALSE(wait_in_words("Your quota resets after lunch"));
}

TEST_CASE("rate limit: a limit that is over at once is tried again soon", "[budget]") {
    ErrorReported error;
    error.message = bounded_text("429: exhausted your capacity. Your quota will reset after 0s.");
    error.ends_turn = true;
    const Timestamp now{std::chrono::seconds{1'796'000'000}};
    CHECK(retry_of(error, now) == now);
    CHECK(stop_of(error).cause == Cause::kRateLimit);
}

TEST_CASE("rate limit: a date with its zone is read in words", "[budget]") {
    const Timestamp now{std::chrono::seconds{1'796'083'200}};  // 2026-12-01T00:00:00Z
    const auto retry = [now](std::string words) {
        ErrorReported error;
        error.message = bounded_text(std::move(words));
        return retry_of(error, now);
    };
    CHECK(retry("usage limit, resets at 2026-12-01T05:00:00Z") == now + std::chrono::hours{5});
    CHECK(retry("limit reached; try again at 2026-12-01 01:30 UTC") ==
          now + std::chrono::minutes{90});
    CHECK(retry("usage limit, resets at 2026-12-01T05:00:00.25+00:00") ==
          now + std::chrono::hours{5});
    for (const char* none : {"resets at 2026-12-01T05:00:00", "resets at 05:00",
                             "resets at 2026-13-01T05:00:00Z", "resets at 2026-11-01T05:00:00Z",
                             "resets at 2027-12-01T05:00:00Z", "resets at 2026-12"}) {
        CAPTURE(none);
        CHECK(retry(none) == kNever);
    }
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

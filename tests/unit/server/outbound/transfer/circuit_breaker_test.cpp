// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/circuit_breaker.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::server;
using namespace std::chrono_literals;
using Permit = CircuitBreaker::Permit;

namespace {

constexpr CircuitBreaker::Instant kStart{};

CircuitBreaker opened(CircuitBreaker::Instant now) {
    CircuitBreaker breaker;
    for (int i = 0; i < 5; ++i)
        breaker.failed(breaker.admit(now), now);
    return breaker;
}

}  // namespace

TEST_CASE("circuit breaker: five failures in a row open it, a success between starts again",
          "[server]") {
    CircuitBreaker breaker;
    for (int i = 0; i < 4; ++i)
        breaker.failed(breaker.admit(kStart), kStart);
    CHECK(breaker.state(kStart) == BreakerState::kClosed);
    breaker.succeeded(breaker.admit(kStart));
    for (int i = 0; i < 4; ++i)
        breaker.failed(breaker.admit(kStart), kStart);
    CHECK(breaker.state(kStart) == BreakerState::kClosed);
    breaker.failed(breaker.admit(kStart), kStart);
    CHECK(breaker.state(kStart) == BreakerState::kOpen);
    CHECK(breaker.admit(kStart) == Permit::kNone);
    CHECK(breaker.reopens_at() == kStart + 30s);
}

TEST_CASE("circuit breaker: half open lets one probe through, whose success closes it",
          "[server]") {
    CircuitBreaker breaker = opened(kStart);
    CHECK(breaker.admit(kStart + 30s - 1ms) == Permit::kNone);
    CHECK(breaker.state(kStart + 30s) == BreakerState::kHalfOpen);
    const Permit probe = breaker.admit(kStart + 30s);
    CHECK(probe == Permit::kProbe);
    CHECK(breaker.admit(kStart + 31s) == Permit::kNone);
    breaker.succeeded(probe);
    CHECK(breaker.state(kStart + 31s) == BreakerState::kClosed);
    CHECK(breaker.admit(kStart + 31s) == Permit::kRegular);
}

TEST_CASE("circuit breaker: failed probes double the pause up to five minutes", "[server]") {
    CircuitBreaker breaker = opened(kStart);
    auto now = kStart;
    for (const auto pause : {30s, 60s, 120s, 240s, 300s, 300s}) {
        CHECK(breaker.reopens_at() - now == pause);
        now = breaker.reopens_at();
        breaker.failed(breaker.admit(now), now);
    }
    now = breaker.reopens_at();
    breaker.succeeded(breaker.admit(now));
    for (int i = 0; i < 5; ++i)
        breaker.failed(breaker.admit(now), now);
    CHECK(breaker.reopens_at() - now == 30s);  // from the start again
}

TEST_CASE("circuit breaker: an abandoned probe allows the next", "[server]") {
    CircuitBreaker breaker = opened(kStart);
    breaker.abandoned(breaker.admit(kStart + 30s));
    CHECK(breaker.state(kStart + 30s) == BreakerState::kHalfOpen);
    CHECK(breaker.admit(kStart + 30s) == Permit::kProbe);
}

TEST_CASE("circuit breaker: requests from before it opened", "[server]") {
    CircuitBreaker breaker;
    const Permit slow = breaker.admit(kStart);
    const Permit slower = breaker.admit(kStart);
    for (int i = 0; i < 5; ++i)
        breaker.failed(breaker.admit(kStart), kStart);
    SECTION("their failure does not prolong it") {
        breaker.failed(slow, kStart + 10s);
        CHECK(breaker.reopens_at() == kStart + 30s);
    }
    SECTION("nor does it stand for the probe's") {
        const Permit probe = breaker.admit(kStart + 30s);
        breaker.failed(slow, kStart + 31s);
        CHECK(breaker.state(kStart + 31s) == BreakerState::kHalfOpen);
        breaker.succeeded(probe);
        CHECK(breaker.state(kStart + 31s) == BreakerState::kClosed);
    }
    SECTION("their success closes it, and then a failed probe is one failure of five") {
        const Permit probe = breaker.admit(kStart + 30s);
        breaker.succeeded(slower);
        CHECK(breaker.state(kStart + 31s) == BreakerState::kClosed);
        breaker.failed(probe, kStart + 32s);
        CHECK(breaker.state(kStart + 32s) == BreakerState::kClosed);
    }
}

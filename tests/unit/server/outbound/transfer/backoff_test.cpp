// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/backoff.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace headway::server;
using namespace std::chrono_literals;

TEST_CASE("backoff: random below a bound that doubles up to half a minute", "[server]") {
    const auto most = [](std::uint32_t tries) {
        std::chrono::milliseconds found{0};
        for (std::uint64_t random = 0; random < 70'000; ++random)
            found = std::max(found, backoff(tries, random, std::nullopt));
        return found;
    };
    CHECK(most(0) == 500ms);
    CHECK(most(1) == 500ms);
    CHECK(most(2) == 1s);
    CHECK(most(6) == 16s);
    CHECK(most(7) == 30s);
    CHECK(most(std::numeric_limits<std::uint32_t>::max()) == 30s);
    CHECK(backoff(3, 0, std::nullopt) == 0ms);
    CHECK(backoff(1, 1000, std::nullopt) == 499ms);
    CHECK(backoff(9, std::numeric_limits<std::uint64_t>::max(), std::nullopt) <= 30s);
}

TEST_CASE("backoff: Retry-After is the minimum, up to ten minutes", "[server]") {
    CHECK(backoff(1, 0, 7s) == 7s);
    CHECK(backoff(1, 400, 0ms) == 400ms);
    CHECK(backoff(1, 400, std::chrono::hours{24}) == 10min);
}

// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/upkeep.hpp"

#include <catch2/catch.hpp>

using headway::server::settled_after;
using headway::server::snapshot_lag_max;
using namespace std::chrono_literals;

TEST_CASE("upkeep: with few sessions busy ones are saved after 50,000 events, or 10,000 in a gap",
          "[server]") {
    for (const std::size_t residents : {0U, 1U, 64U, 16'000U}) {
        CAPTURE(residents);
        CHECK(snapshot_lag_max(residents, false) == 50'000);
        CHECK(snapshot_lag_max(residents, true) == 10'000);
    }
}

TEST_CASE("upkeep: with many in turn a snapshot stands for three events, and a restart is bounded",
          "[server]") {
    for (const bool idle : {false, true}) {
        CAPTURE(idle);
        CHECK(snapshot_lag_max(40'000, idle) == 120'000);
        CHECK(snapshot_lag_max(100'000, idle) == 300'000);
        CHECK(snapshot_lag_max(1'000'000, idle) == 300'000);
    }
}

TEST_CASE("upkeep: of many sessions each is quiet for a while, and yet not saved", "[server]") {
    for (const std::size_t residents : {0U, 1U, 5'000U}) {
        CAPTURE(residents);
        CHECK(settled_after(residents) == 5s);
    }
    CHECK(settled_after(30'000) == 30s);
    CHECK(settled_after(60'000) == 60s);
    CHECK(settled_after(1'000'000) == 60s);
}

// SPDX-License-Identifier: Apache-2.0
#include "core/values/liveness.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

TEST_CASE("liveness: silent two intervals after the last heartbeat", "[core]") {
    CHECK(silent_at(at(5'000), at(0), Millis{10'000}) == at(25'000));
}

TEST_CASE("liveness: attention gaps are credited", "[core]") {
    CHECK(silent_at(at(5'000), at(60'000), Millis{10'000}) == at(80'000));
    CHECK(silent_at(at(5'000), at(5'000), Millis{100}) == at(5'200));
}

TEST_CASE("liveness: the next heartbeat interval", "[core]") {
    struct Case {
        const char* name;
        std::int64_t policy_ms;
        Attention attention;
        std::int64_t expected_ms;
    };
    const Case cases[] = {
        {"nothing special", 10'000, {false, false, false, 1}, 10'000},
        {"half while a tool runs", 10'000, {true, false, false, 1}, 5'000},
        {"half while watched", 10'000, {false, true, false, 1}, 5'000},
        {"half once when both", 10'000, {true, true, false, 1}, 5'000},
        {"twice while reflecting", 10'000, {false, false, true, 1}, 20'000},
        {"a watcher beats reflection", 10'000, {false, true, true, 1}, 5'000},
        {"a tool beats reflection", 10'000, {true, false, true, 1}, 5'000},
        {"times the load", 10'000, {false, false, false, 4}, 40'000},
        {"watched under load", 10'000, {false, true, false, 4}, 20'000},
        {"a load of nothing is one", 10'000, {false, false, false, 0}, 10'000},
        {"a load above eight is eight", 10'000, {false, false, false, 99}, 80'000},
        {"not below the minimum", 100, {true, false, false, 1}, 100},
        {"not above the maximum", 3'600'000, {false, false, true, 8}, 3'600'000},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            Policy policy;
            policy.heartbeat_interval = Millis{c.policy_ms};
            CHECK(next_heartbeat(policy, c.attention) == Millis{c.expected_ms});
        }
    }
}

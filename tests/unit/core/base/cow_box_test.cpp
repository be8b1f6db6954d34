// SPDX-License-Identifier: Apache-2.0
#include "core/base/cow_box.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/footprint.hpp"
#include "core/session/session.hpp"
#include "core/values/policy.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

TEST_CASE("shared: the default takes no memory, and reads as T's default", "[core]") {
    CowBox<Policy> policy;
    CHECK(policy.is_default());
    CHECK(*policy == Policy{});
    CHECK(owned_bytes(policy) == 0);
    policy.take_alike(Policy{});
    CHECK(policy.is_default());
}

TEST_CASE("shared: copies share a value until one of them changes it", "[core]") {
    CowBox<Policy> one;
    one.change().heartbeat_limit = 7;
    CowBox<Policy> two = one;
    CHECK(one.pointer() == two.pointer());
    two.change().heartbeat_limit = 8;
    CHECK(one->heartbeat_limit == 7);
    CHECK(two->heartbeat_limit == 8);
    CHECK_FALSE(one == two);
    Policy seven;
    seven.heartbeat_limit = 7;
    two.set(seven);
    CHECK(one == two);  // by value
    CHECK(one.pointer() != two.pointer());
}

TEST_CASE("shared: what was moved from reads as the default", "[core]") {
    CowBox<Policy> one;
    one.change().heartbeat_limit = 7;
    const CowBox<Policy> two = std::move(one);
    CHECK(two->heartbeat_limit == 7);
    CHECK(*one == Policy{});  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("shared: equal values of one configuration are one in memory", "[core]") {
    Policy policy;
    policy.tools.push_back({"deploy"});
    std::vector<CowBox<Policy>> owners(4);
    for (CowBox<Policy>& owner : owners)
        owner.take_alike(policy);
    CHECK(owners.front().owners() == owners.size());
    CHECK(owners.front().pointer() == owners.back().pointer());
    CHECK(owned_bytes(owners.front()) < sizeof(Policy));  // each its part
    // Many kinds in turn: none is forgotten wrongly.
    for (std::uint32_t i = 2; i < 40; ++i) {
        policy.heartbeat_limit = i;
        owners[i % owners.size()].take_alike(policy);
        CHECK(owners[i % owners.size()]->heartbeat_limit == i);
    }
}

TEST_CASE("shared: sessions that were opened alike share policy and rules", "[core]") {
    Policy defaults;
    defaults.heartbeat_limit = 9;
    SessionStarted about;
    about.budget_rules.warn_percent = 81;
    std::vector<Event> out;
    Session one{"one"};
    Session two{"two"};
    one.open(about, defaults, context(1), out);
    two.open(about, defaults, context(2), out);
    CHECK(one.state().policy->heartbeat_limit == 9);
    CHECK(one.state().policy.pointer() == two.state().policy.pointer());
    CHECK(one.state().about.budget_rules.pointer() == two.state().about.budget_rules.pointer());
    CHECK_FALSE(one.state().about.budget_rules.is_default());
    CHECK_FALSE(one.state().ledger.has_value());  // it waits
}

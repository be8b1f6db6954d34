// SPDX-License-Identifier: Apache-2.0
#include "core/policies/policy_floor.hpp"

#include <catch2/catch.hpp>

#include "core/session/session.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

using Raised = std::vector<std::string>;

/// A policy that is weaker than the defaults in one field, and the field's name.
struct Weakening {
    std::string field;
    Policy policy;
};

template <class Change>
Weakening weaker(std::string field, Change change) {
    Weakening weakening{std::move(field), Policy{}};
    change(weakening.policy);
    return weakening;
}

std::vector<Weakening> weakenings() {
    const auto detector = [](bool off, std::uint32_t suspect, std::uint32_t stuck) {
        return DetectorPolicy{kIdOf<ExactRepeat>, off, suspect, stuck};
    };
    return {
        weaker("/policy/loop_detection", [](Policy& p) { p.loop_detection = false; }),
        weaker("/policy/heartbeat_interval_ms",
               [](Policy& p) { p.heartbeat_interval = Millis{600'001}; }),
        weaker("/policy/heartbeat_limit", [](Policy& p) { p.heartbeat_limit = 21; }),
        weaker("/policy/tools/0/ignore",
               [](Policy& p) {
                   p.tools = {{"log", true, 1}};
               }),
        weaker("/policy/tools/0/patience",
               [](Policy& p) {
                   p.tools = {{"log", false, 11}};
               }),
        weaker("/policy/detectors/0/off", [&](Policy& p) { p.detectors = {detector(true, 0, 0)}; }),
        weaker("/policy/detectors/0/suspect",
               [&](Policy& p) { p.detectors = {detector(false, 10, 0)}; }),
        weaker("/policy/detectors/0/stuck",
               [&](Policy& p) { p.detectors = {detector(false, 0, 13)}; }),
    };
}

/// Limits that an operator may set for all sessions.
Policy demanding() {
    Policy policy;
    policy.profile = Profile::kStrict;
    policy.on_stuck = OnStuck::kHalt;
    policy.max_iterations = 25;
    policy.max_tool_failures = 3;
    policy.max_parse_failures = 3;
    policy.tool_time_limit = Millis{60'000};
    policy.min_confidence = 0.3;
    return policy;
}

}  // namespace

TEST_CASE("floor: weaker fields are raised to the floor and named", "[core]") {
    for (const Weakening& one : weakenings()) {
        INFO(one.field);
        Policy policy = one.policy;
        CHECK(raise_to({}, Policy{}, policy) == Raised{one.field});
        Policy again = policy;
        CHECK(raise_to({}, Policy{}, again).empty());
        CHECK(again == policy);
    }
}

TEST_CASE("floor: stricter fields stay", "[core]") {
    Policy policy = demanding();
    policy.heartbeat_interval = Millis{1'000};
    policy.heartbeat_limit = 2;
    policy.tools = {{"deploy", false, 1, true, 500}};
    policy.detectors = {{kIdOf<ExactRepeat>, false, 2, 3}};
    const Policy before = policy;
    CHECK(raise_to({}, Policy{}, policy).empty());
    policy.trust_origin = true;
    CHECK(policy == before);
}

TEST_CASE("floor: limits of the daemon's own policy cannot be lifted or raised", "[core]") {
    Policy lifted = demanding();
    lifted.profile = Profile::kBalanced;
    lifted.on_stuck = OnStuck::kAdvise;
    lifted.max_iterations = 0;
    lifted.max_tool_failures = 4;
    lifted.max_parse_failures = 0;
    lifted.tool_time_limit = Millis{60'001};
    lifted.min_confidence = 0;
    CHECK(raise_to({}, demanding(), lifted) ==
          Raised{"/policy/profile", "/policy/on_stuck", "/policy/max_iterations",
                 "/policy/max_tool_failures", "/policy/max_parse_failures",
                 "/policy/tool_time_limit_ms", "/policy/min_confidence"});
    lifted.trust_origin = true;
    CHECK(lifted == demanding());
}

TEST_CASE("floor: an agent cannot have its words of the user trusted", "[core]") {
    Policy daemon;
    daemon.trust_user = false;
    Policy policy;
    CHECK(weaker_field(policy, daemon) == "/trust_user");
    CHECK(weaker_field(daemon, policy).empty());
    CHECK(raise_to({}, daemon, policy) == Raised{"/policy/trust_user"});
    CHECK_FALSE(policy.trust_user);
    CHECK(raise_to({}, Policy{}, policy).empty());
    CHECK_FALSE(policy.trust_user);
}

TEST_CASE("floor: the daemon's entries for tools and detectors survive lists without them",
          "[core]") {
    Policy daemon;
    daemon.tools = {{"deploy", false, 1, true}, {"log", true, 1}};
    daemon.detectors = {{kIdOf<ExactRepeat>, false, 2, 3}};
    Policy policy;
    policy.tools = {{"other", false, 2}, {"log", true, 1}};
    policy.detectors = {{kIdOf<Cycle>, false, 1, 0}};
    CHECK(raise_to({}, daemon, policy) == Raised{"/policy/tools", "/policy/detectors"});
    CHECK(policy.tool("deploy")->requires_approval);
    CHECK(thresholds_of(policy, kIdOf<ExactRepeat>) == Thresholds{2, 3});
}

TEST_CASE("floor: an operator may allow more", "[core]") {
    PolicyFloor floor;
    floor.loop_detection = false;
    floor.heartbeat_interval = kHeartbeatIntervalMax;
    floor.heartbeat_limit = kHeartbeatLimitMax;
    floor.patience = kPatienceMax;
    floor.detectors_off = true;
    floor.threshold_factor = 100;
    floor.trust_origin = true;
    floor.ignore_tools = {"log"};
    for (const Weakening& one : weakenings()) {
        INFO(one.field);
        Policy policy = one.policy;
        CHECK(raise_to(floor, Policy{}, policy).empty());
        CHECK(policy == one.policy);
    }
}

TEST_CASE("floor: a class that openings may ignore covers its tools, and a tool not its class",
          "[core]") {
    PolicyFloor floor;
    Policy policy;
    policy.tools = {ToolPolicy{"Read", true}, ToolPolicy{"class:read", true},
                    ToolPolicy{"Write", true}};
    floor.ignore_tools = {"class:read"};
    CHECK(raise_to(floor, Policy{}, policy) == std::vector<std::string>{"/policy/tools/2/ignore"});
    floor.ignore_tools = {"Read"};
    CHECK(raise_to(floor, Policy{}, policy) == std::vector<std::string>{"/policy/tools/1/ignore"});
}

TEST_CASE("floor: weaker is found in each field, and tighter is not", "[core]") {
    for (const Weakening& one : weakenings()) {
        INFO(one.field);
        const bool lists = one.field.find("/detectors/") != std::string::npos;
        CHECK("/policy" + weaker_field(one.policy, Policy{}) ==
              (lists ? "/policy/detectors" : one.field));
        CHECK(weaker_field(Policy{}, one.policy).empty());
    }
    CHECK(weaker_field(demanding(), Policy{}).empty());
    CHECK(weaker_field(Policy{}, demanding()) == "/profile");
}

TEST_CASE("floor: a call with origin hook is evidence unless the policy trusts it", "[core]") {
    const bool trusted = GENERATE(false, true);
    Policy policy;
    policy.trust_origin = trusted;
    Story story{policy};
    for (int i = 0; i < 8; ++i) {
        ToolFinished call;
        call.tool = "bash";
        call.origin = "hook";
        static_cast<Text&>(call.args) = bounded_text(R"({"command":"make"})");
        static_cast<Text&>(call.result) = bounded_text("\"the same answer as every time\"");
        (void)story.report(event(std::move(call)), i + 1);
    }
    CHECK((story.verdict() == Verdict::kStuck) == !trusted);
}

TEST_CASE("floor: the time limit that the operator gave one tool stays", "[core]") {
    Policy defaults;
    defaults.tools = {{"bash", false, 1}};
    defaults.tools[0].time_limit_ms = 60'000;

    Policy silent;  // no entry for the tool
    CHECK(raise_to({}, defaults, silent) == Raised{"/policy/tools"});
    CHECK(silent.time_limit("bash") == Millis{60'000});

    Policy lifted;
    lifted.tools = {{"bash", false, 1}};
    CHECK(raise_to({}, defaults, lifted) == Raised{"/policy/tools/0/time_limit_ms"});
    CHECK(lifted.time_limit("bash") == Millis{60'000});

    Policy longer = lifted;
    longer.tools[0].time_limit_ms = 60'001;
    CHECK(raise_to({}, defaults, longer) == Raised{"/policy/tools/0/time_limit_ms"});

    Policy tighter;  // by the limit for all tools
    tighter.tools = {{"bash", false, 1}};
    tighter.tool_time_limit = Millis{5'000};
    CHECK(raise_to({}, defaults, tighter).empty());
    CHECK(tighter.time_limit("bash") == Millis{5'000});
    tighter.tools.clear();
    CHECK(raise_to({}, defaults, tighter).empty());
    CHECK(tighter.time_limit("bash") == Millis{5'000});

    PolicyFloor room;
    room.tool_time_limit = Millis{90'000};
    Policy roomy = lifted;
    roomy.tool_time_limit = Millis{90'000};
    roomy.tools[0].time_limit_ms = 80'000;
    CHECK(raise_to(room, defaults, roomy).empty());
    CHECK(roomy.time_limit("bash") == Millis{80'000});
}

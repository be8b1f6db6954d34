// SPDX-License-Identifier: Apache-2.0
#include "config/load/policy_keys.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "config/load/keys.hpp"
#include "core/base/limits.hpp"
#include "core/detectors/detectors.hpp"
#include "tests/support/names.hpp"

using namespace headway::config;
using headway::core::DetectorPolicy;
using headway::core::kIdOf;
using headway::core::Policy;
using headway::core::ToolPolicy;

namespace {

headway::core::Result<> assign_policy_key(Settings& settings, const std::string& key,
                                          const Value& value) {
    const Key* found = find_key("policy." + key);
    INFO(key);
    REQUIRE(found != nullptr);
    return found->assign(settings, value);
}

std::string shown_policy_key(const Settings& settings, const std::string& key) {
    return find_key("policy." + key)->print(settings).text();
}

/// Names `count` tools, with a prefix so that two lists share none.
Value::List names_of_tools(const std::string& prefix, std::size_t count) {
    Value::List names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(prefix + std::to_string(i));
    return names;
}

/// A key, a value that it takes, the nearest that it refuses, and what that says.
struct LimitOfKey {
    const char* key;
    const char* most;
    const char* beyond;
};

}  // namespace

TEST_CASE("policy keys: polling and ignored tools end up in one list of tools", "[config]") {
    Settings settings;
    REQUIRE(assign_policy_key(settings, "ignore_tools", "log,both").has_value());
    REQUIRE(assign_policy_key(settings, "poll_tools", "ci,both").has_value());
    ToolPolicy log{"log", true};
    ToolPolicy both{"both", true};
    both.polls = true;
    ToolPolicy ci{"ci"};
    ci.polls = true;
    CHECK((settings.policy.tools == std::vector<ToolPolicy>{log, both, ci}));
    CHECK(shown_policy_key(settings, "ignore_tools") == "log,both");
    CHECK(shown_policy_key(settings, "poll_tools") == "both,ci");
}

TEST_CASE("policy keys: a list of tools replaces its own switch and no other", "[config]") {
    Settings settings;
    REQUIRE(assign_policy_key(settings, "poll_tools", "ci,both").has_value());
    REQUIRE(assign_policy_key(settings, "ignore_tools", "log,both").has_value());
    REQUIRE(assign_policy_key(settings, "ignore_tools", "").has_value());
    CHECK(shown_policy_key(settings, "ignore_tools").empty());
    CHECK(shown_policy_key(settings, "poll_tools") == "ci,both");
    REQUIRE(assign_policy_key(settings, "poll_tools", "both").has_value());
    CHECK(settings.policy.tools.size() == 1);  // an entry that says nothing is gone
    REQUIRE(assign_policy_key(settings, "poll_tools", "").has_value());
    CHECK(settings.policy.tools.empty());
}

TEST_CASE("policy keys: a tool may have a time limit of its own", "[config]") {
    Settings settings;
    REQUIRE(assign_policy_key(settings, "poll_tools", "ci").has_value());
    REQUIRE(assign_policy_key(settings, "tool_time_limits", "bash=10m,ci=1500ms").has_value());
    settings.policy.tool_time_limit = headway::core::Millis{60'000};
    CHECK(settings.policy.time_limit("bash") == headway::core::Millis{600'000});
    CHECK(settings.policy.time_limit("ci") == headway::core::Millis{1'500});
    CHECK(settings.policy.time_limit("edit") == headway::core::Millis{60'000});
    CHECK(shown_policy_key(settings, "tool_time_limits") == "ci=1500ms,bash=10m");
    CHECK(shown_policy_key(settings, "poll_tools") == "ci");
    for (const char* wrong : {"bash", "=10m", "bash=", "bash=0s", "bash=2d", "bash=1m,bash=2m"}) {
        INFO(wrong);
        CHECK_FALSE(assign_policy_key(settings, "tool_time_limits", wrong).has_value());
    }
    REQUIRE(assign_policy_key(settings, "tool_time_limits", "").has_value());
    CHECK(settings.policy.tools.size() == 1);
}

TEST_CASE("policy keys: a tool that is named twice has one entry", "[config]") {
    Settings settings;
    REQUIRE(assign_policy_key(settings, "ignore_tools", "log,log").has_value());
    CHECK(settings.policy.tools.size() == 1);
}

TEST_CASE("policy keys: both lists of tools together have the bound of one", "[config]") {
    constexpr std::size_t kMost = headway::core::limits::kToolPoliciesMax;
    Settings settings;
    REQUIRE(assign_policy_key(settings, "ignore_tools", names_of_tools("a", kMost)).has_value());
    CHECK(settings.policy.tools.size() == kMost);
    const std::vector<ToolPolicy> before = settings.policy.tools;
    const auto one_more = assign_policy_key(settings, "poll_tools", "b");
    REQUIRE_FALSE(one_more.has_value());
    CHECK_THAT(one_more.error().detail, Catch::Contains("together with the other lists"));
    CHECK(settings.policy.tools == before);
    CHECK(assign_policy_key(settings, "poll_tools", "a0").has_value());  // has its entry already
    CHECK_FALSE(
        assign_policy_key(settings, "ignore_tools", names_of_tools("a", kMost + 1)).has_value());
}

TEST_CASE("policy keys: thresholds of detectors are read and shown as they are", "[config]") {
    Settings settings;
    REQUIRE(assign_policy_key(settings, "detectors", "exact_repeat=5/8,cycle=off,stagnation=0/9")
                .has_value());
    CHECK((settings.policy.detectors ==
           std::vector<DetectorPolicy>{{kIdOf<headway::core::ExactRepeat>, false, 5, 8},
                                       {kIdOf<headway::core::Cycle>, true, 0, 0},
                                       {kIdOf<headway::core::Stagnation>, false, 0, 9}}));
    CHECK(shown_policy_key(settings, "detectors") == "exact_repeat=5/8,cycle=off,stagnation=0/9");
    REQUIRE(assign_policy_key(settings, "detectors", "").has_value());
    CHECK(settings.policy.detectors.empty());
}

TEST_CASE("policy keys: a detector that is wrong leaves the thresholds as they were", "[config]") {
    const std::pair<const char*, const char*> cases[] = {
        {"exact_repet=3/4", "\"exact_repet\" is no detector; did you mean `exact_repeat`?"},
        {"Cycle=1/2", "\"Cycle\" is no detector"},
        {"=1/2", "\"\" is no detector"},
        {"exact_repeat", "write exact_repeat=SUSPECT/STUCK or exact_repeat=off"},
        {"exact_repeat=", "has no thresholds"},
        {"exact_repeat=3", "\"exact_repeat=3\" has no thresholds"},
        {"exact_repeat=OFF", "has no thresholds"},
        {"exact_repeat=3/", "whole number"},
        {"exact_repeat=/4", "whole number"},
        {"exact_repeat=-1/4", "whole number"},
        {"exact_repeat=3/4/5", "whole number"},
        {"exact_repeat=1/1000001", "1000000"},
        {"exact_repeat=8/5", "would never be suspect"},
        {"cycle=off,cycle=1/2", "the detector cycle stands there twice"},
    };
    for (const auto& [text, says] : cases) {
        DYNAMIC_SECTION(text) {
            Settings settings;
            REQUIRE(assign_policy_key(settings, "detectors", "stagnation=off").has_value());
            const auto refused = assign_policy_key(settings, "detectors", text);
            REQUIRE_FALSE(refused.has_value());
            CHECK_THAT(refused.error().detail, Catch::Contains(says));
            CHECK(shown_policy_key(settings, "detectors") == "stagnation=off");
        }
    }
    Settings settings;
    CHECK(assign_policy_key(settings, "detectors", "exact_repeat=0/1000000").has_value());
}

TEST_CASE("policy keys: every detector can be set by its name", "[config]") {
    for (const std::string_view name :
         headway::core::EnumNames<headway::core::DetectorId>::kNames) {
        CAPTURE(name);
        Settings settings;
        const std::string text = std::string{name} + "=2/3";
        CHECK(assign_policy_key(settings, "detectors", text).has_value());
        CHECK(shown_policy_key(settings, "detectors") == text);
    }
}

TEST_CASE("policy keys: limits of a session, each at its bound and beyond", "[config]") {
    const LimitOfKey cases[] = {
        {"max_iterations", "1000000000", "1000000001"},
        {"max_tool_failures", "1000000000", "1000000001"},
        {"max_parse_failures", "1000000000", "1000000001"},
        {"min_confidence", "1", "1.01"},
        {"min_confidence", "0", "-0.1"},
        {"low_confidence_attempts", "1000", "1001"},
        {"low_confidence_attempts", "1", "0"},
        {"stats_every", "1000", "1001"},
        {"stats_every", "0", "-1"},
        {"wait_polls", "100000", "100001"},
        {"wait_polls", "0", "-1"},
        {"wait_patience", "7d", "169h"},
        {"wait_patience", "0s", "-1s"},
        {"tool_time_limit", "24h", "25h"},
        {"heartbeat_interval", "1h", "61m"},
        {"heartbeat_interval", "100ms", "99ms"},
        {"heartbeat_limit", "1000", "1001"},
        {"heartbeat_limit", "2", "1"},
    };
    for (const LimitOfKey& c : cases) {
        DYNAMIC_SECTION(c.key << " = " << c.most << ", not " << c.beyond) {
            Settings settings;
            CHECK(assign_policy_key(settings, c.key, c.most).has_value());
            const std::string kept = shown_policy_key(settings, c.key);
            CHECK_FALSE(assign_policy_key(settings, c.key, c.beyond).has_value());
            CHECK(shown_policy_key(settings, c.key) == kept);
        }
    }
}

TEST_CASE("policy keys: each key sets its own member of the policy", "[config]") {
    Settings settings;
    for (const auto& [key, value] :
         {std::pair{"max_iterations", "1"}, std::pair{"max_tool_failures", "2"},
          std::pair{"max_parse_failures", "3"}, std::pair{"min_confidence", "0.4"},
          std::pair{"low_confidence_attempts", "5"}, std::pair{"stats_every", "6"},
          std::pair{"wait_polls", "7"}, std::pair{"wait_patience", "8s"},
          std::pair{"confirm_stop", "judge"}, std::pair{"profile", "strict"},
          std::pair{"on_stuck", "ask"}, std::pair{"loop_detection", "off"},
          std::pair{"heartbeat_interval", "9s"}, std::pair{"heartbeat_limit", "10"},
          std::pair{"tool_time_limit", "11s"}})
        REQUIRE(assign_policy_key(settings, key, value).has_value());
    Policy all;
    all.max_iterations = 1;
    all.max_tool_failures = 2;
    all.max_parse_failures = 3;
    all.min_confidence = 0.4;
    all.low_confidence_attempts = 5;
    all.stats_every = 6;
    all.wait_polls = 7;
    all.wait_patience = std::chrono::seconds{8};
    all.confirm_stop = headway::core::ConfirmStop::kJudge;
    all.profile = headway::core::Profile::kStrict;
    all.on_stuck = headway::core::OnStuck::kAsk;
    all.loop_detection = false;
    all.heartbeat_interval = std::chrono::seconds{9};
    all.heartbeat_limit = 10;
    all.tool_time_limit = std::chrono::seconds{11};
    CHECK(settings.policy == all);
}

TEST_CASE("policy keys: a preset is one of two, and only the known one has values", "[config]") {
    Settings settings;
    CHECK(shown_policy_key(settings, "preset") == "none");
    CHECK(assign_policy_key(settings, "preset", "first-designs").has_value());
    const auto refused = assign_policy_key(settings, "preset", "first-design");
    REQUIRE_FALSE(refused.has_value());
    CHECK_THAT(refused.error().detail, Catch::Contains("did you mean `first-designs`?"));
    CHECK(settings.policy_preset == "first-designs");
    CHECK(preset_values("none").empty());
    CHECK(preset_values("").empty());
    CHECK(preset_values("First-Designs").empty());
    CHECK_FALSE(preset_values("first-designs").empty());
}

TEST_CASE("policy keys: a preset names each key once, changes its default and sets no preset",
          "[config]") {
    std::set<std::string_view> names;
    for (const PresetValue& value : preset_values("first-designs")) {
        CAPTURE(value.key);
        CHECK(names.insert(value.key).second);
        CHECK(value.key != "policy.preset");
        const Key* key = find_key(value.key);
        REQUIRE(key != nullptr);
    }
    const headway::core::Policy defaults;
    Settings settings;
    for (const PresetValue& value : preset_values("first-designs"))
        REQUIRE(find_key(value.key)->assign(settings, value.text).has_value());
    CHECK(settings.policy.max_iterations == 25);
    CHECK(settings.judge.estimates == "step");
    CHECK(settings.policy.min_confidence == 0.3);
    CHECK(settings.policy.tool_time_limit == std::chrono::minutes{1});
    CHECK(settings.policy.when_stuck() == headway::core::OnStuck::kStop);
    const auto limits = thresholds_of(settings.policy, kIdOf<headway::core::ToolFailures>);
    CHECK(limits == headway::core::Thresholds{3, 4});
    CHECK(settings.budget.builtin);
}

// SPDX-License-Identifier: Apache-2.0
#include "api/decode/check_policy.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using headway::api::check_policy;
using headway::tests::code_of;
using headway::tests::require_ok;

namespace {

/// A field with the smallest and the greatest value that it takes.
struct BoundedField {
    const char* name;
    std::function<void(PolicyOverride&, double)> set;
    double least;  ///< negative: whole numbers from 0 are taken
    double most;
    double step;
    const char* fix;
};

template <auto Member>
auto set_to() {
    return [](PolicyOverride& policy, double value) {
        using Held = typename std::remove_reference_t<decltype(policy.*Member)>::value_type;
        policy.*Member = static_cast<Held>(value);
    };
}

void set_patience(PolicyOverride& policy, double value) {
    policy.tools = {ToolPolicy{"bash"}};
    policy.tools[0].patience = static_cast<std::uint32_t>(value);
}

std::vector<BoundedField> bounded_fields() {
    using P = PolicyOverride;
    return {
        {"/heartbeat_interval_ms", set_to<&P::heartbeat_interval_ms>(), 100, 3'600'000, 1,
         "must be from 100 to 3600000 ms"},
        {"/heartbeat_limit", set_to<&P::heartbeat_limit>(), 2, 1'000, 1, "must be from 2 to 1000"},
        {"/min_confidence", set_to<&P::min_confidence>(), 0, 1, 0.001, "must be from 0 to 1"},
        {"/low_confidence_attempts", set_to<&P::low_confidence_attempts>(), 1, 1'000, 1,
         "must be from 1 to 1000"},
        {"/stats_every", set_to<&P::stats_every>(), -1, 1'000, 1, "must be at most 1000"},
        {"/tool_time_limit_ms", set_to<&P::tool_time_limit_ms>(), -1, 86'400'000, 1,
         "must be at most a day"},
        {"/wait_polls", set_to<&P::wait_polls>(), -1, 100'000, 1, "must be at most 100000"},
        {"/wait_patience_ms", set_to<&P::wait_patience_ms>(), -1, 604'800'000, 1,
         "must be at most a week"},
        {"/tools/0/patience", set_patience, 1, 100, 1, "must be from 1 to 100"},
    };
}

PolicyOverride with_value(const BoundedField& field, double value) {
    PolicyOverride policy;
    field.set(policy, value);
    return policy;
}

void expect_refused(const PolicyOverride& policy, const char* field, const char* fix) {
    const auto checked = check_policy(policy);
    CHECK(code_of(checked) == ErrorCode::kInvalidField);
    CHECK(checked.error().field == field);
    CHECK(checked.error().detail == fix);
}

PolicyOverride with_tools(std::size_t count) {
    PolicyOverride policy;
    for (std::size_t i = 0; i < count; ++i)
        policy.tools.push_back(ToolPolicy{"tool" + std::to_string(i)});
    return policy;
}

}  // namespace

TEST_CASE("check policy: an opening that says nothing is right", "[api]") {
    require_ok(check_policy({}));
}

TEST_CASE("check policy: a bound itself is taken, the value beyond it is refused with the fix",
          "[api]") {
    for (const BoundedField& field : bounded_fields()) {
        DYNAMIC_SECTION(field.name) {
            require_ok(check_policy(with_value(field, field.most)));
            expect_refused(with_value(field, field.most + field.step), field.name, field.fix);
            const bool from_zero = field.least < 0;
            require_ok(check_policy(with_value(field, from_zero ? 0 : field.least)));
            if (!from_zero)
                expect_refused(with_value(field, field.least - field.step), field.name, field.fix);
        }
    }
}

TEST_CASE("check policy: the largest numbers of JSON are refused and not cut", "[api]") {
    PolicyOverride policy;
    SECTION("heartbeat interval") {
        policy.heartbeat_interval_ms = INT64_MAX;
    }
    SECTION("heartbeat limit that is 2 in 32 bits") {
        policy.heartbeat_limit = (1ULL << 32U) + 2;
    }
    SECTION("attempts that are 3 in 32 bits") {
        policy.low_confidence_attempts = (1ULL << 32U) + 3;
    }
    SECTION("statistics that are 10 in 32 bits") {
        policy.stats_every = (1ULL << 32U) + 10;
    }
    SECTION("time limit of tools") {
        policy.tool_time_limit_ms = INT64_MAX;
    }
    SECTION("polls") {
        policy.wait_polls = UINT32_MAX;
    }
    SECTION("patience") {
        policy.wait_patience_ms = UINT32_MAX;
    }
    CHECK_FALSE(check_policy(policy).has_value());
}

TEST_CASE("check policy: limits of iterations and failures have no bound", "[api]") {
    PolicyOverride policy;
    policy.max_iterations = policy.max_tool_failures = policy.max_parse_failures = INT64_MAX;
    require_ok(check_policy(policy));
}

TEST_CASE("check policy: the list of tools is bounded, and each has one entry and a name",
          "[api]") {
    require_ok(check_policy(with_tools(limits::kToolPoliciesMax)));
    expect_refused(with_tools(limits::kToolPoliciesMax + 1), "/tools",
                   "must have at most 32 tools");
    PolicyOverride policy = with_tools(3);
    SECTION("without a name") {
        policy.tools[1].tool.clear();
        expect_refused(policy, "/tools/1/tool", "must not be empty");
    }
    SECTION("twice") {
        policy.tools[2].tool = "tool0";
        expect_refused(policy, "/tools/2", "the tool has an entry already");
    }
    SECTION("of a class that is none") {
        policy.tools[2].tool = "Class:shell";
        const auto checked = check_policy(policy);
        CHECK(code_of(checked) == ErrorCode::kInvalidField);
        CHECK(checked.error().field == "/tools/2/tool");
        CHECK_THAT(checked.error().detail, Catch::Contains("known are class:shell, class:edit"));
    }
    SECTION("of a class") {
        policy.tools[2].tool = "class:shell";
        require_ok(check_policy(policy));
    }
    SECTION("another case is another tool") {
        policy.tools[2].tool = "Tool0";
        require_ok(check_policy(policy));
    }
    SECTION("without patience, at its place in the list") {
        policy.tools[2].patience = 0;
        expect_refused(policy, "/tools/2/patience", "must be from 1 to 100");
    }
}

TEST_CASE("check policy: each detector has one entry", "[api]") {
    PolicyOverride policy;
    policy.detectors = {{DetectorId{0}}, {DetectorId{2}, true}, {DetectorId{1}, false, 3, 9}};
    require_ok(check_policy(policy));
    policy.detectors.push_back({DetectorId{2}, false, 1, 2});
    expect_refused(policy, "/detectors/3", "has an entry already");
}

TEST_CASE("check policy: a pattern would cover no tool, so it is refused", "[api]") {
    PolicyOverride policy = with_tools(2);
    policy.tools[1].tool = "mcp__*";
    expect_refused(
        policy, "/tools/1/tool",
        "\"mcp__*\" is no name of a tool, and no tool would match it; write exact names, "
        "or a class, as class:mcp");
}

TEST_CASE("check policy: a detector that is stuck before it is suspect is refused", "[api]") {
    PolicyOverride policy;
    policy.detectors.push_back({{}, false, 9, 3});
    expect_refused(policy, "/detectors/0/suspect",
                   "must be at most `stuck`, or it would never be suspect");
    policy.detectors[0].stuck = 0;  // never stuck
    require_ok(check_policy(policy));
}

TEST_CASE("check policy: of two mistakes the first of the table is named", "[api]") {
    PolicyOverride policy;
    policy.wait_polls = 100'001;
    policy.heartbeat_limit = 1;
    policy.tools = {ToolPolicy{}};
    CHECK(check_policy(policy).error().field == "/heartbeat_limit");
}

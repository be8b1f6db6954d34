// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/session/session.hpp"
#include "tests/support/names.hpp"

// core/session/session.hpp, ApprovalRules: what the daemon allows whatever a session's policy says.
// Effects in a session are in approvals_test.cpp.

using namespace headway::core;
using headway::tests::code_of;
using headway::tests::require_ok;

namespace {

/// `deploy` and the others may be approved by time, except those that need a person.
ApprovalRules rules_with_expiry() {
    ApprovalRules rules;
    rules.require_tools = {"drop"};
    rules.approve_on_expiry = {"deploy", "drop", "lint"};
    return rules;
}

/// A policy under which calls of `lint` need a person.
Policy policy_with_lint() {
    Policy policy;
    policy.tools = {ToolPolicy{"log", true}, ToolPolicy{"lint"}};
    policy.tools[1].requires_approval = true;
    return policy;
}

ApprovalRequested request_by_time(std::string tool = "deploy") {
    ApprovalRequested asked;
    asked.tool = std::move(tool);
    asked.expires_in_ms = 300'000;
    asked.on_expiry = OnExpiry::kApprove;
    return asked;
}

Approval pending_of(std::string tool) {
    Approval asked;
    asked.tool = std::move(tool);
    return asked;
}

/// Reason against a request to be approved by time.
struct RefusedRequest {
    const char* name;
    ApprovalRequested asked;
    const char* field;
    const char* says;
};

std::vector<RefusedRequest> refused_requests() {
    const auto of_kind = [](ApprovalKind kind) {
        ApprovalRequested asked = request_by_time();
        asked.kind = kind;
        return asked;
    };
    ApprovalRequested critical = request_by_time();
    critical.risk = Risk::kCritical;
    ApprovalRequested hidden = request_by_time();
    hidden.hidden_bytes = 1;
    ApprovalRequested soon = request_by_time();
    soon.expires_in_ms = 299'999;
    ApprovalRequested without_time = request_by_time();
    without_time.expires_in_ms.reset();
    return {
        {"a question", of_kind(ApprovalKind::kQuestion), "/on_expiry", "only calls of tools"},
        {"a login", of_kind(ApprovalKind::kAuth), "/on_expiry", "only calls of tools"},
        {"more budget", of_kind(ApprovalKind::kBudgetExtension), "/on_expiry",
         "use hold, reject or escalate"},
        {"a tool that the daemon lists", request_by_time("drop"), "/on_expiry",
         "approvals.require_tools"},
        {"a tool that the policy lists", request_by_time("lint"), "/on_expiry",
         "the policy of the session"},
        {"a tool in no list", request_by_time("Deploy"), "/on_expiry",
         "approvals.approve_on_expiry"},
        {"a critical risk", critical, "/on_expiry", "critical risk"},
        {"parts that are not shown", hidden, "/on_expiry", "does not see"},
        {"too soon", soon, "/expires_in_ms", "at least 300000 ms"},
        {"without a time", without_time, "/expires_in_ms", "approvals.approve_on_expiry_after"},
    };
}

}  // namespace

TEST_CASE("approval rules: the daemon's list and the session's policy both make a tool ask",
          "[core]") {
    const ApprovalRules rules = rules_with_expiry();
    const Policy policy = policy_with_lint();
    CHECK(rules.must_ask(policy, "drop"));
    CHECK(rules.must_ask(policy, "lint"));
    CHECK_FALSE(rules.must_ask(policy, "log"));  // an entry alone requires nothing
    CHECK_FALSE(rules.must_ask(policy, "deploy"));
    CHECK_FALSE(rules.must_ask(policy, ""));
    CHECK_FALSE(rules.must_ask(policy, "Drop"));  // names are compared as they are
    CHECK_FALSE(rules.must_ask(Policy{}, "lint"));
    CHECK_FALSE(ApprovalRules{}.must_ask(Policy{}, "drop"));
}

TEST_CASE("approval rules: a policy cannot take a tool off the daemon's list", "[core]") {
    Policy policy;
    policy.tools = {ToolPolicy{"drop", true}};
    CHECK(rules_with_expiry().must_ask(policy, "drop"));
}

TEST_CASE("approval rules: time approves a listed tool that no rule gives to a person", "[core]") {
    const ApprovalRules rules = rules_with_expiry();
    const Policy policy = policy_with_lint();
    CHECK(rules.time_may_approve(policy, pending_of("deploy")));
    CHECK_FALSE(rules.time_may_approve(policy, pending_of("other")));
    CHECK_FALSE(rules.time_may_approve(policy, pending_of("drop")));
    CHECK_FALSE(rules.time_may_approve(policy, pending_of("lint")));
    CHECK(rules.time_may_approve(Policy{}, pending_of("lint")));
    CHECK_FALSE(ApprovalRules{}.time_may_approve(Policy{}, pending_of("deploy")));
}

TEST_CASE("approval rules: time approves the tools of a class that is listed", "[core]") {
    ApprovalRules rules = rules_with_expiry();
    CHECK_FALSE(rules.time_may_approve(Policy{}, pending_of("Read")));
    rules.approve_on_expiry = {"class:read"};
    CHECK(rules.time_may_approve(Policy{}, pending_of("Read")));
    require_ok(rules.check_request(Policy{}, request_by_time("read_file")));
    CHECK_FALSE(rules.time_may_approve(Policy{}, pending_of("Write")));
    rules.require_tools = {"Read"};
    CHECK_FALSE(rules.time_may_approve(Policy{}, pending_of("Read")));
}

TEST_CASE("approval rules: time approves nothing but calls that are seen whole", "[core]") {
    const ApprovalRules rules = rules_with_expiry();
    const auto may = [&rules](auto change) {
        Approval asked = pending_of("deploy");
        change(asked);
        return rules.time_may_approve(Policy{}, asked);
    };
    for (const Risk risk : {Risk::kUnknown, Risk::kLow, Risk::kMedium, Risk::kHigh}) {
        CAPTURE(risk);
        CHECK(may([risk](Approval& asked) { asked.risk = risk; }));
    }
    CHECK_FALSE(may([](Approval& asked) { asked.risk = Risk::kCritical; }));
    CHECK_FALSE(may([](Approval& asked) { asked.unseen = true; }));
    for (const ApprovalKind kind :
         {ApprovalKind::kQuestion, ApprovalKind::kAuth, ApprovalKind::kBudgetExtension}) {
        CAPTURE(kind);
        CHECK_FALSE(may([kind](Approval& asked) { asked.kind = kind; }));
    }
}

TEST_CASE("approval rules: a request that time does not approve needs no permission", "[core]") {
    for (const OnExpiry then : {OnExpiry::kHold, OnExpiry::kReject, OnExpiry::kEscalate}) {
        CAPTURE(then);
        for (RefusedRequest& c : refused_requests()) {
            CAPTURE(c.name);
            c.asked.on_expiry = then;
            require_ok(ApprovalRules{}.check_request(policy_with_lint(), c.asked));
        }
    }
}

TEST_CASE("approval rules: a request to be approved by time is refused with the reason", "[core]") {
    const ApprovalRules rules = rules_with_expiry();
    require_ok(rules.check_request(policy_with_lint(), request_by_time()));
    for (const RefusedRequest& c : refused_requests()) {
        DYNAMIC_SECTION(c.name) {
            const auto refused = rules.check_request(policy_with_lint(), c.asked);
            CHECK(code_of(refused) == ErrorCode::kInvalidField);
            CHECK(refused.error().field == c.field);
            CHECK_THAT(refused.error().detail, Catch::Contains(c.says));
        }
    }
}

TEST_CASE("approval rules: the time to object is the operator's", "[core]") {
    ApprovalRules rules = rules_with_expiry();
    rules.approve_on_expiry_after = Millis{1'000};
    ApprovalRequested asked = request_by_time();
    asked.expires_in_ms = 1'000;
    require_ok(rules.check_request(Policy{}, asked));
    asked.expires_in_ms = 999;
    CHECK_THAT(rules.check_request(Policy{}, asked).error().detail,
               Catch::Contains("at least 1000 ms"));
    rules.approve_on_expiry_after = Millis{0};
    asked.expires_in_ms.reset();
    require_ok(rules.check_request(Policy{}, asked));
}

TEST_CASE("approval rules: what is refused when it is asked is not approved by time later",
          "[core]") {
    const ApprovalRules rules = rules_with_expiry();
    for (const RefusedRequest& c : refused_requests()) {
        if (std::string_view{c.field} == "/expires_in_ms") continue;
        CAPTURE(c.name);
        Approvals approvals;
        enter(approvals, c.asked, 2, Timestamp{Millis{1}});
        REQUIRE(approvals.requests.size() == 1);
        CHECK_FALSE(rules.time_may_approve(policy_with_lint(), approvals.requests.front()));
    }
}

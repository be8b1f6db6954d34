// SPDX-License-Identifier: Apache-2.0
#include "core/outbound/webhooks.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;
using namespace std::chrono_literals;

namespace {

WebhookRule default_rule() {
    WebhookRule rule;
    for (const std::string_view name : default_webhook_events()) {
        EventType type{};
        REQUIRE(parse_name(name, type));
        rule.events.set(static_cast<std::size_t>(type));
    }
    for (const std::string_view name : default_webhook_verdicts()) {
        Verdict verdict{};
        REQUIRE(parse_name(name, verdict));
        rule.verdicts.set(static_cast<std::size_t>(verdict));
    }
    return rule;
}

Event verdict(Verdict to, std::string detector = {}) {
    VerdictChanged change;
    change.to = to;
    change.detector = std::move(detector);
    return event(std::move(change));
}

Event level(BudgetLevel from, BudgetLevel to) {
    BudgetLevelChanged change;
    change.from = from;
    change.to = to;
    return event(std::move(change));
}

}  // namespace

TEST_CASE("webhooks: the default subscription is what needs a person", "[core]") {
    const WebhookRule rule = default_rule();
    using L = BudgetLevel;
    const std::tuple<const char*, Event, bool> cases[] = {
        {"a request", event(ApprovalRequested{}), true},
        {"one that expired", event(ApprovalExpired{}), true},
        {"a call against the decision", event(ApprovalAlarm{}), true},
        {"a decision", event(ApprovalDecided{}), false},
        {"the end", ended(Outcome::kCompleted), true},
        {"blocked", verdict(Verdict::kBlocked), true},
        {"blocked by a request, which was told", verdict(Verdict::kBlocked, "approval"), false},
        {"stuck", verdict(Verdict::kStuck), true},
        {"silent", verdict(Verdict::kSilent), true},
        {"suspect", verdict(Verdict::kSuspect), false},
        {"well again", verdict(Verdict::kProgressing), false},
        {"failed, which its end tells", verdict(Verdict::kFailed), false},
        {"low", level(L::kNominal, L::kLow), false},
        {"critical", level(L::kLow, L::kCritical), true},
        {"exhausted", level(L::kCritical, L::kExhausted), true},
        {"extended, so critical only", level(L::kExhausted, L::kCritical), false},
        {"a beat", beat(), false},
        {"a call", tool_finished("c"), false},
    };
    for (const auto& [name, told, expected] : cases) {
        DYNAMIC_SECTION(name) {
            CHECK(wants(rule, told) == expected);
        }
    }
}

TEST_CASE("webhooks: a custom subscription replaces the default", "[core]") {
    WebhookRule rule;
    CHECK_FALSE(wants(rule, ended(Outcome::kFailed)));
    rule.events.set(static_cast<std::size_t>(EventType::kHeartbeat));
    rule.events.set(static_cast<std::size_t>(EventType::kVerdictChanged));
    rule.verdicts.set(static_cast<std::size_t>(Verdict::kSuspect));
    CHECK(wants(rule, beat()));
    CHECK(wants(rule, verdict(Verdict::kSuspect)));
    CHECK_FALSE(wants(rule, verdict(Verdict::kStuck)));
}

TEST_CASE("webhooks: the pauses of the schedule, up to a fifth longer, and then none", "[core]") {
    const Millis retry[] = {0s, 5s, 5min};
    CHECK(delay_before_try(retry, 0, 12345) == Millis{0});
    CHECK(delay_before_try(retry, 1, 0) == Millis{5000});
    CHECK(delay_before_try(retry, 1, 1000) == Millis{6000});
    CHECK(delay_before_try(retry, 1, 1001) == Millis{5000});
    for (std::uint64_t random = 1; random != 0; random <<= 1U) {
        const auto delay = delay_before_try(retry, 2, random);
        REQUIRE(delay.has_value());
        CHECK(*delay >= 5min);
        CHECK(*delay <= 6min);
    }
    CHECK_FALSE(delay_before_try(retry, 3, 0).has_value());
    CHECK_FALSE(delay_before_try(retry, 4'000'000'000, 0).has_value());
}

TEST_CASE("webhooks: the id of a message depends only on its event", "[core]") {
    Event event = beat();
    event.n = 7;
    event.at = at(1);
    const std::string id = webhook_message_id("s", event);
    CHECK(id == webhook_message_id("s", event));
    CHECK(id.starts_with("msg_"));
    CHECK(id.find('.') == std::string::npos);  // it would be ambiguous in the signed text
    CHECK(id != webhook_message_id("s2", event));
    event.n = 8;
    CHECK(id != webhook_message_id("s", event));
    event.n = 7;
    event.at = at(2);  // after a restore, another event may have that number
    CHECK(id != webhook_message_id("s", event));
}

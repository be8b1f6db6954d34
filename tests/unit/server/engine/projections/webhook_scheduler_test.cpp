// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/webhook_scheduler.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;

namespace {

WebhookRule rule(const std::string& name) {
    WebhookRule built;
    built.name = name;
    built.url = "https://" + name;
    built.target = "of " + name;
    built.events.set(static_cast<std::size_t>(EventType::kHeartbeat));
    return built;
}

/// A scheduler on a real outbox. Keeps what it sends; time is in milliseconds.
struct Webhooks {
    TempDir dir;
    std::unique_ptr<headway::storage::SqliteStore> store;
    WebhookRules rules{{rule("ops")}, {0s, 5s, 1h}};
    std::unique_ptr<WebhookScheduler> scheduler;
    std::vector<WebhookJob> sent;
    bool goes_out = true;
    std::uint64_t n = 0;
    Session session{"s"};

    Webhooks() {
        auto opened = headway::storage::SqliteStore::open(dir.file());
        require_ok(opened);
        store = *std::move(opened);
        restart(0);
    }
    void restart(std::int64_t now) {
        scheduler = std::make_unique<WebhookScheduler>(store->outbox(), rules);
        scheduler->send_with([this](WebhookJob job) {
            if (goes_out) sent.push_back(std::move(job));
            return goes_out;
        });
        load(now);
    }
    void load(std::int64_t now) {
        require_ok(scheduler->load(at(now)));
        require_ok(scheduler->save_changes());
    }
    /// Adds the message of an event at this time.
    void happens(std::int64_t now) {
        Event event = beat();
        event.n = ++n;
        event.at = at(now);
        require_ok(scheduler->note(session, {&event, 1}));
    }
    /// The message that is sent at this time, if any.
    std::optional<WebhookJob> goes(std::int64_t now) {
        const std::size_t before = sent.size();
        require_ok(scheduler->send_due(at(now)));
        if (sent.size() == before) return std::nullopt;
        REQUIRE(sent.size() == before + 1);
        return sent.back();
    }
    void ends(const WebhookJob& job, WebhookOutcome outcome, std::int64_t now,
              std::optional<Millis> retry_after = {}) {
        WebhookResult result;
        result.job = job;
        result.outcome = outcome;
        result.status = outcome == WebhookOutcome::kDelivered ? 200 : 500;
        if (outcome != WebhookOutcome::kDelivered)
            result.reason = retry_after ? "HTTP 503" : "HTTP 500";
        result.retry_after = retry_after;
        scheduler->landed(result);
        require_ok(scheduler->settle(result, at(now)));
    }
    headway::api::WebhookDocument shown(std::size_t i = 0) { return scheduler->documents().at(i); }
    /// Checks that the figures in memory equal the stored ones.
    void check_numbers() {
        const auto stored = store->outbox().outbox_endpoints().value().front();
        CHECK(shown().pending == stored.pending);
        CHECK(shown().dead == stored.dead);
        CHECK(shown().died == stored.died);
        CHECK(shown().dropped == stored.dropped);
    }
};

constexpr auto kAway = WebhookOutcome::kAway;
constexpr auto kDelivered = WebhookOutcome::kDelivered;

}  // namespace

TEST_CASE("webhook scheduler: an alarm is sent once until it is acknowledged", "[server]") {
    Webhooks d;
    d.rules.endpoints.front().events.set(static_cast<std::size_t>(EventType::kApprovalAlarm));
    d.restart(0);
    const auto raise = [&d](std::size_t count) {
        std::vector<Event> events;
        for (std::size_t i = 0; i < count; ++i) {
            ApprovalAlarm alarm;
            alarm.alarm = ApprovalAlarmKind::kExecutedUnapproved;
            alarm.tool = "deploy";
            Event one_event = event(std::move(alarm));
            one_event.n = d.session.state().n + 1;
            one_event.at = at(1);
            d.session.apply(one_event);
            events.push_back(std::move(one_event));
        }
        require_ok(d.scheduler->note(d.session, events));
        return d.scheduler->stats()->front().pending;
    };
    CHECK(raise(100) == 1);
    CHECK(raise(100) == 1);
}

TEST_CASE("webhook scheduler: without an endpoint there is nothing to do", "[server]") {
    Webhooks d;
    d.rules.endpoints.clear();
    WebhookScheduler none{d.store->outbox(), {}};
    CHECK_FALSE(none.any());
    CHECK(none.stats() == nullptr);
    CHECK(none.next_wake() == kNever);
}

TEST_CASE("webhook scheduler: messages go out one after the other, in order", "[server]") {
    Webhooks d;
    for (int i = 0; i < 3; ++i)
        d.happens(1);
    CHECK(d.scheduler->next_wake() == at(1));
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const auto job = d.goes(1);
        REQUIRE(job.has_value());
        CHECK(job->endpoint == "ops");
        CHECK(job->body.find("\"n\":" + std::to_string(i)) != std::string::npos);
        CHECK(job->at == at(1));
        CHECK_FALSE(d.goes(2).has_value());  // one at a time
        CHECK(d.scheduler->next_wake() == kNever);
        d.ends(*job, kDelivered, 2);
    }
    CHECK_FALSE(d.goes(3).has_value());
    CHECK(d.scheduler->next_wake() == kNever);
    CHECK(d.shown().state == "active");
    CHECK(d.shown().delivered == 3);
    CHECK(d.shown().succeeded_at == at(2));
    d.check_numbers();
}

TEST_CASE("webhook scheduler: while an endpoint is away the others behind wait, then go in order",
          "[server]") {
    Webhooks d;
    d.happens(0);
    d.happens(0);
    const auto first = d.goes(0);
    d.ends(*first, kAway, 0);
    CHECK(d.shown().state == "failing");
    CHECK(d.shown().failure == "HTTP 500");
    CHECK_FALSE(d.goes(4'999).has_value());  // not the second either
    const std::int64_t due = (d.scheduler->next_wake() - at(0)).count();
    CHECK(due >= 5'000);
    CHECK(due <= 6'000);
    const auto again = d.goes(due);
    REQUIRE(again.has_value());
    CHECK(again->id == first->id);
    CHECK(again->tries == 1);
    d.ends(*again, kAway, due);

    // The next try of the first is an hour away; the endpoint is tried with the second before.
    const std::int64_t pause = (d.scheduler->next_wake() - at(due)).count();
    CHECK(pause == Millis{limits::kWebhookPauseMax}.count());
    const auto second = d.goes(due + pause);
    REQUIRE(second.has_value());
    CHECK(second->id != first->id);
    d.happens(due + pause);
    d.ends(*second, kDelivered, due + pause);
    const auto back = d.goes(due + pause);  // what waited because it was away goes at once
    REQUIRE(back.has_value());
    CHECK(back->id == first->id);
    d.ends(*back, kDelivered, due + pause);
    CHECK(d.shown().state == "active");
    CHECK(d.shown().pending == 1);
    d.check_numbers();
}

TEST_CASE("webhook scheduler: a message that is not wanted waits alone, and dies in the end",
          "[server]") {
    Webhooks d;
    d.happens(0);
    d.happens(0);
    const auto first = d.goes(0);
    d.ends(*first, WebhookOutcome::kRefused, 0);
    const auto second = d.goes(0);
    REQUIRE(second.has_value());
    d.ends(*second, kDelivered, 0);
    CHECK_FALSE(d.goes(0).has_value());  // not sooner: the endpoint was not away
    for (int i = 0; i < 2; ++i) {
        const auto again = d.goes(10'000'000 * (i + 1));
        REQUIRE(again.has_value());
        CHECK(again->id == first->id);
        d.ends(*again, WebhookOutcome::kRefused, 10'000'000 * (i + 1));
    }
    CHECK(d.shown().dead == 1);
    CHECK(d.shown().pending == 0);
    CHECK(d.shown().died == 1);
    CHECK(d.shown().failed == 3);
    CHECK(d.scheduler->next_wake() == kNever);
    d.check_numbers();
}

TEST_CASE("webhook scheduler: an endpoint that asks for a pause gets it", "[server]") {
    Webhooks d;
    d.happens(0);
    const auto job = d.goes(0);
    d.ends(*job, kAway, 0, 20min);
    CHECK(d.scheduler->next_wake() == at(20 * 60'000));
}

TEST_CASE("webhook scheduler: a pause of an endpoint that is away outlasts the daemon",
          "[server]") {
    Webhooks d;
    d.happens(0);
    const auto first = d.goes(0);
    d.happens(1);
    const auto next_is_first = [&](std::int64_t now) {
        CHECK_FALSE(d.goes(now - 1).has_value());
        const auto next = d.goes(now);
        REQUIRE(next.has_value());
        CHECK(next->id == first->id);
    };
    SECTION("one that it asked for") {
        d.ends(*first, kAway, 2, 20min);
        d.restart(3);
        next_is_first(2 + 20 * 60'000);
    }
    SECTION("one before the next try") {
        d.ends(*first, kAway, 2);
        const std::int64_t due = (d.scheduler->next_wake() - at(0)).count();
        d.restart(3);
        next_is_first(due);
    }
    SECTION("its longest, before it is tried with another message") {
        d.ends(*first, kAway, 2);
        const auto again = d.goes(10'000);
        d.ends(*again, kAway, 10'000);  // an hour to the next try
        d.restart(10'001);
        CHECK(d.scheduler->next_wake() == at(10'000) + limits::kWebhookPauseMax);
        const auto second = d.goes(10'000 + Millis{limits::kWebhookPauseMax}.count());
        REQUIRE(second.has_value());
        CHECK(second->id != first->id);
    }
    SECTION("none of a schedule that is configured no more") {
        d.rules.retry = {0s, 10h};
        d.restart(1);
        const auto again = d.goes(1);
        d.ends(*again, kAway, 2);
        d.rules.retry = {0s, 5s};
        d.restart(10'000);
        CHECK(d.goes(10'000).has_value());
    }
    SECTION("it is back, or an operator says so") {
        d.ends(*first, kAway, 2, 20min);
        require_ok(d.scheduler->replay("ops", {}, at(3)));
        d.restart(4);
        const auto next = d.goes(4);
        REQUIRE(next.has_value());
        CHECK(next->id == first->id);
    }
}

TEST_CASE("webhook scheduler: one of two daemons keeps the pause that the other one began",
          "[server]") {
    Webhooks d;
    WebhookScheduler other{d.store->outbox(), d.rules};
    other.send_with([](const WebhookJob&) { return true; });
    require_ok(other.load(at(0)));
    d.happens(0);
    const auto first = d.goes(0);
    d.happens(1);
    d.ends(*first, kAway, 2, 20min);
    require_ok(other.look_again());
    CHECK(other.next_wake() == at(2 + 20 * 60'000));
    const auto again = d.goes(2 + 20 * 60'000);
    d.ends(*again, kDelivered, 2 + 20 * 60'000);
    require_ok(other.look_again());
    CHECK(other.next_wake() == at(1));
}

TEST_CASE("webhook scheduler: a first pause does not change the order", "[server]") {
    Webhooks d;
    d.rules.retry = {1min, 5min};
    d.restart(0);
    for (int i = 0; i < 20; ++i)
        d.happens(i);
    for (int i = 0; i < 20; ++i) {
        const auto job = d.goes(60'000 + i);
        REQUIRE(job.has_value());
        CHECK(job->n == static_cast<std::uint64_t>(i) + 1);
        d.ends(*job, kDelivered, 60'000 + i);
    }
}

TEST_CASE("webhook scheduler: what was on its way when the daemon died is sent again", "[server]") {
    Webhooks d;
    d.happens(0);
    const auto first = d.goes(0);
    d.restart(10);
    const auto again = d.goes(10);
    REQUIRE(again.has_value());
    CHECK(again->id == first->id);
    WebhookResult cancelled;
    cancelled.job = *again;
    d.scheduler->landed(cancelled);
    require_ok(d.scheduler->settle(cancelled, at(11)));  // a stop is no failure
    CHECK(d.shown().failed == 0);
    CHECK(d.goes(11)->tries == 0);
}

TEST_CASE("webhook scheduler: a rolled back transaction is forgotten with load()", "[server]") {
    Webhooks d;
    require_ok(d.store->begin());
    d.happens(0);
    d.store->rollback();
    d.load(0);
    CHECK(d.shown().pending == 0);
    CHECK_FALSE(d.goes(1).has_value());
}

TEST_CASE("webhook scheduler: 410 disables it, a delivered test enables it again", "[server]") {
    Webhooks d;
    d.happens(0);
    d.happens(0);
    const auto job = d.goes(0);
    d.ends(*job, WebhookOutcome::kGone, 1);
    d.happens(2);
    CHECK(d.shown().state == "disabled");
    CHECK(d.shown().problem.find("headway webhooks test ops") != std::string::npos);
    CHECK(d.shown().pending == 0);
    CHECK(d.shown().dead == 3);
    CHECK_FALSE(d.goes(1'000'000).has_value());
    CHECK(code_of(d.scheduler->replay("ops", {}, at(3))) == ErrorCode::kWebhookUnusable);
    d.restart(4);
    CHECK(d.shown().state == "disabled");
    d.check_numbers();

    WebhookJob test;
    test.at = at(5);
    require_ok(d.scheduler->test("ops", test));
    CHECK(code_of(d.scheduler->test("ops", test)) == ErrorCode::kOverloaded);
    d.ends(d.sent.back(), kDelivered, 6);
    CHECK(d.shown().state == "active");
    CHECK(d.scheduler->replay("ops", {}, at(7)).value() == 3);
    CHECK(d.goes(7)->id == job->id);
    d.check_numbers();
}

TEST_CASE("webhook scheduler: another URL enables it after 410", "[server]") {
    Webhooks d;
    d.happens(0);
    d.ends(*d.goes(0), WebhookOutcome::kGone, 1);
    d.rules.endpoints.front().target = "elsewhere";
    d.restart(2);
    CHECK(d.shown().state == "active");
    d.restart(3);
    CHECK(d.shown().state == "active");
}

TEST_CASE("webhook scheduler: dead letters are sent again by id or all", "[server]") {
    Webhooks d;
    d.rules.retry = {0s};
    d.restart(0);
    for (int i = 0; i < 3; ++i) {
        d.happens(i);
        d.ends(*d.goes(i), WebhookOutcome::kRefused, i);
    }
    const auto dead = d.scheduler->deliveries("ops", true, 0, 10).value();
    REQUIRE(dead.size() == 3);
    CHECK(dead[1].reason == "HTTP 500");
    CHECK(d.scheduler->deliveries("ops", true, dead[1].cursor, 10).value().size() == 1);
    CHECK(d.scheduler->replay("ops", {dead[1].id, "msg_no"}, at(10)).value() == 1);
    CHECK(d.goes(10)->id == dead[1].id);
    CHECK(code_of(d.scheduler->replay("ops", {"msg_no"}, at(10))) == ErrorCode::kUnknownDelivery);
    CHECK(code_of(d.scheduler->replay("night", {}, at(10))) == ErrorCode::kUnknownWebhook);
    CHECK(code_of(d.scheduler->deliveries("night", true, 0, 1)) == ErrorCode::kUnknownWebhook);
    CHECK(code_of(d.scheduler->test("night", {})) == ErrorCode::kUnknownWebhook);
    CHECK(d.scheduler->replay("ops", {}, at(11)).value() == 2);
    d.check_numbers();
}

TEST_CASE("webhook scheduler: what is removed is kept a while, then forgotten", "[server]") {
    Webhooks d;
    d.happens(0);
    d.rules.endpoints = {rule("night")};
    d.restart(1);
    REQUIRE(d.scheduler->documents().size() == 2);
    CHECK(d.shown(1).name == "ops");
    CHECK(d.shown(1).state == "removed");
    CHECK(d.shown(1).pending == 1);
    CHECK_FALSE(d.goes(2).has_value());
    CHECK(code_of(d.scheduler->test("ops", {})) == ErrorCode::kWebhookUnusable);
    CHECK(d.scheduler->deliveries("ops", false, 0, 10).value().size() == 1);

    SECTION("back in time, it goes on") {
        d.rules.endpoints = {rule("ops")};
        d.restart(1000);
        CHECK(d.goes(1000).has_value());
        CHECK(d.shown().state == "active");
        CHECK(d.store->outbox().outbox_endpoints().value().back().removed_at == kNever);
    }
    SECTION("after a week it is gone") {
        CHECK_FALSE(d.scheduler->has_removed(at(0) + 24h * 7));
        CHECK(d.scheduler->has_removed(at(2) + 24h * 7));
        require_ok(d.scheduler->forget_removed(at(2) + 24h * 7));
        d.load(2);
        CHECK(d.scheduler->documents().size() == 1);
        CHECK(code_of(d.scheduler->deliveries("ops", false, 0, 10)) == ErrorCode::kUnknownWebhook);
    }
}

TEST_CASE("webhook scheduler: what one of two daemons has removed the other one keeps",
          "[server]") {
    Webhooks d;
    WebhookScheduler other{d.store->outbox(), {}};
    require_ok(other.load(at(1)));
    require_ok(other.save_changes());
    d.happens(2);
    const auto job = d.goes(2);
    REQUIRE(job.has_value());
    d.happens(2);
    d.ends(*job, kDelivered, 3);
    const auto later = at(10) + 24h * 7;
    REQUIRE(other.has_removed(later));
    require_ok(other.forget_removed(later));
    CHECK(d.scheduler->deliveries("ops", false, 0, 10).value().size() == 1);
    CHECK_FALSE(other.has_removed(later));
}

TEST_CASE("webhook scheduler: what cannot be sent waits, whatever the reason", "[server]") {
    Webhooks d;
    SECTION("the sender takes nothing") {
        d.goes_out = false;
        d.happens(0);
        CHECK_FALSE(d.goes(0).has_value());
        CHECK(d.scheduler->next_wake() > at(1000));
        CHECK(code_of(d.scheduler->test("ops", {})) == ErrorCode::kDraining);
    }
    SECTION("its secret cannot be read") {
        d.rules.endpoints.front().problem = "no secret";
        d.restart(0);
        d.happens(0);
        CHECK_FALSE(d.goes(0).has_value());
        CHECK(d.shown().state == "misconfigured");
        CHECK(d.shown().problem == "no secret");
        CHECK(d.shown().pending == 1);
        CHECK(code_of(d.scheduler->test("ops", {})) == ErrorCode::kWebhookUnusable);
    }
}

TEST_CASE("webhook scheduler: what waits is bounded, and what died", "[server]") {
    Webhooks d;
    d.goes_out = false;
    require_ok(d.store->begin());
    const std::uint64_t all = limits::kWebhookPendingMax + limits::kWebhookDeadMax + 5;
    for (std::uint64_t i = 0; i < all; ++i)
        d.happens(0);
    require_ok(d.store->commit());
    CHECK(d.shown().pending == limits::kWebhookPendingMax);
    CHECK(d.shown().dead == limits::kWebhookDeadMax);
    CHECK(d.shown().dropped == 5);
    CHECK(d.shown().died == limits::kWebhookDeadMax + 5);
    CHECK(d.scheduler->deliveries("ops", true, 0, 1).value().front().n == 6);
    CHECK(d.scheduler->replay("ops", {}, at(1)).value() == 0);  // there is no room
    d.check_numbers();
    const auto stats = d.scheduler->stats();
    REQUIRE(stats->size() == 1);
    CHECK(stats->front().dropped == 5);
}

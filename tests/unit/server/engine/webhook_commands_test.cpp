// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/settle_down.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;
using Document = nlohmann::json;

namespace {

/// An engine with a webhook for every end of a session.
struct Told {
    Supervised daemon{settings(), at(0)};

    static EngineSettings settings() {
        WebhookRule rule;
        rule.name = "ops";
        rule.target = "t";
        rule.events.set(static_cast<std::size_t>(EventType::kSessionEnded));
        EngineSettings engine_settings;
        engine_settings.webhooks.endpoints = {rule};
        engine_settings.webhooks.retry = {0s, 5s};
        return engine_settings;
    }
    void ends(const std::string& session) { daemon.report(session, {ended(Outcome::kCompleted)}); }
    Result<Answer> done(WebhookOutcome outcome, const std::string& reason = {}) {
        WebhookDoneCommand command;
        command.result.job = daemon.webhook_jobs.back();
        command.result.outcome = outcome;
        command.result.status = outcome == WebhookOutcome::kDelivered ? 204 : 0;
        command.result.reason = reason;
        return daemon.ask(std::move(command));
    }
    Document list() { return body(daemon.ask(WebhooksQuery{}))["webhooks"][0]; }
    Document body(const Result<Answer>& what) {
        require_ok(what);
        return Document::parse(std::get<BodyReply>(*what).body);
    }
};

}  // namespace

TEST_CASE("engine webhooks: a message goes out when its event is committed, and goes once",
          "[server]") {
    Told advice;
    advice.daemon.report("s", {beat()});
    CHECK(advice.daemon.webhook_jobs.empty());
    advice.ends("s");
    REQUIRE(advice.daemon.webhook_jobs.size() == 1);
    const WebhookJob job = advice.daemon.webhook_jobs.front();
    const Document body = Document::parse(job.body);
    CHECK(body["type"] == "session.ended");
    CHECK(body["data"]["session"] == "s");
    CHECK(body["data"]["verdict"] == "completed");
    CHECK(body["data"]["event"]["outcome"] == "completed");
    CHECK(advice.list()["pending"] == 1);
    require_ok(advice.done(WebhookOutcome::kDelivered));
    CHECK(advice.list()["pending"] == 0);
    CHECK(advice.list()["delivered"] == 1);
    CHECK(advice.daemon.webhook_jobs.size() == 1);
    REQUIRE(advice.daemon.last.stats.webhooks != nullptr);
    CHECK(advice.daemon.last.stats.webhooks->front().delivered == 1);
}

TEST_CASE("engine webhooks: nothing is sent of what was not committed", "[server]") {
    Told advice;
    advice.daemon.store().fail(FailingStore::Step::kCommit);
    CHECK_FALSE(
        advice.daemon.ask(ReportCommand{"s", {ended(Outcome::kFailed)}, false, {}}).has_value());
    CHECK(advice.daemon.webhook_jobs.empty());
    advice.daemon.store().fail(FailingStore::Step::kNone);
    CHECK(advice.list()["pending"] == 0);
    advice.ends("s");
    CHECK(advice.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: a message that cannot be written refuses its report", "[server]") {
    Told advice;
    advice.daemon.store().fail(FailingStore::Step::kOutbox);
    CHECK_FALSE(
        advice.daemon.ask(ReportCommand{"s", {ended(Outcome::kFailed)}, false, {}}).has_value());
    advice.daemon.store().fail(FailingStore::Step::kNone);
    CHECK_FALSE(advice.daemon.ask(SessionQuery{"s"}).has_value());
    advice.ends("s");
    CHECK(advice.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: after kill -9 what was not settled is sent again with its id",
          "[server]") {
    Told advice;
    advice.ends("a");
    advice.ends("b");  // waits behind a
    const std::string id = advice.daemon.webhook_jobs.back().id;
    advice.daemon.restart();
    advice.daemon.turn({});
    REQUIRE(advice.daemon.webhook_jobs.size() == 2);
    CHECK(advice.daemon.webhook_jobs.back().id == id);
    require_ok(advice.done(WebhookOutcome::kDelivered));
    CHECK(advice.daemon.webhook_jobs.size() == 3);
    CHECK(advice.daemon.webhook_jobs.back().id != id);
}

TEST_CASE("engine webhooks: what could not be written down is not sent again, but written later",
          "[server]") {
    Told advice;
    advice.ends("s");
    WebhookDoneCommand done;
    done.result.job = advice.daemon.webhook_jobs.back();
    done.result.outcome = WebhookOutcome::kDelivered;
    SECTION("the commit fails") {
        advice.daemon.store().fail(FailingStore::Step::kCommit);
    }
    SECTION("the commit fails, and not for lack of space") {
        advice.daemon.store().fail(FailingStore::Step::kCommit, ErrorCode::kStorageUnavailable);
    }
    SECTION("the database is renamed") {
        advice.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    }
    SECTION("nothing but this cannot be written") {
        advice.daemon.store().fail(FailingStore::Step::kOutbox, ErrorCode::kStorageUnavailable);
    }
    CHECK(advice.daemon.turn({done}).empty());
    for (int i = 0; i < 3; ++i) {
        advice.daemon.engine().upkeep(true);  // a probe
        advice.daemon.turn({});
    }
    CHECK(advice.daemon.webhook_jobs.size() == 1);
    advice.daemon.store().fail(FailingStore::Step::kNone);
    settle_down(advice.daemon);
    CHECK(advice.daemon.webhook_jobs.size() == 1);
    CHECK(advice.list()["delivered"] == 1);
    CHECK(advice.list()["pending"] == 0);
    advice.ends("t");
    CHECK(advice.daemon.webhook_jobs.size() == 2);
}

TEST_CASE("engine webhooks: nothing is sent while the store takes no writes", "[server]") {
    Told advice;
    advice.daemon.webhooks_go_out = false;
    advice.ends("s");
    advice.daemon.webhooks_go_out = true;
    advice.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    CHECK_FALSE(advice.daemon.ask(ReportCommand{"t", {beat()}, false, {}}).has_value());
    advice.daemon.clock().advance_to(at(3'600'000));  // the pause of the endpoint is over
    advice.daemon.turn({});
    advice.daemon.turn({});
    CHECK(advice.daemon.webhook_jobs.empty());
    advice.daemon.store().fail(FailingStore::Step::kNone);
    advice.daemon.report("t", {beat()});
    CHECK(advice.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: the client of a test hears that its result was not stored",
          "[server]") {
    Told advice;
    CHECK(advice.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    advice.daemon.store().fail(FailingStore::Step::kCommit);
    CHECK(code_of(advice.done(WebhookOutcome::kDelivered)) == ErrorCode::kStorageFull);
}

TEST_CASE("engine webhooks: a failure is tried again when it is due, then it is dead", "[server]") {
    Told advice;
    advice.ends("s");
    require_ok(advice.done(WebhookOutcome::kAway, "no answer"));
    advice.daemon.turn({});
    CHECK(advice.daemon.webhook_jobs.size() == 1);
    CHECK(advice.list()["state"] == "failing");
    CHECK(advice.list()["last_failure"] == "no answer");
    advice.daemon.clock().advance_to(at(6'001));
    advice.daemon.turn({});
    REQUIRE(advice.daemon.webhook_jobs.size() == 2);
    require_ok(advice.done(WebhookOutcome::kAway, "still none"));
    CHECK(advice.list()["dead"] == 1);
    const Document dead = advice.body(advice.daemon.ask(DeliveriesQuery{"ops", true, 0, 50}));
    REQUIRE(dead["deliveries"].size() == 1);
    CHECK(dead["deliveries"][0]["reason"] == "still none");
    CHECK(dead["deliveries"][0]["tries"] == 2);
    CHECK(dead["next"].is_null());
    CHECK(advice.body(advice.daemon.ask(WebhookReplayCommand{"ops", {}}))["replayed"] == 1);
    CHECK(advice.daemon.webhook_jobs.size() == 3);
}

TEST_CASE("engine webhooks: a test is answered when it has ended", "[server]") {
    Told advice;
    CHECK(advice.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    REQUIRE(advice.daemon.webhook_jobs.size() == 1);
    CHECK(advice.daemon.webhook_jobs.front().row == 0);
    CHECK(advice.daemon.webhook_jobs.front().slot == 1);  // the request that waits for the result
    Document answer = advice.body(advice.done(WebhookOutcome::kDelivered));
    CHECK(answer["delivered"] == true);
    CHECK(answer["status"] == 204);
    CHECK(advice.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    answer = advice.body(advice.done(WebhookOutcome::kAway, "cannot be reached"));
    CHECK(answer["delivered"] == false);
    CHECK(answer["status"].is_null());
    CHECK(answer["reason"] == "cannot be reached");
    CHECK(advice.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    CHECK(code_of(advice.done(WebhookOutcome::kCancelled)) == ErrorCode::kDraining);
    CHECK(code_of(advice.daemon.ask(WebhookTestCommand{"no"})) == ErrorCode::kUnknownWebhook);
    CHECK(advice.list()["failed"] == 0);
}

TEST_CASE("engine webhooks: a test may follow in the turn in which the last one has ended",
          "[server]") {
    Told advice;
    CHECK(advice.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    WebhookDoneCommand done;
    done.result.job = advice.daemon.webhook_jobs.back();
    done.result.outcome = WebhookOutcome::kDelivered;
    const auto replies = advice.daemon.turn({WebhookTestCommand{"ops"}, done});
    REQUIRE(replies.size() == 1);  // of the first test
    require_ok(replies.front().what);
    CHECK(advice.daemon.webhook_jobs.size() == 2);
}

TEST_CASE("engine webhooks: messages outlive their session", "[server]") {
    Told advice;
    advice.daemon.webhooks_go_out = false;
    advice.ends("s");
    advice.daemon.clock().advance_to(at(60'000));
    advice.daemon.engine().upkeep(true);  // retention deletes saved sessions
    auto& store = advice.daemon.sqlite();
    for (int i = 0; i < 10; ++i)
        require_ok(store.delete_some(at(0) + 24h));
    CHECK_FALSE(store.find("s").value().has_value());
    advice.daemon.webhooks_go_out = true;
    advice.daemon.restart();
    advice.daemon.turn({});
    REQUIRE(advice.daemon.webhook_jobs.size() == 1);
    CHECK(Document::parse(advice.daemon.webhook_jobs.front().body)["data"]["session"] == "s");
}

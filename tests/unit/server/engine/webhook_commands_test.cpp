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
        EngineSettings made;
        made.webhooks.endpoints = {rule};
        made.webhooks.retry = {0s, 5s};
        return made;
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
    Told told;
    told.daemon.report("s", {beat()});
    CHECK(told.daemon.webhook_jobs.empty());
    told.ends("s");
    REQUIRE(told.daemon.webhook_jobs.size() == 1);
    const WebhookJob job = told.daemon.webhook_jobs.front();
    const Document body = Document::parse(job.body);
    CHECK(body["type"] == "session.ended");
    CHECK(body["data"]["session"] == "s");
    CHECK(body["data"]["verdict"] == "completed");
    CHECK(body["data"]["event"]["outcome"] == "completed");
    CHECK(told.list()["pending"] == 1);
    require_ok(told.done(WebhookOutcome::kDelivered));
    CHECK(told.list()["pending"] == 0);
    CHECK(told.list()["delivered"] == 1);
    CHECK(told.daemon.webhook_jobs.size() == 1);
    REQUIRE(told.daemon.last.stats.webhooks != nullptr);
    CHECK(told.daemon.last.stats.webhooks->front().delivered == 1);
}

TEST_CASE("engine webhooks: nothing is sent of what was not committed", "[server]") {
    Told told;
    told.daemon.store().fail(FailingStore::Step::kCommit);
    CHECK_FALSE(
        told.daemon.ask(ReportCommand{"s", {ended(Outcome::kFailed)}, false, {}}).has_value());
    CHECK(told.daemon.webhook_jobs.empty());
    told.daemon.store().fail(FailingStore::Step::kNone);
    CHECK(told.list()["pending"] == 0);
    told.ends("s");
    CHECK(told.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: a message that cannot be written refuses its report", "[server]") {
    Told told;
    told.daemon.store().fail(FailingStore::Step::kOutbox);
    CHECK_FALSE(
        told.daemon.ask(ReportCommand{"s", {ended(Outcome::kFailed)}, false, {}}).has_value());
    told.daemon.store().fail(FailingStore::Step::kNone);
    CHECK_FALSE(told.daemon.ask(SessionQuery{"s"}).has_value());
    told.ends("s");
    CHECK(told.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: after kill -9 what was not settled is sent again with its id",
          "[server]") {
    Told told;
    told.ends("a");
    told.ends("b");  // waits behind a
    const std::string id = told.daemon.webhook_jobs.back().id;
    told.daemon.restart();
    told.daemon.turn({});
    REQUIRE(told.daemon.webhook_jobs.size() == 2);
    CHECK(told.daemon.webhook_jobs.back().id == id);
    require_ok(told.done(WebhookOutcome::kDelivered));
    CHECK(told.daemon.webhook_jobs.size() == 3);
    CHECK(told.daemon.webhook_jobs.back().id != id);
}

TEST_CASE("engine webhooks: what could not be written down is not sent again, but written later",
          "[server]") {
    Told told;
    told.ends("s");
    WebhookDoneCommand done;
    done.result.job = told.daemon.webhook_jobs.back();
    done.result.outcome = WebhookOutcome::kDelivered;
    SECTION("the commit fails") {
        told.daemon.store().fail(FailingStore::Step::kCommit);
    }
    SECTION("the commit fails, and not for lack of space") {
        told.daemon.store().fail(FailingStore::Step::kCommit, ErrorCode::kStorageUnavailable);
    }
    SECTION("the database is renamed") {
        told.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    }
    SECTION("nothing but this cannot be written") {
        told.daemon.store().fail(FailingStore::Step::kOutbox, ErrorCode::kStorageUnavailable);
    }
    CHECK(told.daemon.turn({done}).empty());
    for (int i = 0; i < 3; ++i) {
        told.daemon.engine().upkeep(true);  // a probe
        told.daemon.turn({});
    }
    CHECK(told.daemon.webhook_jobs.size() == 1);
    told.daemon.store().fail(FailingStore::Step::kNone);
    settle_down(told.daemon);
    CHECK(told.daemon.webhook_jobs.size() == 1);
    CHECK(told.list()["delivered"] == 1);
    CHECK(told.list()["pending"] == 0);
    told.ends("t");
    CHECK(told.daemon.webhook_jobs.size() == 2);
}

TEST_CASE("engine webhooks: nothing is sent while the store takes no writes", "[server]") {
    Told told;
    told.daemon.webhooks_go_out = false;
    told.ends("s");
    told.daemon.webhooks_go_out = true;
    told.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    CHECK_FALSE(told.daemon.ask(ReportCommand{"t", {beat()}, false, {}}).has_value());
    told.daemon.clock().advance_to(at(3'600'000));  // the pause of the endpoint is over
    told.daemon.turn({});
    told.daemon.turn({});
    CHECK(told.daemon.webhook_jobs.empty());
    told.daemon.store().fail(FailingStore::Step::kNone);
    told.daemon.report("t", {beat()});
    CHECK(told.daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine webhooks: the client of a test hears that its result was not stored",
          "[server]") {
    Told told;
    CHECK(told.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    told.daemon.store().fail(FailingStore::Step::kCommit);
    CHECK(code_of(told.done(WebhookOutcome::kDelivered)) == ErrorCode::kStorageFull);
}

TEST_CASE("engine webhooks: a failure is tried again when it is due, then it is dead", "[server]") {
    Told told;
    told.ends("s");
    require_ok(told.done(WebhookOutcome::kAway, "no answer"));
    told.daemon.turn({});
    CHECK(told.daemon.webhook_jobs.size() == 1);
    CHECK(told.list()["state"] == "failing");
    CHECK(told.list()["last_failure"] == "no answer");
    told.daemon.clock().advance_to(at(6'001));
    told.daemon.turn({});
    REQUIRE(told.daemon.webhook_jobs.size() == 2);
    require_ok(told.done(WebhookOutcome::kAway, "still none"));
    CHECK(told.list()["dead"] == 1);
    const Document dead = told.body(told.daemon.ask(DeliveriesQuery{"ops", true, 0, 50}));
    REQUIRE(dead["deliveries"].size() == 1);
    CHECK(dead["deliveries"][0]["reason"] == "still none");
    CHECK(dead["deliveries"][0]["tries"] == 2);
    CHECK(dead["next"].is_null());
    CHECK(told.body(told.daemon.ask(WebhookReplayCommand{"ops", {}}))["replayed"] == 1);
    CHECK(told.daemon.webhook_jobs.size() == 3);
}

TEST_CASE("engine webhooks: a test is answered when it has ended", "[server]") {
    Told told;
    CHECK(told.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    REQUIRE(told.daemon.webhook_jobs.size() == 1);
    CHECK(told.daemon.webhook_jobs.front().row == 0);
    CHECK(told.daemon.webhook_jobs.front().slot == 1);  // the request that waits for the result
    Document answer = told.body(told.done(WebhookOutcome::kDelivered));
    CHECK(answer["delivered"] == true);
    CHECK(answer["status"] == 204);
    CHECK(told.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    answer = told.body(told.done(WebhookOutcome::kAway, "cannot be reached"));
    CHECK(answer["delivered"] == false);
    CHECK(answer["status"].is_null());
    CHECK(answer["reason"] == "cannot be reached");
    CHECK(told.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    CHECK(code_of(told.done(WebhookOutcome::kCancelled)) == ErrorCode::kDraining);
    CHECK(code_of(told.daemon.ask(WebhookTestCommand{"no"})) == ErrorCode::kUnknownWebhook);
    CHECK(told.list()["failed"] == 0);
}

TEST_CASE("engine webhooks: a test may follow in the turn in which the last one has ended",
          "[server]") {
    Told told;
    CHECK(told.daemon.turn({WebhookTestCommand{"ops"}}).empty());
    WebhookDoneCommand done;
    done.result.job = told.daemon.webhook_jobs.back();
    done.result.outcome = WebhookOutcome::kDelivered;
    const auto replies = told.daemon.turn({WebhookTestCommand{"ops"}, done});
    REQUIRE(replies.size() == 1);  // of the first test
    require_ok(replies.front().what);
    CHECK(told.daemon.webhook_jobs.size() == 2);
}

TEST_CASE("engine webhooks: messages outlive their session", "[server]") {
    Told told;
    told.daemon.webhooks_go_out = false;
    told.ends("s");
    told.daemon.clock().advance_to(at(60'000));
    told.daemon.engine().upkeep(true);  // retention deletes saved sessions
    auto& store = told.daemon.sqlite();
    for (int i = 0; i < 10; ++i)
        require_ok(store.delete_some(at(0) + 24h));
    CHECK_FALSE(store.find("s").value().has_value());
    told.daemon.webhooks_go_out = true;
    told.daemon.restart();
    told.daemon.turn({});
    REQUIRE(told.daemon.webhook_jobs.size() == 1);
    CHECK(Document::parse(told.daemon.webhook_jobs.front().body)["data"]["session"] == "s");
}

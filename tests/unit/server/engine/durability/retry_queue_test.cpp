// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/settle_down.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;
using Step = FailingStore::Step;

namespace {

/// A message is on its way, and a judge is asked.
struct Pending {
    Supervised daemon{settings(), at(0)};
    WebhookDoneCommand sent;
    JudgedCommand judged;

    Pending() {
        daemon.report("a", {ended(Outcome::kCompleted)});
        daemon.report("s", {tool_finished("c1")});
        require_ok(daemon.ask(CheckCommand{"s", "mine", "ann"}));
        sent.result.job = daemon.webhook_jobs.back();
        sent.result.outcome = WebhookOutcome::kDelivered;
        judged.reply.id = daemon.judge_jobs.back().id;
        judged.reply.session = "s";
        judged.reply.outcome = JudgeOutcome::kUnreachable;
    }
    static EngineSettings settings() {
        WebhookRule rule;
        rule.name = "ops";
        rule.target = "t";
        rule.events.set(static_cast<std::size_t>(EventType::kSessionEnded));
        EngineSettings engine_settings;
        engine_settings.webhooks.endpoints = {rule};
        engine_settings.webhooks.retry = {0s};
        engine_settings.judge.primary = "local";
        return engine_settings;
    }
    bool checked() {
        for (const Event& event : daemon.journal("s")) {
            if (std::holds_alternative<CheckCompleted>(event.payload)) return true;
        }
        return false;
    }
    bool delivered() {
        return daemon.stored().outbox().next_due("ops").value() == headway::core::kNever;
    }
};

}  // namespace

TEST_CASE("engine retry_queue: what cannot be stored holds up nothing else, and no client",
          "[server]") {
    Pending pending;
    Supervised& daemon = pending.daemon;
    daemon.store().fail(Step::kOutbox, ErrorCode::kStorageCorrupt);
    CHECK(daemon.turn({pending.sent, pending.judged}).empty());
    CHECK_FALSE(pending.checked());
    settle_down(daemon);
    CHECK(pending.checked());
    CHECK_FALSE(pending.delivered());
    testclock::jump(testclock::Jump::pass(1min));  // it is due again
    daemon.report("s", {beat()});
    CHECK(daemon.webhook_jobs.size() == 1);
    daemon.store().fail(Step::kNone);
    settle_down(daemon);
    CHECK(pending.delivered());
    CHECK(daemon.webhook_jobs.size() == 1);
}

TEST_CASE("engine retry_queue: after a failure there is a pause, and no turn tries it in that",
          "[server]") {
    Pending pending;
    Supervised& daemon = pending.daemon;
    daemon.store().fail(Step::kOutbox, ErrorCode::kStorageUnavailable);
    daemon.turn({pending.sent});
    const int rollbacks = daemon.store().rollbacks();
    for (int i = 0; i < 20; ++i) {
        daemon.engine().upkeep(true);
        daemon.turn({});
    }
    CHECK(daemon.store().rollbacks() - rollbacks <= 2);  // one for each second
    settle_down(daemon);
    CHECK(daemon.store().rollbacks() - rollbacks <= 10);
}

TEST_CASE("engine retry_queue: the end of the engine waits for nothing", "[server]") {
    Pending pending;
    Supervised& daemon = pending.daemon;
    daemon.store().fail(Step::kFiles, ErrorCode::kStorageUnavailable);
    daemon.turn({pending.sent, pending.judged});
    daemon.queue().close();
    daemon.engine().run();
    daemon.store().fail(Step::kNone);
    CHECK_FALSE(pending.checked());
    CHECK_FALSE(pending.delivered());
}

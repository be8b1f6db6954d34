// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/settle_down.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

/// An engine that asks a judge for an estimate after each call; the questions are in
/// `judge_jobs`.
struct Bureau {
    Supervised daemon{settings()};

    static EngineSettings settings() {
        EngineSettings engine_settings;
        engine_settings.judge.primary = "local";
        engine_settings.judge.estimates = EstimateMode::kStep;
        return engine_settings;
    }
    void call(const std::string& session, const std::string& id) {
        daemon.report(session, {tool_finished(id)});
    }
    void answer(std::string text, JudgeOutcome outcome = JudgeOutcome::kAnswered,
                std::string error = {}) {
        REQUIRE_FALSE(daemon.judge_jobs.empty());
        JudgeReply reply;
        reply.id = daemon.judge_jobs.back().id;
        reply.session = daemon.judge_jobs.back().session;
        reply.outcome = outcome;
        reply.text = std::move(text);
        reply.error = std::move(error);
        reply.model = "m1";
        reply.use.prompt_tokens = 70;
        auto what = daemon.ask(JudgedCommand{std::move(reply)});
        require_ok(what);
        CHECK(std::holds_alternative<BodyReply>(*what));  // advice would be on no session
    }
    std::vector<ProgressEstimated> estimates(const std::string& session) {
        std::vector<ProgressEstimated> found;
        for (const Event& one : daemon.journal(session)) {
            if (const auto* estimate = std::get_if<ProgressEstimated>(&one.payload))
                found.push_back(*estimate);
        }
        return found;
    }
    Document analytics() {
        auto what = daemon.ask(EstimatesQuery{});
        require_ok(what);
        return Document::parse(std::get<BodyReply>(*what).body)["estimates"];
    }
};

}  // namespace

TEST_CASE("engine estimates: the judge is asked after the commit, one at a time", "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    REQUIRE(bureau.daemon.judge_jobs.size() == 1);
    const JudgeJob& job = bureau.daemon.judge_jobs.front();
    CHECK(job.session == "s");
    CHECK(job.endpoint == "local");
    CHECK(job.max_tokens == 500);
    CHECK(job.temperature == 0.1);
    CHECK(job.user.find("bash") != std::string::npos);
    bureau.call("s", "c2");
    CHECK(bureau.daemon.judge_jobs.size() == 1);
    bureau.call("t", "c1");
    CHECK(bureau.daemon.judge_jobs.size() == 2);
}

TEST_CASE("engine estimates: one that steps overtook is asked for again at once", "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    bureau.call("s", "c2");
    CHECK(bureau.daemon.judge_jobs.size() == 1);
    bureau.answer(R"({"progressPercent":45})");
    REQUIRE(bureau.daemon.judge_jobs.size() == 2);
    CHECK(bureau.estimates("s").size() == 1);
    bureau.answer(R"({"progressPercent":60})");  // of all that was done
    CHECK(bureau.daemon.judge_jobs.size() == 2);
    CHECK(bureau.estimates("s").size() == 2);
}

TEST_CASE("engine estimates: a failed commit asks no judge", "[server]") {
    Bureau bureau;
    bureau.daemon.store().fail(FailingStore::Step::kCommit);
    auto what = bureau.daemon.ask(ReportCommand{"s", {tool_finished("c1")}, false, {}});
    CHECK(what.error().code == ErrorCode::kStorageFull);
    CHECK(bureau.daemon.judge_jobs.empty());
}

TEST_CASE("engine estimates: the judge's estimate is in the journal as such", "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    bureau.answer(
        R"(Well: {"progressPercent":45,"reasoning":"half","nextMilestone":"tests","blockers":["x"]})");
    const auto found = bureau.estimates("s");
    REQUIRE(found.size() == 1);
    CHECK(found[0].percent == 45);
    CHECK(found[0].reasoning.kept == "half");
    CHECK(found[0].source == "judge");
    CHECK(found[0].judge == "local");
    CHECK(found[0].model == "m1");
    CHECK(found[0].use->prompt_tokens == 70);
    CHECK_FALSE(found[0].fallback);
    CHECK(found[0].is_stuck == false);
    CHECK(bureau.daemon.judge_jobs.size() == 1);
    bureau.call("s", "c2");
    CHECK(bureau.daemon.judge_jobs.size() == 2);
}

TEST_CASE("engine estimates: a failure or an unreadable answer leaves a marked fallback",
          "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    SECTION("fails") {
        bureau.answer("", JudgeOutcome::kUnreachable, "no route");
        CHECK(bureau.estimates("s").at(0).reasoning.kept.find("no route") != std::string::npos);
    }
    SECTION("babbles") {
        bureau.answer("it goes splendidly");
    }
    const ProgressEstimated estimate = bureau.estimates("s").at(0);
    CHECK(estimate.percent == 50);
    CHECK(estimate.fallback);
    CHECK(estimate.source == "judge");
    CHECK_FALSE(estimate.reasoning.kept.empty());
    bureau.daemon.report("s", {ended(Outcome::kCompleted)});
    CHECK(bureau.analytics().empty());
}

TEST_CASE("engine estimates: one that could not be written down is written later", "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    JudgeReply reply;
    reply.id = bureau.daemon.judge_jobs.back().id;
    reply.session = "s";
    reply.outcome = JudgeOutcome::kAnswered;
    reply.text = R"({"progressPercent":45})";
    SECTION("the commit fails") {
        bureau.daemon.store().fail(FailingStore::Step::kCommit);
    }
    SECTION("the database is renamed") {
        bureau.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    }
    CHECK(bureau.daemon.turn({JudgedCommand{std::move(reply)}}).empty());
    bureau.daemon.store().fail(FailingStore::Step::kNone);
    settle_down(bureau.daemon);
    REQUIRE(bureau.estimates("s").size() == 1);
    CHECK(bureau.estimates("s")[0].percent == 45);
    bureau.call("s", "c2");  // none is open any more
    CHECK(bureau.daemon.judge_jobs.size() == 2);
}

TEST_CASE("engine estimates: the end of the session cancels what is under way", "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    bureau.daemon.report("s", {ended(Outcome::kCompleted)});
    CHECK(bureau.daemon.judge_cancelled == std::vector<std::string>{"s"});
    bureau.answer(R"({"progressPercent":45})");
    CHECK(bureau.estimates("s").empty());
}

TEST_CASE("engine estimates: a restart forgets what was under way; the next event asks again",
          "[server]") {
    Bureau bureau;
    bureau.call("s", "c1");
    bureau.daemon.restart();
    bureau.answer(R"({"progressPercent":45})");
    CHECK(bureau.estimates("s").empty());
    bureau.call("s", "c2");
    CHECK(bureau.daemon.judge_jobs.size() == 2);
}

TEST_CASE("engine estimates: without a mode no judge is asked", "[server]") {
    EngineSettings settings;
    settings.judge.primary = "local";
    Supervised daemon{settings};
    daemon.report("s", {tool_finished("c1")});
    CHECK(daemon.judge_jobs.empty());
}

TEST_CASE("engine estimates: each is scored against the real end", "[server]") {
    Bureau bureau;
    CHECK(bureau.analytics().empty());
    bureau.call("s", "c1");
    bureau.answer(R"({"progressPercent":45})");  // one of four calls: 20 points too much
    bureau.call("s", "c2");
    ProgressEstimated own;
    own.percent = 40;  // two of four: 10 points too little
    bureau.daemon.report("s", {event(own)});
    bureau.call("s", "c3");
    CHECK(bureau.analytics().empty());
    SECTION("as it is") {}
    SECTION("after a restart") {
        bureau.daemon.restart();
    }
    bureau.daemon.report("s", {tool_finished("c4"), ended(Outcome::kCompleted)});
    const Document document = bureau.analytics();
    REQUIRE(document.size() == 2);
    CHECK(document[0]["source"] == "agent");
    CHECK(document[0]["mean_abs_error"] == 10);
    CHECK(document[0]["bias"] == -10);
    CHECK(document[1]["source"] == "judge");
    CHECK(document[1]["model"] == "m1");
    CHECK(document[1]["count"] == 1);
    CHECK(document[1]["bias"] == 20);
    CHECK(document[1]["completed"] == 1);
    CHECK(document[1]["deciles"] == Document::parse(R"([{"from":40,"count":1,"completed":1.0}])"));
}

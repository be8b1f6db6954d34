// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/settle_down.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

/// An engine with a judge; its questions are in `judge_jobs`.
struct Court {
    Supervised daemon{settings()};

    static EngineSettings settings() {
        EngineSettings engine_settings;
        engine_settings.judge.primary = "local";
        return engine_settings;
    }
    BodyReply ask(std::string session, std::string id) {
        auto what = daemon.ask(CheckCommand{std::move(session), std::move(id), "ann"});
        require_ok(what);
        return std::get<BodyReply>(*what);
    }
    Document look(std::string id, Grants grants = Grants::all()) {
        return look_at({}, std::move(id), std::move(grants));
    }
    Document look_at(std::string session, std::string id, Grants grants = Grants::all()) {
        auto what = daemon.ask(CheckQuery{std::move(id), std::move(session), std::move(grants)});
        require_ok(what);
        return Document::parse(std::get<DocumentReply>(*what).body);
    }
    void answer(std::string text, JudgeOutcome outcome = JudgeOutcome::kAnswered) {
        REQUIRE_FALSE(daemon.judge_jobs.empty());
        JudgeReply reply;
        reply.id = daemon.judge_jobs.back().id;
        reply.session = daemon.judge_jobs.back().session;
        reply.outcome = outcome;
        reply.text = std::move(text);
        reply.model = "m1";
        auto what = daemon.ask(JudgedCommand{std::move(reply)});
        require_ok(what);
        CHECK(std::holds_alternative<BodyReply>(*what));  // advice would be on no session
    }
};

}  // namespace

TEST_CASE(
    "engine checks: a question goes to the judge after the commit, with the session's "
    "story",
    "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    const BodyReply reply = court.ask("s", "mine");
    CHECK(reply.status == 202);
    CHECK(reply.headers == "Location: /check-status/mine?sessionId=s\r\n");
    CHECK(Document::parse(reply.body)["state"] == "running");
    REQUIRE(court.daemon.judge_jobs.size() == 1);
    const JudgeJob& job = court.daemon.judge_jobs.front();
    CHECK(job.session == "s");
    CHECK(job.endpoint == "local");
    CHECK(job.max_tokens == 100);
    CHECK(job.temperature == 0);
    CHECK(job.user.find("#2") != std::string::npos);
    CHECK(court.look("mine")["status"].is_null());
}

TEST_CASE("engine checks: the judge's answer is in the journal and in the document", "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    court.ask("s", "mine");
    court.answer(R"({"answer":"B","confidence":0.8,"evidence":[2],"reason":"the same again"})");
    CHECK(court.daemon.last.checked == std::vector<std::string>{"mine?s"});
    const Document document = court.look("mine");
    CHECK(document["state"] == "completed");
    CHECK(document["status"] == "B");
    CHECK(document["answer"] == "looping");
    CHECK(document["reason"] == "the same again");
    CHECK(document["evidence"] == Document::array({2}));
    CHECK(document["confidence"] == 0.8);
    CHECK(document["model"] == "m1");
    CHECK(type_of(court.daemon.journal("s").back().payload) == EventType::kCheckCompleted);
}

TEST_CASE("engine checks: an answer that rests on events that were not shown is discarded",
          "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    court.ask("s", "mine");
    court.answer(R"({"answer":"B","confidence":1,"evidence":[999],"reason":"x"})");
    const Document document = court.look("mine");
    CHECK(document["outcome"] == "discarded");
    CHECK(document["status"].is_null());
    CHECK_FALSE(document["error"].get<std::string>().empty());
}

TEST_CASE("engine checks: a judge that cannot be reached leaves an outcome and no answer",
          "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.ask("s", "mine");
    court.answer("A ignored, since it was not an answer", JudgeOutcome::kUnreachable);
    CHECK(court.look("mine")["outcome"] == "unreachable");
    CHECK(court.look("mine")["status"].is_null());
}

TEST_CASE("engine checks: an answer that could not be written down is written later", "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    court.ask("s", "mine");
    JudgeReply reply;
    reply.id = court.daemon.judge_jobs.back().id;
    reply.session = "s";
    reply.outcome = JudgeOutcome::kAnswered;
    reply.text = R"({"answer":"A","evidence":[2],"confidence":0.9,"reason":"files change"})";
    SECTION("the commit fails") {
        court.daemon.store().fail(FailingStore::Step::kCommit);
    }
    SECTION("the journal cannot be written") {
        court.daemon.store().fail(FailingStore::Step::kAppend, ErrorCode::kStorageUnavailable);
    }
    SECTION("the database is renamed") {
        court.daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    }
    SECTION("something of it is damaged, as it seems") {
        court.daemon.store().fail(FailingStore::Step::kAppend, ErrorCode::kStorageCorrupt);
    }
    CHECK(court.daemon.turn({JudgedCommand{std::move(reply)}}).empty());
    settle_down(court.daemon);
    CHECK(court.look("mine")["state"] == "running");
    court.daemon.store().fail(FailingStore::Step::kNone);
    settle_down(court.daemon);
    CHECK(court.look("mine")["state"] == "completed");
    CHECK(court.look("mine")["status"] == "A");
    CHECK(court.daemon.judge_jobs.size() == 1);  // it was not asked again
}

TEST_CASE("engine checks: the same id asks once in a session", "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.daemon.report("t", {beat()});
    court.ask("s", "mine");
    CHECK(court.ask("s", "mine").status == 202);
    CHECK(court.daemon.judge_jobs.size() == 1);
    court.answer("A: fine");
    CHECK(court.ask("s", "mine").status == 200);
    CHECK(court.daemon.judge_jobs.size() == 1);
}

TEST_CASE("engine checks: many run at once", "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    for (const char* id : {"a", "b", "c"})
        court.ask("s", id);
    CHECK(court.daemon.judge_jobs.size() == 3);
    CHECK(court.look("a")["state"] == "running");
    court.answer("C: it waits");
    CHECK(court.look("c")["status"] == "C");
    CHECK(court.look("a")["state"] == "running");
}

TEST_CASE("engine checks: the end of a session cancels what is under way", "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.ask("s", "mine");
    court.daemon.report("s", {ended(Outcome::kCompleted)});
    CHECK(court.daemon.judge_cancelled == std::vector<std::string>{"s"});
    CHECK(court.daemon.last.checked == std::vector<std::string>{"mine?s"});
    CHECK(court.look("mine")["outcome"] == "cancelled");
    court.answer("B: #2");
    CHECK(court.look("mine")["outcome"] == "cancelled");
    CHECK(type_of(court.daemon.journal("s").back().payload) != EventType::kCheckCompleted);
}

TEST_CASE("engine checks: a check that a restart interrupts is asked again", "[server]") {
    Court court;
    court.daemon.report("s", {tool_finished("c1")});
    court.ask("s", "mine");
    court.daemon.judge_jobs.clear();
    court.daemon.restart();
    court.daemon.turn({});
    REQUIRE(court.daemon.judge_jobs.size() == 1);
    CHECK(court.daemon.judge_jobs.front().session == "s");
    court.answer("A: it moves on, #2");
    CHECK(court.look("mine")["status"] == "A");
    court.daemon.judge_jobs.clear();
    court.daemon.restart();
    court.daemon.turn({});
    CHECK(court.daemon.judge_jobs.empty());
    CHECK(court.look("mine")["status"] == "A");
}

TEST_CASE("engine checks: two sessions may ask under one id, and each has its own", "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.daemon.report("t", {beat()});
    court.ask("s", "iter-5");
    CHECK(court.ask("t", "iter-5").status == 202);
    CHECK(court.daemon.judge_jobs.size() == 2);
    court.answer("A: fine");  // of t, which was asked last
    CHECK(court.look_at("t", "iter-5")["status"] == "A");
    CHECK(court.look_at("s", "iter-5")["state"] == "running");
    CHECK(court.ask("t", "iter-5").status == 200);  // neither is asked again
    CHECK(court.ask("s", "iter-5").status == 202);
    CHECK(court.look_at("s", "iter-5")["checkId"] == "iter-5");
    settle_down(court.daemon);
    CHECK(court.daemon.judge_jobs.size() == 2);
    auto none = court.daemon.ask(CheckQuery{"iter-5", "u", Grants::all()});
    CHECK(none.error().code == ErrorCode::kUnknownCheck);
}

TEST_CASE("engine checks: no judge is asked about rolled back events", "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.daemon.store().fail(FailingStore::Step::kCommit);
    CHECK_FALSE(court.daemon.ask(CheckCommand{"s", "mine", ""}).has_value());
    CHECK(court.daemon.judge_jobs.empty());
    court.daemon.store().fail(FailingStore::Step::kNone);
    auto none = court.daemon.ask(CheckQuery{"mine", {}, Grants::all()});
    CHECK(none.error().code == ErrorCode::kUnknownCheck);
}

TEST_CASE("engine checks: without read access to the session its checks are unknown", "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.ask("s", "mine");
    auto hidden = court.daemon.ask(CheckQuery{"mine", {}, Grants{}});
    CHECK(hidden.error().code == ErrorCode::kUnknownCheck);
}

TEST_CASE("engine checks: ids of the form of Headway's own are not for clients to choose",
          "[server]") {
    Court court;
    court.daemon.report("s", {beat()});
    court.daemon.report("evil", {beat()});
    for (const char* id : {"s.c3", "s.c12", ".c1", "mine.confirm", "s.c3.confirm"}) {
        INFO(id);
        auto refused = court.daemon.ask(CheckCommand{"evil", id, ""});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidId);
        CHECK(refused.error().field == "/checkId");
    }
    for (const char* id : {"s.c", "c3", "s.c3x", "abc3", "3", "confirm"}) {
        INFO(id);
        CHECK(court.ask("evil", id).status == 202);
        court.answer("A: fine");
    }
    // A check that Headway chose may be asked for again.
    const std::string own = Document::parse(court.ask("s", "").body)["checkId"];
    CHECK(court.ask("s", own).status == 202);
}

TEST_CASE("engine checks: a check whose id another session's row has is asked all the same",
          "[server]") {
    Court court;
    court.daemon.report("evil", {beat()});
    court.daemon.report("s", {beat()});
    const auto evil = court.daemon.store().find("evil");
    // As an older version let agents do.
    require_ok(court.daemon.store().begin());
    const std::uint64_t next = court.daemon.journal("s").size() + 1;
    const std::string id = "s.c" + std::to_string(next);
    require_ok(court.daemon.store().checks().add_check(id, **evil, 1));
    require_ok(court.daemon.store().commit());

    CHECK(Document::parse(court.ask("s", "").body)["checkId"] == id);
    REQUIRE(court.daemon.judge_jobs.size() == 1);
    CHECK(court.daemon.judge_jobs.front().session == "s");
    court.daemon.report("evil", {ended(Outcome::kCompleted)});  // ends no check of another
    CHECK(court.look(id)["state"] == "running");
    court.answer("A: fine");
    CHECK(court.look(id)["status"] == "A");
    CHECK(court.look(id)["sessionId"] == "s");
}

TEST_CASE("engine checks: an id that two sessions have is found with its session only",
          "[server]") {
    Court court;
    for (const char* session : {"a", "b"}) {
        court.daemon.report(session, {beat()});
        CHECK(court.ask(session, "iter-5").status == 202);
        if (session == std::string{"a"}) CHECK(court.look("iter-5")["sessionId"] == "a");
    }
    const auto unclear = court.daemon.ask(CheckQuery{"iter-5", {}, Grants::all()});
    REQUIRE_FALSE(unclear);
    CHECK(unclear.error().field == "sessionId");
    for (const char* session : {"a", "b"})
        CHECK(court.look_at(session, "iter-5")["sessionId"] == session);
}

TEST_CASE("engine checks: the id of a check of a session that is being deleted is free",
          "[server]") {
    Court court;
    court.daemon.report("old", {beat()});
    court.ask("old", "nightly");
    court.daemon.report("old", {ended(Outcome::kCompleted)});
    court.daemon.report("new", {beat()});
    require_ok(court.daemon.ask(ForgetCommand{"old"}));
    require_ok(court.daemon.store().delete_some(kNever));  // its name is the first to go
    REQUIRE_FALSE(court.daemon.store().find("old").value());
    CHECK(court.ask("new", "nightly").status == 202);
    CHECK(court.look("nightly")["sessionId"] == "new");
}

// SPDX-License-Identifier: Apache-2.0
#include "core/state/person_time.hpp"

#include <catch2/catch.hpp>

#include "core/judgement/failure.hpp"
#include "core/session/session.hpp"
#include "core/state/legacy_comparison.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr std::int64_t kMinute = 60'000;

/// A session whose calls may take a minute, and whose fourth failure of one tool in a row ends it.
struct Limited {
    explicit Limited(LegacyMode legacy = LegacyMode::kOff) {
        Policy policy;
        policy.tool_time_limit = Millis{kMinute};
        policy.max_tool_failures = 3;
        policy.legacy.mode = legacy;
        session.open({}, policy, context(0), out);
    }

    const SessionState& state() const { return session.state(); }
    std::string feedback() const { return feedback_of(state(), at(now)); }

    void report(Event event) {
        std::vector<Event> events(1);
        events.front() = std::move(event);
        session.report(events, context(now), out);
    }
    void start(const std::string& id, const std::string& tool = "deploy") {
        report(tool_started(id, tool));
    }
    /// Returns the number of the request.
    std::uint64_t ask(const std::string& call_id, const std::string& tool = "deploy",
                      ApprovalKind kind = ApprovalKind::kTool) {
        ApprovalRequested asked;
        asked.kind = kind;
        asked.call_id = call_id;
        asked.tool = kind == ApprovalKind::kTool ? tool : "";
        asked.args_digest = "sha256:" + std::string(64, 'a');
        asked.summary = bounded_text("may it? " + call_id);
        report(event(std::move(asked)));
        return state().approvals.oldest_pending()->n;
    }
    void decide(std::uint64_t n, Decision decision = Decision::kApprove) {
        Ruling ruling;
        ruling.decision = decision;
        ruling.channel = "cli";
        if (decision == Decision::kRespond) ruling.response = bounded_text("yes");
        REQUIRE(session.decide(n, ruling, context(now), out).value());
    }
    void finish(const std::string& id, const std::string& tool = "deploy",
                std::optional<std::uint64_t> duration_ms = {}) {
        ToolFinished done;
        done.call_id = id;
        done.tool = tool;
        done.args.kept = "{\"id\":\"" + id + "\"}";
        done.result.kept = "\"" + id + " is done\"";
        done.duration_ms = duration_ms;
        report(event(std::move(done)));
    }
    void enter(AgentState next) {
        StateChanged change;
        change.state = next;
        report(event(std::move(change)));
    }
    void after(std::int64_t ms) { now += ms; }
    std::uint32_t failures() const { return state().detectors->tool_failures.count; }

    std::int64_t now = 0;
    Session session{"limited"};
    std::vector<Event> out;
};

}  // namespace

TEST_CASE("person time: four calls that a person lets go after a minute each are no failures",
          "[core]") {
    Limited run;
    for (const char* id : {"a", "b", "c", "d"}) {
        run.start(id);
        const std::uint64_t n = run.ask(id);
        run.after(kMinute + 1000);
        INFO(id);
        CHECK(run.feedback().empty());
        run.decide(n);
        run.after(500);
        CHECK(run.feedback().empty());
        run.finish(id);
        CHECK(run.failures() == 0);
    }
    CHECK_FALSE(run.state().ended());
    CHECK(run.state().tool_calls == 4);
}

TEST_CASE("person time: a call's time begins with the decision, and ends it as before", "[core]") {
    Limited run;
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(10 * kMinute);
    run.decide(n);
    run.after(kMinute);
    CHECK(run.feedback().empty());
    run.after(1000);
    CHECK_THAT(run.feedback(), Catch::StartsWith("The call of deploy has been running for 61 s"));
    run.finish("a");
    CHECK(run.failures() == 1);
}

TEST_CASE("person time: what ran before a person was asked counts", "[core]") {
    Limited run;
    run.start("a");
    run.after(40'000);
    const std::uint64_t n = run.ask("a");
    run.after(10 * kMinute);
    run.decide(n);
    run.after(21'000);
    CHECK_THAT(run.feedback(), Catch::Contains("61 s"));
}

TEST_CASE("person time: the time between a decision and its redeem is not the call's", "[core]") {
    Limited run;
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(5 * kMinute);
    run.decide(n);
    run.after(5 * kMinute);
    const std::string digest = run.state().approvals.find(n)->run_digest;
    REQUIRE(run.session.redeem(n, digest, "key", context(run.now), run.out).value());
    run.after(50'000);
    CHECK(run.feedback().empty());
    run.finish("a");
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: beats while a person is asked move nothing", "[core]") {
    Limited run;
    run.start("a");
    const std::uint64_t n = run.ask("a");
    for (int i = 0; i < 30; ++i) {
        run.after(10'000);
        run.report(beat_in_flight("a", 1));
        CHECK(run.feedback().empty());
    }
    run.decide(n);
    run.after(30'000);
    run.finish("a");
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: a call beside the one that is asked about runs on", "[core]") {
    Limited run;
    run.start("build", "bash");
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(kMinute + 1000);
    CHECK_THAT(run.feedback(), Catch::StartsWith("The call of bash has been running"));
    run.finish("build", "bash");
    CHECK(run.failures() == 1);
    run.decide(n);
    run.finish("a");
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: a pause stops the time of every call", "[core]") {
    Limited run;
    run.start("a");
    run.start("b", "bash");
    run.after(30'000);
    REQUIRE(run.session.pause("", "ana", context(run.now), run.out));
    run.after(20 * kMinute);
    CHECK(run.feedback().empty());
    SECTION("that end in it") {
        run.finish("a");
        CHECK(run.failures() == 0);
    }
    SECTION("that go on after it") {
        REQUIRE(run.session.resume("", "ana", context(run.now), run.out));
        run.after(29'000);
        CHECK(run.feedback().empty());
        run.after(2000);
        CHECK_THAT(run.feedback(), Catch::Contains("61 s"));
    }
}

TEST_CASE("person time: an open question stops the time of the call that asks it", "[core]") {
    Limited run;
    run.start("a", "mcp__headway__notify");
    const std::uint64_t n = run.ask("", "", ApprovalKind::kQuestion);
    run.after(30 * kMinute);
    CHECK(run.feedback().empty());
    SECTION("until it is answered") {
        run.decide(n, Decision::kRespond);
        run.finish("a", "mcp__headway__notify");
        CHECK(run.failures() == 0);
    }
    SECTION("but an agent that works on beside its question does not wait") {
        for (int i = 0; i < 14; ++i) {
            const std::string id = "c" + std::to_string(i);
            run.start(id, "bash");
            run.finish(id, "bash");
        }
        run.after(kMinute + 1000);
        CHECK_THAT(run.feedback(), Catch::Contains("has been running for 61 s"));
    }
}

TEST_CASE("person time: a tool that asks a person has no time of its own", "[core]") {
    Limited run;
    run.start("a", "AskUserQuestion");
    run.after(60 * kMinute);
    CHECK(run.feedback().empty());
    run.finish("a", "AskUserQuestion", 60 * kMinute);
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: an agent's own dialog that no request stands beside is a person's time",
          "[core]") {
    Limited run;
    run.start("a");
    run.enter(AgentState::kAwaitingPermission);
    run.after(3 * kMinute);
    CHECK(run.feedback().empty());
    run.finish("a", "deploy", 3 * kMinute);
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: a dialog's request names its tool only, and holds its calls", "[core]") {
    Limited run;
    run.start("a");
    ApprovalRequested asked;
    asked.tool = "deploy";
    asked.args_digest = "sha256:" + std::string(64, 'a');
    const std::uint64_t n = run.session.ask_beside_dialog(asked, context(run.now), run.out);
    run.after(3 * kMinute);
    CHECK(run.feedback().empty());
    SECTION("answered here") {
        run.decide(n);
    }
    SECTION("left to the agent, where a person still sits before it") {
        run.session.close_dialogs(n, ApprovalClosing::kLeftToAgent, context(run.now), run.out);
        run.after(3 * kMinute);
        CHECK(run.feedback().empty());
    }
    run.finish("a");
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: of two figures the smaller counts where a person was asked", "[core]") {
    struct Case {
        const char* name;
        bool asked;
        std::int64_t runs;       // after the decision
        std::uint64_t measured;  // by the agent
        std::uint32_t failures;
    };
    for (const Case& c : {Case{"the agent measured the wait too", true, 5'000, 130'000, 0},
                          Case{"both are too long", true, 70'000, 190'000, 1},
                          Case{"the agent knows better", true, 70'000, 10'000, 0},
                          Case{"no person was asked", false, 5'000, 130'000, 1}}) {
        INFO(c.name);
        Limited run;
        run.start("a");
        if (c.asked) {
            const std::uint64_t n = run.ask("a");
            run.after(2 * kMinute);
            run.decide(n);
        }
        run.after(c.runs);
        run.finish("a", "deploy", c.measured);
        CHECK(run.failures() == c.failures);
    }
}

TEST_CASE("person time: without a reported start it begins with the decision", "[core]") {
    Limited run;
    const std::uint64_t n = run.ask("a");
    run.after(2 * kMinute);
    run.decide(n);
    run.after(5'000);
    run.finish("a", "deploy", 125'000);
    CHECK(run.failures() == 0);
}

TEST_CASE("person time: a rejected call is over, and its time with it", "[core]") {
    Limited run;
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(2 * kMinute);
    run.decide(n, Decision::kReject);
    run.after(2 * kMinute);
    CHECK(run.feedback().empty());
    CHECK(run.state().open_calls.empty());
}

TEST_CASE("person time: the old timers leave it out too", "[core]") {
    Limited run{LegacyMode::kObserve};  // 300 s for a session, 60 s for a call
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(10 * kMinute);
    CHECK(compare(run.state(), at(run.now)).kills.empty());
    run.decide(n);
    run.after(59'000);
    run.report(beat());
    CHECK(run.state().legacy_kills.empty());
    run.after(2'000);
    REQUIRE(compare(run.state(), at(run.now)).kills.size() == 1);
    CHECK(compare(run.state(), at(run.now)).kills[0].timer == "tool");
    CHECK(compare(run.state(), at(run.now)).kills[0].at == at(11 * kMinute));
    run.after(4 * kMinute);
    run.report(beat());
    REQUIRE(run.state().legacy_kills.size() == 2);
    CHECK(run.state().legacy_kills[0].timer == "session");
    CHECK(run.state().legacy_kills[0].at == at(15 * kMinute));
}

TEST_CASE("person time: an old timer that is in force waits for the person too", "[core]") {
    Limited run{LegacyMode::kEnforce};
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(10 * kMinute);
    run.session.tick(context(run.now), run.out);
    CHECK_FALSE(run.state().ended());
    run.decide(n);
    run.finish("a");
    run.after(4 * kMinute);
    run.report(beat());
    CHECK_FALSE(run.state().ended());
    run.after(kMinute);
    run.session.tick(context(run.now), run.out);
    CHECK(run.state().end_code == "legacy_timeout");
}

TEST_CASE("person time: it is in the journal, so a replay finds the same", "[core]") {
    Limited run{LegacyMode::kObserve};
    run.start("a");
    const std::uint64_t n = run.ask("a");
    run.after(90'000);
    run.report(beat());
    run.decide(n);
    REQUIRE(run.session.pause("", "", context(run.now), run.out));
    run.after(90'000);
    REQUIRE(run.session.resume("", "", context(run.now), run.out));
    run.after(30'000);
    run.report(beat());
    Session again{"limited"};
    for (const Event& event : run.out)
        again.apply(event);
    CHECK(again.state() == run.state());
    REQUIRE(again.state().open_calls.size() == 1);
    CHECK(running_for(again.state(), again.state().open_calls[0], at(run.now)) == Millis{30'000});
}

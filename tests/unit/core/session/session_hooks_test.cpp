// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "core/session/session.hpp"
#include "tests/support/make.hpp"

// Needs of sessions of agents with hooks: rest at a prompt, calls that did not run, directives that
// were delivered.

using namespace headway::core;
using namespace headway::tests;

namespace {

Event state_changed(AgentState state) {
    StateChanged data;
    data.state = state;
    return event(std::move(data));
}

Event not_run(std::string call_id, std::string error_class, std::string tool = "deploy") {
    ToolFinished data;
    data.tool = std::move(tool);
    data.call_id = std::move(call_id);
    data.ok = false;
    data.error = ToolError{std::move(error_class), bounded_text("no")};
    return event(std::move(data));
}

Event delivered(std::string id) {
    return event(DirectiveDelivered{std::move(id)});
}

/// The same failing call until advice was issued; its id.
std::string looping(Story& story, std::int64_t& now) {
    for (int i = 0; i < 8; ++i) {
        ToolFinished data;
        data.tool = "bash";
        data.ok = false;
        data.error = ToolError{"", bounded_text("make: no rule")};
        story.report(event(std::move(data)), now += 1'000);
        const auto& open = story.session.state().directives;
        if (!open.empty()) return open.front().id;
    }
    FAIL("no advice");
    return {};
}

}  // namespace

TEST_CASE("session: an agent at rest at its prompt waits, at once and for days", "[core]") {
    Story story;
    story.report(tool_finished("a"), 1'000);
    CHECK(story.verdict() == Verdict::kProgressing);
    story.report(state_changed(AgentState::kIdle), 2'000);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.judgement()->reason == "idle: it waits for a task");
    story.tick(2'000 + 3 * 86'400'000LL);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK_FALSE(story.session.judgement()->needs_somebody);
    story.report(message("user"), 4 * 86'400'000LL);
    CHECK(story.verdict() == Verdict::kProgressing);
}

TEST_CASE("session: an agent that says idle beside a loop is stuck all the same", "[core]") {
    Story story;
    std::int64_t now = 0;
    for (int i = 0; i < 8; ++i) {
        (void)looping(story, now);
        story.report(state_changed(AgentState::kIdle), now += 1'000);
    }
    CHECK(story.verdict() == Verdict::kStuck);
}

TEST_CASE("session: a call that was refused or interrupted is closed and counts nowhere",
          "[core]") {
    for (const char* error_class : {"denied", "cancelled", "Denied"}) {
        Story story;
        story.report(tool_finished("a"), 1'000);
        for (int i = 0; i < 4; ++i) {
            const std::string id = "c" + std::to_string(i);
            story.report(tool_started(id, "deploy"), 2'000);
            CHECK(story.session.state().call_in_flight());
            story.report(not_run(id, error_class), 3'000);
            CHECK_FALSE(story.session.state().call_in_flight());
        }
        CHECK(story.verdict() == Verdict::kProgressing);
        CHECK(story.session.state().tool_calls == 1);
        CHECK(story.session.state().tool_failures == 0);
        CHECK(story.session.state().last_failure.empty());
    }
}

TEST_CASE("session: an agent cannot hide a loop by calling its failures refused", "[core]") {
    Story story;
    for (int i = 0; i < 40; ++i)
        story.report(not_run({}, "denied"), 1'000 * (i + 1));
    CHECK(story.verdict() == Verdict::kStuck);
}

TEST_CASE("session: a rejected call is over without another word", "[core]") {
    Story story;
    story.report(tool_started("c1", "deploy"), 1'000);
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kTool;
    asked.tool = "deploy";
    asked.call_id = "c1";
    asked.args_digest = "sha256:" + std::string(64, 'a');
    const auto out = story.report(event(asked), 2'000);
    CHECK(story.session.state().call_in_flight());
    Ruling ruling;
    ruling.decision = Decision::kReject;
    ruling.by = "ana";
    std::vector<Event> events;
    REQUIRE(story.session.decide(out.front().n, ruling, context(3'000), events).has_value());
    CHECK_FALSE(story.session.state().call_in_flight());
    for (const Event& one : events)
        CHECK_FALSE(std::holds_alternative<ApprovalAlarm>(one.payload));
}

TEST_CASE("session: advice that was delivered is said once, and resets nothing", "[core]") {
    Story story;
    std::int64_t now = 0;
    const std::string first = looping(story, now);
    const std::uint32_t epoch = story.session.state().ledger->epoch;
    const Verdict before = story.verdict();
    story.report(delivered(first), now += 1'000);
    REQUIRE(story.session.state().directives.size() == 1);
    CHECK(story.session.state().directives.front().delivered);
    CHECK_FALSE(story.session.state().directives.front().to_tell());
    CHECK(story.session.state().ledger->epoch == epoch);
    CHECK(story.verdict() == before);
    // The same loop goes on: the next step is other advice, which replies carry again.
    for (int i = 0; i < 6; ++i) {
        ToolFinished data;
        data.tool = "bash";
        data.ok = false;
        data.error = ToolError{"", bounded_text("make: no rule")};
        story.report(event(std::move(data)), now += 1'000);
    }
    REQUIRE(story.session.state().directives.size() == 1);
    CHECK(story.session.state().directives.front().id != first);
    CHECK(story.session.state().directives.front().to_tell());
    // Another behaviour withdraws it.
    for (int i = 0; i < 3; ++i)
        story.report(tool_finished("new " + std::to_string(i)), now += 1'000);
    CHECK(story.session.state().directives.empty());
}

TEST_CASE("session: a stop and a pause stay in replies though they were delivered", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.pause("lunch", "ana", context(1'000), out));
    REQUIRE(story.session.cancel("enough", context(2'000), out));
    const auto directives = story.session.state().directives;
    REQUIRE(directives.size() == 2);
    for (const Directive& directive : directives)
        story.report(delivered(directive.id), 3'000);
    for (const Directive& directive : story.session.state().directives)
        CHECK(directive.to_tell());
    story.report(delivered("d999"), 4'000);  // unknown: nothing
}

TEST_CASE("session: when directives are too many, one that was delivered makes room", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.cancel("enough", context(500), out));
    for (std::size_t i = 1; i < limits::kDirectivesMax; ++i)
        REQUIRE(story.session.nudge("words", "ana", context(1'000), out));
    const std::string last = story.session.state().directives.back().id;
    story.report(delivered(last), 2'000);
    REQUIRE(story.session.nudge("more", "ana", context(3'000), out));
    const auto& open = story.session.state().directives;
    CHECK(open.size() == limits::kDirectivesMax);
    CHECK(open.front().kind == DirectiveKind::kStop);
}

TEST_CASE("session: the end of the agent's process ends it as its turn stood", "[core]") {
    struct Case {
        const char* name;
        std::vector<Event> before;
        Outcome outcome;
        const char* code;
    };
    const Case cases[] = {
        {"in its turn", {message("user")}, Outcome::kFailed, "agent_gone"},
        {"in a call", {tool_started("c1")}, Outcome::kFailed, "agent_gone"},
        {"at rest", {state_changed(AgentState::kIdle)}, Outcome::kCompleted, ""},
        {"a call beside its rest",
         {state_changed(AgentState::kIdle), tool_started("c1")},
         Outcome::kFailed,
         "agent_gone"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.name);
        Story story;
        for (const Event& one : c.before)
            story.report(one, 1'000);
        std::vector<Event> out;
        story.session.agent_gone(context(2'000), out);
        CHECK(story.session.state().outcome == c.outcome);
        CHECK(story.session.state().end_code == c.code);
        CHECK_FALSE(story.session.state().call_in_flight());
        out.clear();
        story.session.agent_gone(context(3'000), out);
        CHECK(out.empty());
    }
}

TEST_CASE("session: a living process excuses half an hour of silence, and no more", "[core]") {
    constexpr std::int64_t kMinute = 60'000;
    Story story;
    story.report(message("user"), 0);
    Context around = context(20 * kMinute);
    around.agent_runs = true;
    std::vector<Event> out;
    story.session.tick(around, out);
    CHECK(story.verdict() != Verdict::kSilent);
    // The first of two looks at the process comes a minute before.
    CHECK(story.session.next_deadline(at(0), at(20 * kMinute), true) == at(29 * kMinute));
    CHECK(story.session.next_deadline(at(0), at(29 * kMinute), true) == at(30 * kMinute));
    around.now = at(31 * kMinute);
    story.session.tick(around, out);
    CHECK(story.verdict() == Verdict::kSilent);

    Story unknown;
    unknown.report(message("user"), 0);
    unknown.tick(20 * kMinute);
    CHECK(unknown.verdict() == Verdict::kSilent);
}

TEST_CASE("session: silence while the agent's process computes is slow, and looked at again",
          "[core]") {
    constexpr std::int64_t kMinute = 60'000;
    Story story;
    story.report(message("user"), 0);
    Context around = context(31 * kMinute);
    around.agent_runs = true;
    around.agent_works = true;
    std::vector<Event> out;
    story.session.tick(around, out);
    CHECK(story.verdict() == Verdict::kSlow);
    CHECK(story.session.state().judgement->reason ==
          "no report for long, but the agent's process is at work");
    CHECK(story.session.next_deadline(at(0), kNever, true) == at(32 * kMinute));
    CHECK(story.session.next_deadline(at(0), at(40 * kMinute), true) == at(41 * kMinute));
    CHECK(story.session.next_deadline(at(0), at(40 * kMinute), false) == kNever);
    SECTION("it rests: silent, until it works again") {
        around = context(41 * kMinute);
        around.agent_runs = true;
        story.session.tick(around, out);
        CHECK(story.verdict() == Verdict::kSilent);
        CHECK(story.session.next_deadline(at(0), kNever, true) == at(42 * kMinute));
        around.now = at(42 * kMinute);
        around.agent_works = true;
        story.session.tick(around, out);
        CHECK(story.verdict() == Verdict::kSlow);
    }
    SECTION("it has ended: silent") {
        story.session.tick(context(41 * kMinute), out);
        CHECK(story.verdict() == Verdict::kSilent);
    }
    SECTION("its agent is heard again") {
        story.report(message("assistant"), 41 * kMinute);
        CHECK(story.verdict() != Verdict::kSlow);
    }
}

TEST_CASE("session: an agent at its prompt waits, whatever its process does", "[core]") {
    constexpr std::int64_t kMinute = 60'000;
    const bool works = GENERATE(true, false);
    Story story;
    StateChanged idle;
    idle.state = AgentState::kIdle;
    idle.background = {"shell: npm run build"};
    story.report(message("user"), 0);
    story.report(event(idle), 1000);
    Context around = context(40 * kMinute);
    around.agent_runs = true;
    around.agent_works = works;
    std::vector<Event> out;
    story.session.tick(around, out);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK_THAT(story.session.state().judgement->reason, Catch::Contains("npm run build"));
}

// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/resolver.hpp"

#include <catch2/catch.hpp>

#include "core/judgement/reasons.hpp"

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

/// A state in which every ground for a verdict can be switched on separately.
struct Grounds {
    bool ended = false;
    bool unheard = false;
    bool call = false;
    bool quiet = false;
    bool strict = false;
    bool changed = false;
    bool moved = false;
};

Judgement judged(const Grounds& g) {
    SessionState state;
    state.n = 40;
    state.last_beat_at = at(0);
    state.asked_interval = Millis{10'000};
    if (g.ended) state.outcome = Outcome::kFailed;
    if (g.call) state.open_calls.push_back({"c", "bash", at(0)});
    if (g.quiet)
        (g.call ? state.detectors.change().heartbeat_rule.working_beats
                : state.detectors.change().heartbeat_rule.quiet_beats) = 5;
    if (g.strict) state.policy.change().profile = Profile::kStrict;
    if (g.changed) {
        state.state_changes = 1;
        state.last_change = EventType::kToolFinished;
        state.last_change_n = 7;
    }
    if (g.moved) state.ledger.change().external_n = 8;
    return judge(state, {at(g.unheard ? 20'000 : 19'999), at(0)});
}

}  // namespace

TEST_CASE("resolver: the stronger ground wins", "[core]") {
    struct Case {
        const char* name;
        Grounds grounds;
        Verdict expected;
    };
    const Case cases[] = {
        {"nothing yet", {}, Verdict::kStarting},
        {"a moving call", {.moved = true}, Verdict::kProgressing},
        {"a change", {.changed = true}, Verdict::kExploring},
        {"a call that moves after a change",
         {.changed = true, .moved = true},
         Verdict::kProgressing},
        {"quiet beats over a change", {.quiet = true, .changed = true}, Verdict::kSuspect},
        {"strict", {.quiet = true, .strict = true, .changed = true}, Verdict::kStuck},
        {"working beats", {.call = true, .quiet = true, .changed = true}, Verdict::kSlow},
        {"strict working beats", {.call = true, .quiet = true, .strict = true}, Verdict::kSlow},
        {"unheard over quiet beats", {.unheard = true, .quiet = true}, Verdict::kSilent},
        {"unheard over strict", {.unheard = true, .quiet = true, .strict = true}, Verdict::kSilent},
        {"unheard in a call", {.unheard = true, .call = true}, Verdict::kSlow},
        {"the end over all",
         {.ended = true, .unheard = true, .quiet = true, .strict = true, .changed = true},
         Verdict::kFailed},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(judged(c.grounds).verdict == c.expected);
        }
    }
}

TEST_CASE("resolver: an outcome is its verdict", "[core]") {
    const std::pair<Outcome, Verdict> cases[] = {{Outcome::kCompleted, Verdict::kCompleted},
                                                 {Outcome::kFailed, Verdict::kFailed},
                                                 {Outcome::kCancelled, Verdict::kCancelled},
                                                 {Outcome::kHalted, Verdict::kHalted}};
    for (const auto& [outcome, verdict] : cases) {
        SessionState state;
        state.n = 3;
        state.outcome = outcome;
        state.end_reason = "because";
        const Judgement judgement = judge(state, {at(0), at(0)});
        CHECK(judgement.verdict == verdict);
        CHECK(judgement.reason == "because");
        CHECK(judgement.evidence == std::vector<std::uint64_t>{3});
        CHECK(is_final(judgement.verdict));
    }
}

TEST_CASE("resolver: exploring without progress says so, and names its event", "[core]") {
    const Judgement judgement = judged({.changed = true});
    CHECK(judgement.reason == "nothing new yet");
    CHECK(judgement.evidence == std::vector<std::uint64_t>{7});
}

TEST_CASE("resolver: an attention gap postpones silence", "[core]") {
    SessionState state;
    state.last_beat_at = at(0);
    state.asked_interval = Millis{1'000};
    CHECK(judge(state, {at(5'000), at(0)}).verdict == Verdict::kSilent);
    CHECK(judge(state, {at(5'000), at(4'000)}).verdict == Verdict::kStarting);
    CHECK(judge(state, {at(6'000), at(4'000)}).verdict == Verdict::kSilent);
}

namespace {

/// The verdict after the same call with the same outcome, `times` times.
Verdict after_equal_calls(int count, bool ok) {
    Story story;
    for (int i = 0; i < count; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.ok = ok;
        call.result.kept = "\"the same answer\"";
        (void)story.report(event(call), 10 + i);
    }
    return story.verdict();
}

}  // namespace

TEST_CASE("resolver: three equal calls are suspect, four are stuck", "[core]") {
    CHECK(after_equal_calls(2, true) == Verdict::kExploring);
    CHECK(after_equal_calls(3, true) == Verdict::kSuspect);
    CHECK(after_equal_calls(4, true) == Verdict::kStuck);
}

TEST_CASE("resolver: a failing call may be made three times, the fourth is stuck", "[core]") {
    CHECK(after_equal_calls(3, false) == Verdict::kExploring);
    CHECK(after_equal_calls(4, false) == Verdict::kStuck);
}

namespace {

Event refused(std::string error_class, std::optional<std::uint64_t> status = {}) {
    ErrorReported error;
    error.error_class = std::move(error_class);
    error.status = status;
    return event(std::move(error));
}

Event failed(std::string tool, std::string error_class, std::string message, std::string target) {
    ToolFinished call;
    call.tool = std::move(tool);
    call.ok = false;
    call.target = std::move(target);
    call.error = ToolError{std::move(error_class), bounded_text(std::move(message))};
    return event(std::move(call));
}

}  // namespace

TEST_CASE("resolver: a block outranks a suspicion, and a loop outranks both", "[core]") {
    SessionState state;
    state.n = 40;
    state.asked_interval = Millis{10'000};
    state.last_beat_at = at(0);
    state.detectors.change().blocked.cause = Cause::kCredentials;
    state.detectors.change().blocked.typed = true;
    state.detectors.change().blocked.count = 1;
    const auto now = [&state] { return judge(state, {at(1), at(0)}); };
    CHECK(now().verdict == Verdict::kBlocked);
    state.detectors.change().heartbeat_rule.quiet_beats = 5;
    CHECK(now().verdict == Verdict::kBlocked);
    CHECK(now().detector == "blocked");
    CHECK(now().confidence == 0);
    CHECK(now().loop.empty());
    CHECK(now().detectors.size() == 2);  // both are listed
    state.detectors.change().exact_repeat.key = 1;
    state.detectors.change().exact_repeat.run = 4;
    CHECK(now().verdict == Verdict::kStuck);
    state.detectors.change().exact_repeat.run = 3;
    state.detectors.change().duplicate_messages.count = 3;
    CHECK(now().verdict == Verdict::kStuck);  // two suspicions that confirm each other
}

TEST_CASE("resolver: heartbeats do not end a block", "[core]") {
    for (const Profile profile : {Profile::kBalanced, Profile::kStrict}) {
        Policy policy;
        policy.profile = profile;
        policy.heartbeat_limit = 50;
        Story story{policy};
        story.report(refused("auth", 401), 1);
        REQUIRE(story.verdict() == Verdict::kBlocked);
        for (int i = 2; i < 42; ++i) {
            story.report(beat(), i);
            REQUIRE(story.verdict() == Verdict::kBlocked);
        }
    }
    Story story;  // five beats are a suspicion
    story.report(refused("auth", 401), 1);
    for (int i = 2; i < 20; ++i)
        story.report(beat(), i);
    CHECK(story.verdict() == Verdict::kBlocked);
}

TEST_CASE("resolver: pausing a stuck session shows waiting until it is resumed", "[core]") {
    Story story;
    for (int i = 0; i < 5; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.result.kept = "\"the same answer\"";
        story.report(event(call), 10 + i);
    }
    REQUIRE(story.verdict() == Verdict::kStuck);
    const auto advice = story.session.state().directives.size();
    std::vector<Event>& out = story.events;
    require_ok(story.session.pause("", "ann", context(20), out));
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.state().judgement->detector == "operator");
    story.report(beat(), 21);
    story.report(tool_finished("c"), 22);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.state().directives.size() == advice + 1);  // and the pause
    Story again;
    for (int i = 0; i < 5; ++i) {
        ToolFinished call;
        call.tool = "search";
        call.result.kept = "\"the same answer\"";
        again.report(event(call), 10 + i);
    }
    require_ok(again.session.pause("", "ann", context(20), again.events));
    require_ok(again.session.resume("", "ann", context(21), again.events));
    CHECK(again.verdict() == Verdict::kStuck);
    CHECK(folded(again.events) == again.session.state());
}

TEST_CASE(
    "resolver: calls of a tool named wait that fail or return at once are no wait without end",
    "[core]") {
    const auto after = [](bool ok) {
        Story story;
        for (int i = 0; i < 60; ++i) {
            ToolStarted started;
            started.call_id = "c" + std::to_string(i);
            started.tool = "wait";
            story.report(event(started), 10 + 2 * i);
            ToolFinished call;
            call.call_id = started.call_id;
            call.tool = "wait";
            call.ok = ok;
            if (ok) call.result.kept = "\"ok\"";
            if (!ok) {
                call.error.emplace();
                call.error->message = bounded_text("Script error: exec cell w43 not found");
            }
            story.report(event(call), 11 + 2 * i);
        }
        return story.verdict();
    };
    CHECK(after(false) == Verdict::kStuck);
    CHECK(after(true) == Verdict::kStuck);
}

TEST_CASE("resolver: a paused session that polls says after the resume for what it waits",
          "[core]") {
    Story story;
    const auto poll = [&story](int second) {
        ToolFinished call;
        call.tool = "job_status";
        call.result.kept = "\"running\"";
        story.report(event(call), second);
    };
    for (int i = 0; i < 4; ++i)
        poll(10 + i);
    REQUIRE(story.verdict() == Verdict::kWaiting);
    const std::string waits = story.session.state().judgement->reason;
    require_ok(story.session.pause("", "ann", context(20), story.events));
    CHECK(story.session.state().judgement->reason == "paused by the operator");
    require_ok(story.session.resume("", "ann", context(21), story.events));
    poll(22);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.state().judgement->reason == waits);
    CHECK(story.session.state().judgement->detector == "waiting");
}

TEST_CASE("resolver: the judgement of a loop that goes on is live, and its event as it was",
          "[core]") {
    Story story;
    const auto again = [&story](int second) {
        ToolFinished call;
        call.tool = "search";
        call.result.kept = "\"the same answer\"";
        story.report(event(call), second);
    };
    for (int i = 0; i < 4; ++i)
        again(10 + i);
    REQUIRE(story.verdict() == Verdict::kStuck);
    const std::string text = story.session.state().judgement->reason;
    for (int i = 0; i < 29; ++i)
        again(20 + 10 * i);
    CHECK(story.session.state().judgement->reason == text);
    const std::string live = live_judgement(story.session.state())->reason;
    CHECK_THAT(live, Catch::Contains("33 times in a row"));
    CHECK_THAT(live, Catch::Contains("since the verdict at #"));
    CHECK_THAT(live, Catch::Contains("30 calls") || Catch::Contains("29 calls"));
    CHECK(live_judgement(folded(story.events))->reason == live);
}

TEST_CASE("resolver: a silent idle agent waits for a task", "[core]") {
    Story story;
    StateChanged idle;
    idle.state = AgentState::kIdle;
    story.report(event(idle), 1);
    story.tick(3'600'000);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.state().judgement->reason == "idle: it waits for a task");
    story.report(message("user"), 3'600'001);
    story.tick(7'200'000);
    CHECK(story.verdict() == Verdict::kSilent);
}

TEST_CASE("resolver: a call whose heartbeats have stopped is silent, one without any is slow",
          "[core]") {
    for (const bool beats : {false, true}) {
        CAPTURE(beats);
        Story story;
        ToolStarted started;
        started.call_id = "c1";
        started.tool = "run";
        story.report(event(started), 1);
        Heartbeat beat;
        if (beats) beat.in_flight = InFlightBeat{"c1", {}};
        story.report(event(beat), 120'000);  // an interval and more after its start
        story.tick(3'600'000);
        CHECK(story.verdict() == (beats ? Verdict::kSilent : Verdict::kSlow));
    }
}

TEST_CASE("resolver: under strict a new phase lifts what its errors made stuck", "[core]") {
    Policy policy;
    policy.profile = Profile::kStrict;
    policy.detectors = {{kIdOf<SameFileError>, false, 2, 3}};
    const auto three_errors = [](Story& story) {
        for (int i = 0; i < 3; ++i)
            story.report(failed("edit" + std::to_string(i), "", "no such line", "a.cpp"), 10 + i);
        REQUIRE(story.verdict() == Verdict::kStuck);
    };
    Story strict{policy};
    three_errors(strict);
    strict.report(phase_started("another"), 20);
    CHECK(strict.verdict() != Verdict::kStuck);
    CHECK(strict.verdict() != Verdict::kSuspect);
    CHECK(strict.session.state().directives.empty());  // and so is its stop
    SECTION("but not a phase that returns") {
        Story back{policy};
        back.report(phase_started("one"), 1);
        back.report(phase_started("two"), 2);
        three_errors(back);
        back.report(phase_started("one"), 20);
        CHECK(back.verdict() == Verdict::kStuck);
    }
    SECTION("nor where the policy is balanced") {
        Policy own;
        own.detectors.push_back({kIdOf<SameFileError>, false, 2, 3});
        Story balanced{own};
        three_errors(balanced);
        balanced.report(phase_started("another"), 20);
        CHECK(balanced.verdict() == Verdict::kStuck);
    }
}

TEST_CASE("resolver: a tool's own timeout or network is the tool's failure", "[core]") {
    for (const char* text : {"timeout", "Timed_Out", "connection_refused", "network"}) {
        INFO(text);
        Story story;
        for (int i = 0; i < 5; ++i) {
            story.report(failed("bash", text, "killed after 60 s", "t" + std::to_string(i)),
                         10 + i);
            CHECK(story.verdict() != Verdict::kBlocked);
        }
        CHECK(story.session.state().detectors->tool_failures.count == 5);
        CHECK(story.verdict() == Verdict::kSuspect);  // one tool, one error, four times
        Story provider;
        provider.report(refused(text), 10);
        CHECK(provider.verdict() == Verdict::kBlocked);  // from the model's provider it blocks
    }
}

TEST_CASE("resolver: a refused tool blocks, and counts as a failure too", "[core]") {
    Story story;
    for (int i = 0; i < 3; ++i) {
        story.report(failed("bash", "auth", "401", "t" + std::to_string(i)), 10 + i);
        CHECK(story.verdict() == Verdict::kBlocked);
    }
    CHECK(story.session.state().detectors->tool_failures.count == 3);
}

TEST_CASE("resolver: a run of headway that stops beating is silent from its first call on",
          "[core]") {
    for (const bool run : {false, true}) {
        CAPTURE(run);
        SessionStarted opening;
        if (run) opening.agent.type = "command";
        Session session{"s"};
        std::vector<Event> events;
        session.open(opening, {}, context(0), events);
        std::vector<Event> started{tool_started("wait-1", "wait")};
        session.report(started, context(1), events);
        session.tick(context(3'600'000), events);
        CHECK(session.state().judgement->verdict == (run ? Verdict::kSilent : Verdict::kSlow));
    }
}

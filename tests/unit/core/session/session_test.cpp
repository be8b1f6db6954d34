// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/base/footprint.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/day_budget.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

std::vector<EventType> types(const std::vector<Event>& events) {
    std::vector<EventType> out;
    for (const Event& one : events)
        out.push_back(type_of(one.payload));
    return out;
}

Result<> admit(const Session& session, std::vector<Event> events) {
    return session.admit(events);
}

}  // namespace

TEST_CASE("session: opening writes one event with the effective policy", "[core]") {
    Policy defaults;
    defaults.heartbeat_limit = 7;
    SessionStarted about;
    about.policy.profile = Profile::kStrict;
    Session session{"s"};
    std::vector<Event> out;
    session.open(about, defaults, context(5), out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].n == 1);
    CHECK(out[0].at == at(5));
    const auto& started = std::get<SessionStarted>(out[0].payload);
    CHECK(started.policy.profile == Profile::kStrict);
    CHECK(started.policy.heartbeat_limit == 7U);
    CHECK(started.policy.heartbeat_interval_ms == 10'000U);
    CHECK(session.state().policy->heartbeat_limit == 7);
    CHECK(session.state().opened_at == at(5));
    CHECK(session.judgement()->verdict == Verdict::kStarting);
    CHECK(session.judgement()->since == at(5));
}

TEST_CASE("session: what only waits takes no memory for detectors and phases", "[core]") {
    Story story;
    const SessionState& state = story.session.state();
    CHECK_FALSE(state.detectors.has_value());
    CHECK_FALSE(state.current_phase.has_value());
    CHECK(footprint(state) < 2'700);  // of 100,000 open sessions most wait
    (void)story.report(tool_finished("c"), 100);
    CHECK(state.detectors.has_value());
}

TEST_CASE("session: reported events are numbered and stamped, a verdict follows its cause",
          "[core]") {
    Story story;
    const auto out = story.report(tool_finished("c"), 100);
    CHECK(types(out) == std::vector{EventType::kToolFinished, EventType::kVerdictChanged});
    CHECK(out[0].n == 2);
    CHECK(out[1].n == 3);
    CHECK(out[0].at == at(100));
    const auto& change = std::get<VerdictChanged>(out[1].payload);
    CHECK(change.from == Verdict::kStarting);
    CHECK(change.to == Verdict::kProgressing);
    CHECK(change.evidence == std::vector<std::uint64_t>{2});
    CHECK(story.session.judgement()->since == at(100));
}

TEST_CASE("session: the verdict changes once for one cause", "[core]") {
    Story story;
    (void)story.report(tool_finished("c"), 100);
    CHECK(story.report(tool_finished("c"), 200).size() == 1);
    std::size_t changes = 0;
    for (int i = 0; i < 20; ++i)
        changes += story.report(beat(), 300 + i).size() - 1;
    CHECK(changes == 1);
    CHECK(story.verdict() == Verdict::kSuspect);
    CHECK(story.tick(20'400).size() == 1);
    CHECK(story.verdict() == Verdict::kSilent);
    CHECK(story.tick(30'000).empty());
}

TEST_CASE("session: events of one report are judged one by one", "[core]") {
    Story story;
    std::vector<Event> events(7, beat());
    events.push_back(tool_finished("c"));
    std::vector<Event> out;
    story.session.report(events, context(50), out);
    REQUIRE(out.size() == 10);
    CHECK(std::get<VerdictChanged>(out[5].payload).to == Verdict::kSuspect);
    CHECK(std::get<VerdictChanged>(out[9].payload).to == Verdict::kProgressing);
}

TEST_CASE("session: a beat ends silence", "[core]") {
    Story story;
    (void)story.tick(20'000);
    REQUIRE(story.verdict() == Verdict::kSilent);
    const auto out = story.report(beat(), 25'000);
    REQUIRE(out.size() == 2);
    CHECK(std::get<VerdictChanged>(out[1].payload).from == Verdict::kSilent);
    CHECK(story.verdict() == Verdict::kStarting);
}

TEST_CASE("session: tick before the deadline and after the end writes nothing", "[core]") {
    Story story;
    CHECK(story.tick(19'999).empty());
    (void)story.report(ended(Outcome::kCompleted), 20'000);
    CHECK(story.tick(99'999).empty());
    Session unopened{"u"};
    std::vector<Event> out;
    unopened.tick(context(99'999), out);
    CHECK(out.empty());
}

TEST_CASE("session: the next deadline is the start of silence, then never", "[core]") {
    Story story;
    CHECK(story.session.next_deadline(at(0)) == at(20'000));
    CHECK(story.session.next_deadline(at(1'000)) == at(21'000));
    (void)story.report(beat(), 5'000);
    CHECK(story.session.next_deadline(at(0)) == at(25'000));
    (void)story.tick(25'000);
    CHECK(story.session.next_deadline(at(0)) == kNever);
    (void)story.report(beat(), 30'000);
    CHECK(story.session.next_deadline(at(0)) == at(50'000));
    (void)story.report(ended(Outcome::kCompleted), 31'000);
    CHECK(story.session.next_deadline(at(0)) == kNever);
    CHECK(Session{"unopened"}.next_deadline(at(0)) == kNever);
}

TEST_CASE("session: a stale attempt is refused and the new one continues", "[core]") {
    Story story;
    (void)story.report(with_attempt(beat(), 2), 1);
    CHECK(code_of(admit(story.session, {with_attempt(beat(), 1)})) == ErrorCode::kStaleAttempt);
    CHECK(admit(story.session, {with_attempt(beat(), 2)}).has_value());
    CHECK(admit(story.session, {with_attempt(beat(), 3)}).has_value());
    CHECK(admit(story.session, {beat()}).has_value());
}

TEST_CASE("session: a report with a decreasing attempt is refused as a whole", "[core]") {
    Story story;
    const auto refused = admit(story.session, {with_attempt(beat(), 2), with_attempt(beat(), 1)});
    CHECK(code_of(refused) == ErrorCode::kStaleAttempt);
    CHECK(story.session.state().attempt == 0);
}

TEST_CASE("session: no event follows the end, neither later nor in the same report", "[core]") {
    Story story;
    CHECK(code_of(admit(story.session, {ended(Outcome::kFailed), beat()})) ==
          ErrorCode::kSessionEnded);
    CHECK(admit(story.session, {beat(), ended(Outcome::kFailed)}).has_value());
    (void)story.report(ended(Outcome::kFailed, "no luck"), 10);
    CHECK(story.verdict() == Verdict::kFailed);
    CHECK(story.session.judgement()->reason == "no luck");
    const auto refused = admit(story.session, {beat()});
    CHECK(code_of(refused) == ErrorCode::kSessionEnded);
    CHECK(refused.error().detail.find("failed") != std::string::npos);
    CHECK(admit(story.session, {}).has_value());
}

TEST_CASE("session: one of the past has verdicts, but neither advice nor deadlines", "[core]") {
    Session session{"s"};
    std::vector<Event> out;
    SessionStarted about;
    about.recorded = true;
    about.policy.profile = Profile::kStrict;
    about.policy.max_tool_failures = 2;
    session.open(about, Policy{}, context(0), out);
    CHECK(session.state().about.recorded);
    for (int i = 1; i <= 8; ++i) {
        Event failed = tool_finished("c", false);
        session.report({&failed, 1}, context(i), out);
    }
    CHECK(session.judgement()->verdict == Verdict::kStuck);
    const auto kinds = types(out);
    CHECK(std::count(kinds.begin(), kinds.end(), EventType::kDirectiveIssued) == 0);
    CHECK_FALSE(session.state().ended());
    CHECK(session.next_deadline(Watch{at(0)}) == kNever);
    const std::size_t events = out.size();
    session.tick(context(1'000'000), out);
    CHECK(out.size() == events);
    SessionEnded end;
    end.outcome = Outcome::kFailed;
    Event last = event(end);
    session.report({&last, 1}, context(9), out);
    CHECK(session.state().ended_at == at(9));
}

// Repeating an acknowledgement must be harmless, so acknowledging an unknown directive is, too.
TEST_CASE("session: the acknowledgement of a directive that is not pending changes nothing",
          "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.cancel("", context(10), out).has_value());
    (void)story.report(acknowledged("d99"), 20);
    CHECK(story.session.state().directives.size() == 1);
}

TEST_CASE("session: cancel asks once, with a directive that is sent until acknowledged", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.cancel("too slow", context(10), out).has_value());
    CHECK(types(out) == std::vector{EventType::kCancelRequested, EventType::kDirectiveIssued});
    const auto& directive = std::get<DirectiveIssued>(out[1].payload);
    CHECK(directive.kind == DirectiveKind::kStop);
    CHECK(directive.reason == "too slow");
    CHECK(story.session.state().cancel_requested);
    REQUIRE(story.session.cancel("again", context(20), out).has_value());
    CHECK(out.size() == 2);
    (void)story.report(acknowledged(directive.id), 30);
    REQUIRE(story.session.state().directives.size() == 1);  // in force, and sent no more
    CHECK_FALSE(story.session.state().directives.front().to_tell());
    REQUIRE(story.session.cancel("still running", context(40), out).has_value());
    REQUIRE(out.size() == 3);  // asked once, and stopped again
    CHECK(std::get<DirectiveIssued>(out[2].payload).kind == DirectiveKind::kStop);
}

TEST_CASE("session: no advice moves a stop out of the directives", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.cancel("too slow", context(10), out).has_value());
    for (std::size_t i = 0; i < 2 * limits::kDirectivesMax; ++i)
        REQUIRE(
            story.session.nudge("other " + std::to_string(i), "ana", context(20), out).has_value());
    const auto& directives = story.session.state().directives;
    CHECK(directives.size() == limits::kDirectivesMax);
    CHECK(std::any_of(directives.begin(), directives.end(),
                      [](const Directive& d) { return d.kind == DirectiveKind::kStop; }));
}

TEST_CASE("session: a person's pause takes the place of one by the budget of the day", "[core]") {
    Story story;
    std::vector<Event> out;
    const std::string day = day_pause_reason(DayCap{}, DayUse{});
    REQUIRE(story.session.pause(day, {}, context(10), out).has_value());
    REQUIRE(story.session.pause(day, {}, context(20), out).has_value());
    CHECK(story.session.state().paused_for_day);
    REQUIRE(story.session.pause("hands off", "ana", context(30), out).has_value());
    CHECK(story.session.state().paused());
    CHECK_FALSE(story.session.state().paused_for_day);
    const std::size_t events = out.size();
    REQUIRE(story.session.pause(day, {}, context(40), out).has_value());
    CHECK(out.size() == events);
    CHECK_FALSE(story.session.state().paused_for_day);
}

TEST_CASE("session: cancel without a reason gives one, and an ended session cannot be cancelled",
          "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.cancel("", context(10), out).has_value());
    CHECK_FALSE(std::get<DirectiveIssued>(out[1].payload).reason.empty());
    (void)story.report(ended(Outcome::kCancelled), 20);
    CHECK(code_of(story.session.cancel("", context(30), out)) == ErrorCode::kSessionEnded);
}

TEST_CASE("session: a pause makes it waiting, without a deadline, until it is resumed", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.pause("lunch", "ana", context(10), out).has_value());
    CHECK(types(out) == std::vector{EventType::kDirectiveIssued, EventType::kVerdictChanged});
    const auto& pause = std::get<DirectiveIssued>(out[0].payload);
    CHECK(pause.kind == DirectiveKind::kPause);
    CHECK(pause.reason == "lunch");
    CHECK(pause.by == "ana");
    CHECK(story.session.state().judgement->verdict == Verdict::kWaiting);
    CHECK(story.session.next_deadline(kNever) == kNever);
    REQUIRE(story.session.pause("again", "ana", context(20), out).has_value());
    CHECK(out.size() == 2);

    REQUIRE(story.session.resume("", "ana", context(30), out).has_value());
    CHECK_FALSE(story.session.state().paused());
    REQUIRE(story.session.state().directives.size() == 1);
    CHECK(story.session.state().directives[0].kind == DirectiveKind::kContinue);
    CHECK(story.session.state().judgement->verdict != Verdict::kWaiting);
    const std::size_t events = out.size();
    REQUIRE(story.session.resume("", "ana", context(40), out).has_value());
    CHECK(out.size() == events);
}

TEST_CASE("session: beats of a paused agent are not counted against it", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.pause("", "", context(1), out).has_value());
    for (int i = 0; i < 30; ++i)
        (void)story.report(beat(), 10 + i);
    CHECK(story.session.state().judgement->verdict == Verdict::kWaiting);
    REQUIRE(story.session.resume("", "", context(50), out).has_value());
    CHECK(story.session.state().judgement->verdict == Verdict::kStarting);
}

TEST_CASE("session: a nudge is a directive in a person's words", "[core]") {
    Story story;
    std::vector<Event> out;
    REQUIRE(story.session.nudge("look at the fixture", "ben", context(10), out).has_value());
    const auto& nudge = std::get<DirectiveIssued>(out.at(0).payload);
    CHECK(nudge.kind == DirectiveKind::kChangeApproach);
    CHECK(nudge.reason == "look at the fixture");
    CHECK(nudge.by == "ben");
    CHECK(nudge.step == 0);
    (void)story.report(ended(Outcome::kCompleted), 20);
    CHECK(code_of(story.session.nudge("x", "", context(30), out)) == ErrorCode::kSessionEnded);
    CHECK(code_of(story.session.pause("x", "", context(30), out)) == ErrorCode::kSessionEnded);
    CHECK(code_of(story.session.resume("x", "", context(30), out)) == ErrorCode::kSessionEnded);
}

TEST_CASE("session: the interval asked for is recorded in the event that asks", "[core]") {
    Story story;
    const auto started = story.report(tool_started("c"), 10);
    CHECK(started.back().next_heartbeat_ms == 5'000);
    CHECK(story.session.state().asked_interval == Millis{5'000});
    CHECK(story.report(beat(), 20).back().next_heartbeat_ms == 0);
    const auto finished = story.report(tool_finished("c"), 30);
    CHECK(finished.front().next_heartbeat_ms == 0);
    CHECK(finished.back().next_heartbeat_ms == 10'000);
    CHECK(folded(story.events) == story.session.state());
}

TEST_CASE("session: a watcher halves the interval, reflection doubles it", "[core]") {
    Story story;
    Context watched = context(10);
    watched.watched = true;
    CHECK(story.report(beat(), watched).back().next_heartbeat_ms == 5'000);
    CHECK(story.report(beat_in_phase("reflection"), 20).back().next_heartbeat_ms == 20'000);
}

TEST_CASE("session: silence is judged by the interval that was asked for", "[core]") {
    Story story;
    (void)story.report(tool_started("c"), 0);
    CHECK(story.session.next_deadline(at(0)) == at(10'000));
    CHECK(story.tick(9'999).empty());
    REQUIRE(story.tick(10'000).size() == 1);
    CHECK(story.verdict() == Verdict::kSlow);
}

TEST_CASE("session: the end asks for no interval", "[core]") {
    Story story;
    (void)story.report(tool_started("c"), 10);
    for (const Event& one : story.report(ended(Outcome::kCompleted), 20))
        CHECK(one.next_heartbeat_ms == 0);
}

TEST_CASE("session: the shared judgement is that of the state after each change", "[core]") {
    Story story;
    const JudgementPtr before = story.session.judgement();
    (void)story.report(beat(), 10);
    CHECK(story.session.judgement() == before);
    (void)story.report(tool_finished("c"), 20);
    CHECK(story.session.judgement() != before);
    CHECK(*story.session.judgement() == *story.session.state().judgement);
    CHECK(before->verdict == Verdict::kStarting);
}

TEST_CASE("session: a session restored from a snapshot continues", "[core]") {
    Story story;
    (void)story.report(tool_finished("c"), 10);
    Session copy{"story", story.session.state()};
    CHECK(*copy.judgement() == *story.session.judgement());
    std::vector<Event> in{beat()};
    std::vector<Event> out;
    copy.report(in, context(20), out);
    CHECK(out.front().n == story.session.state().n + 1);
}

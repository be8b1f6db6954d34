// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/session/session.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

using Level = BudgetLevel;

std::vector<Level> levels(const std::vector<Event>& events) {
    std::vector<Level> found;
    for (const auto& change : all_of_type<BudgetLevelChanged>(events))
        found.push_back(change.to);
    return found;
}

Event result_of(std::string call_id, std::string json) {
    ToolFinished call;
    call.call_id = std::move(call_id);
    call.tool = "search";
    static_cast<Text&>(call.result) = bounded_text(std::move(json));
    return event(std::move(call));
}

const SessionEnded& end_of(const Budgeted& b) {
    REQUIRE(b.session.state().ended());
    for (auto event = b.events.rbegin(); event != b.events.rend(); ++event) {
        if (const auto* end = std::get_if<SessionEnded>(&event->payload)) return *end;
    }
    throw std::logic_error("no end");
}

}  // namespace

TEST_CASE("session budget: without one nothing is written", "[budget]") {
    Budgeted b{BudgetLimits{}};
    for (int i = 1; i < 400; ++i)
        b.step(i * 60'000);
    CHECK(all_of_type<BudgetLevelChanged>(b.events).empty());
    CHECK(all_of_type<BudgetExtended>(b.events).empty());
    CHECK_FALSE(b.session.state().ended());
}

TEST_CASE("session budget: the level is journaled when it moves, with its figures", "[budget]") {
    BudgetLimits limits = time_limit(300);
    limits.max_steps = 10;
    Budgeted b{limits};
    for (int i = 1; i <= 6; ++i)
        CHECK(levels(b.step(i * 1000)).empty());
    const auto out = b.step(7'000);
    const auto changes = all_of_type<BudgetLevelChanged>(out);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].from == Level::kNominal);
    CHECK(changes[0].to == Level::kLow);
    CHECK(changes[0].dimension == BudgetDimension::kSteps);
    CHECK(changes[0].pressure == 70);
    CHECK(changes[0].steps_completed == 7);
    CHECK(changes[0].steps_remaining == 3);
    CHECK(changes[0].elapsed_seconds == 7);
    CHECK(changes[0].remaining_seconds == 293);
}

TEST_CASE("session budget: each level has one directive, which replaces the last", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(7), 1);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kWrapUp);
    const std::string soft = b.directives()[0].reason;
    b.report(beat(), 2);
    CHECK(b.directives().size() == 1);  // issued once
    b.report(beat_of_iteration(8), 3);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kWrapUp);
    CHECK(b.directives()[0].reason != soft);
    b.report(beat_of_iteration(9), 4);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kStop);
    CHECK_FALSE(b.session.state().ended());  // it may still report its result
}

TEST_CASE("session budget: a batch that passes several levels gives one directive, at its end",
          "[budget]") {
    Budgeted b{step_limit(10)};
    const auto out =
        b.report({beat_of_iteration(7), beat_of_iteration(8), beat_of_iteration(9)}, 1);
    CHECK(levels(out) == std::vector{Level::kLow, Level::kCritical, Level::kExhausted});
    const auto directives = all_of_type<DirectiveIssued>(out);
    REQUIRE(directives.size() == 1);
    CHECK(directives[0].kind == DirectiveKind::kStop);
    CHECK(directives[0].budget == Level::kExhausted);
}

TEST_CASE("session budget: an acknowledged directive is not repeated", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(7), 1);
    b.report(acknowledged(b.directives()[0].id), 2);
    CHECK(b.directives().empty());
    b.report(beat(), 3);
    CHECK(b.directives().empty());
}

TEST_CASE("session budget: a step after the stop ends it with its partial result", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(result_of("c1", R"(["found"])"), 1);
    b.report(said("two of three files are done"), 2);
    b.report(beat_of_iteration(9), 3);
    b.report(beat(), 4);  // alive, but no step
    b.report(said("writing the summary"), 5);
    REQUIRE_FALSE(b.session.state().ended());
    const auto out = b.report(beat_of_iteration(10), 6);
    const SessionEnded& end = end_of(b);
    CHECK(end.automatic);
    CHECK(end.outcome == Outcome::kBudgetExhausted);
    CHECK(end.reason.kept ==
          "budget exhausted: 100% of the steps are used (10 of 10 steps), and "
          "another step was taken after the stop");
    CHECK(end.result.kept == R"({"partial":true,"message":"writing the summary","tool":"search",)"
                             R"("tool_result":["found"],"newest":"message"})");
    CHECK(b.session.state().judgement->verdict == Verdict::kHalted);
    CHECK(std::holds_alternative<VerdictChanged>(out.back().payload));
}

TEST_CASE("session budget: the rest of a step in flight is no further step", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(8), 1);
    b.report(tool_started("c1"), 2);
    b.report(beat_of_iteration(9), 3);
    REQUIRE(b.meter().stop_sent);
    b.report(tool_finished("c1"), 4);
    CHECK_FALSE(b.session.state().ended());
}

TEST_CASE("session budget: a stop between reports is delivered by the next reply", "[budget]") {
    Budgeted b{time_limit(100)};
    b.step(1'000);
    b.tick(90'000);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kStop);
    b.step(91'000);  // started before the stop was delivered; its reply delivers it
    CHECK_FALSE(b.session.state().ended());
    b.step(92'000);
    CHECK(end_of(b).outcome == Outcome::kBudgetExhausted);
}

TEST_CASE("session budget: the last step may finish, one more ends it", "[budget]") {
    Budgeted b{step_limit(5)};
    for (int i = 1; i <= 4; ++i)
        b.step(i);
    b.report(tool_started("last"), 5);
    CHECK(b.level() == Level::kExhausted);
    b.report(tool_finished("last"), 6);
    CHECK_FALSE(b.session.state().ended());
    b.step(7);
    CHECK(b.session.state().ended());
}

TEST_CASE("session budget: exceeding the steps at once ends it without a directive", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(11), 1);
    CHECK(end_of(b).outcome == Outcome::kBudgetExhausted);
}

TEST_CASE("session budget: all of the tokens, money or time ends it", "[budget]") {
    BudgetLimits limits;
    limits.max_tokens = 1000;
    Budgeted tokens{limits};
    tokens.report(beat_with_usage(999), 1);
    CHECK_FALSE(tokens.session.state().ended());
    tokens.report(beat_with_usage(1), 2);
    CHECK(end_of(tokens).reason.kept ==
          "budget exhausted: 100% of the tokens are used (1000 of 1000 tokens)");
    limits = {};
    limits.max_cost_usd = 0.5;
    Budgeted cost{limits};
    cost.report(beat_with_usage(0, 0.5), 1);
    CHECK(cost.session.state().ended());
    Budgeted time{time_limit(100)};
    time.tick(99'999);
    CHECK_FALSE(time.session.state().ended());
    time.tick(100'000);
    CHECK(end_of(time).outcome == Outcome::kBudgetExhausted);
}

TEST_CASE("session budget: a call in flight at the end of the time may finish, and the stop stays",
          "[budget]") {
    Budgeted b{time_limit(100)};
    b.report(tool_started("c1"), 1'000);
    b.tick(90'000);
    REQUIRE(b.level() == Level::kExhausted);
    const auto out = b.tick(100'000);
    const auto more = all_of_type<BudgetExtended>(out);
    REQUIRE(more.size() == 1);
    CHECK(more[0].automatic);
    CHECK(more[0].added.timeout_seconds == 60);
    CHECK(more[0].calls == std::vector<std::string>{"c1"});
    CHECK(levels(out).empty());
    CHECK(b.status(100'000).time.limit == 100'000);
    CHECK(b.status(100'000).extension == Millis{60'000});
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kStop);
    CHECK_FALSE(b.session.state().ended());
    SECTION("it does not finish") {
        b.tick(159'999);
        CHECK_FALSE(b.session.state().ended());
        b.tick(160'000);
        CHECK(end_of(b).outcome == Outcome::kBudgetExhausted);
    }
    SECTION("it finishes, and with it the session") {
        b.report(result_of("c1", R"({"found":3})"), 130'000);
        CHECK(end_of(b).outcome == Outcome::kBudgetExhausted);
        CHECK(end_of(b).result.kept.find("found") != std::string::npos);
    }
    SECTION("another call beside it gets nothing") {
        b.report(tool_started("c2"), 101'000);
        if (!b.session.state().ended()) b.tick(160'000);
        CHECK(end_of(b).outcome == Outcome::kBudgetExhausted);
    }
}

TEST_CASE("session budget: calls that follow one another get no extension each", "[budget]") {
    Budgeted b{time_limit(3)};  // used to run 27.5 s by eight extensions
    b.report(tool_started("c0"), 1'000);
    std::int64_t now = 3'000;
    for (int i = 1; i < 20 && !b.session.state().ended(); ++i) {
        b.report(
            {tool_started("c" + std::to_string(i)), tool_finished("c" + std::to_string(i - 1))},
            now += 1'500);
    }
    REQUIRE(b.session.state().ended());
    CHECK(all_of_type<BudgetExtended>(b.events).size() <= 1);
    CHECK(b.session.state().budget.limits.timeout_seconds == 3);
    for (const auto& change : all_of_type<BudgetLevelChanged>(b.events))
        CHECK(change.to > change.from);
}

TEST_CASE("session budget: limit and extension stay within the bound of limits", "[budget]") {
    BudgetRules rules;
    rules.timeout_seconds_max = 120;
    Budgeted within{time_limit(100), rules};
    within.report(tool_started("c1"), 1'000);
    CHECK(all_of_type<BudgetExtended>(within.tick(100'000))[0].added.timeout_seconds == 20);
    Budgeted at_it{time_limit(120), rules};
    at_it.report(tool_started("c1"), 1'000);
    at_it.tick(120'000);
    CHECK(at_it.session.state().ended());
    Budgeted beyond{time_limit(500), rules};  // the operator's own limit for the agent type
    beyond.report(tool_started("c1"), 1'000);
    CHECK(all_of_type<BudgetExtended>(beyond.tick(500'000))[0].added.timeout_seconds == 60);
}

TEST_CASE("session budget: new limits let a call be extended again", "[budget]") {
    Budgeted b{time_limit(100)};
    b.report(tool_started("c1"), 1'000);
    b.tick(100'000);
    b.extend(time_limit(100), 110'000);
    CHECK(b.status(110'000).extension == Millis{0});
    CHECK(b.level() == Level::kNominal);
    CHECK(all_of_type<BudgetExtended>(b.tick(200'000)).size() == 1);
}

TEST_CASE("session budget: directives about an ancestor's budget come once per level", "[budget]") {
    Budgeted b{BudgetLimits{}};
    const auto heed = [&b](Level level, std::int64_t ms) {
        std::vector<Event> out;
        b.session.heed_parent("boss", level, b.around(ms), out);
        return b.keep(std::move(out));
    };
    CHECK(heed(Level::kNominal, 1).empty());
    CHECK(heed(Level::kLow, 2).size() == 1);
    CHECK(heed(Level::kLow, 3).empty());
    const auto out = heed(Level::kExhausted, 4);
    REQUIRE(all_of_type<DirectiveIssued>(out).size() == 1);
    CHECK(all_of_type<DirectiveIssued>(out)[0].from == "boss");
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kStop);
    CHECK(b.directives()[0].reason.find("boss") != std::string::npos);
    b.report(beat(), 5);
    CHECK(b.directives().size() == 1);
    heed(Level::kNominal, 6);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kContinue);
    CHECK(folded(b.events) == b.session.state());
}

TEST_CASE("session budget: an ancestor's budget ends no pause of the operator", "[budget]") {
    Budgeted b{BudgetLimits{}};
    std::vector<Event> out;
    b.session.heed_parent("boss", Level::kExhausted, b.around(1), out);
    require_ok(b.session.pause("wait", "ann", b.around(2), out));
    b.session.heed_parent("boss", Level::kNominal, b.around(3), out);
    CHECK(b.session.state().paused());
}

TEST_CASE("session budget: no extension when it is switched off or something else ran out",
          "[budget]") {
    BudgetRules rules;
    rules.in_flight_extension_seconds = 0;
    Budgeted off{time_limit(100), rules};
    off.report(tool_started("c1"), 1'000);
    off.tick(100'000);
    CHECK(off.session.state().ended());
    BudgetLimits limits = time_limit(100);
    limits.max_tokens = 10;
    Budgeted both{limits};
    both.report(tool_started("c1"), 1'000);
    both.report(beat_with_usage(10), 100'000);
    CHECK(both.session.state().ended());
}

TEST_CASE("session budget: an extension withdraws the directive", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(9), 1);
    REQUIRE(b.meter().stop_sent);
    const auto out = b.extend(step_limit(90), 2);
    CHECK(levels(out) == std::vector{Level::kNominal});
    CHECK(b.directives().empty());
    CHECK_FALSE(b.meter().stop_sent);
    b.report(beat_of_iteration(10), 3);
    CHECK_FALSE(b.session.state().ended());
    b.report(beat_of_iteration(70), 4);  // a new directive is issued
    CHECK(b.directives().size() == 1);
}

TEST_CASE("session budget: a small extension leaves the milder advice", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(9), 1);
    b.extend(step_limit(2), 2);  // 9 of 12
    CHECK(b.level() == Level::kLow);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kWrapUp);
}

TEST_CASE("session budget: only what is limited can be extended", "[budget]") {
    Budgeted b{step_limit(10)};
    std::vector<Event> out;
    const auto done = b.session.extend_budget(time_limit(60), "ann", "", "", b.around(1), out);
    CHECK(code_of(done) == ErrorCode::kInvalidField);
    CHECK(done.error().field == "/extend/timeout_seconds");
    CHECK(out.empty());
}

TEST_CASE("session budget: the approval of an extension is journaled with it", "[budget]") {
    Budgeted b{step_limit(10)};
    std::vector<Event> out;
    require_ok(
        b.session.extend_budget(step_limit(5), "ann", "go on", "story.a7", b.around(1), out));
    const auto more = all_of_type<BudgetExtended>(out);
    REQUIRE(more.size() == 1);
    CHECK(more[0].approval == "story.a7");
    CHECK(more[0].by == "ann");
    CHECK_FALSE(more[0].automatic);
}

TEST_CASE("session budget: new limits count what was used before them", "[budget]") {
    Budgeted b{BudgetLimits{}};
    b.report(beat_of_iteration(8), 50'000);
    const auto out = b.set(step_limit(10), 50'001);
    CHECK(levels(out) == std::vector{Level::kCritical});
    CHECK(b.directives().size() == 1);
    CHECK(levels(b.set(BudgetLimits{}, 50'002)) == std::vector{Level::kNominal});
    CHECK(b.directives().empty());
}

TEST_CASE("session budget: an ended session's budget stays as it is", "[budget]") {
    Budgeted b{step_limit(10)};
    b.report(ended(Outcome::kCompleted), 1);
    std::vector<Event> out;
    CHECK(code_of(b.session.extend_budget(step_limit(5), "", "", "", b.around(2), out)) ==
          ErrorCode::kSessionEnded);
    CHECK(code_of(b.session.set_budget({}, b.around(2), out)) == ErrorCode::kSessionEnded);
    CHECK(out.empty());
}

TEST_CASE("session budget: an agent may say that its budget is exhausted once it is", "[budget]") {
    Budgeted b{step_limit(10)};
    const std::vector<Event> end{ended(Outcome::kBudgetExhausted)};
    const auto early = b.session.admit(end);
    CHECK(code_of(early) == ErrorCode::kInvalidField);
    b.report(beat_of_iteration(9), 1);
    require_ok(b.session.admit(end));
    b.report(ended(Outcome::kBudgetExhausted, "half of it"), 2);
    CHECK(b.session.state().judgement->verdict == Verdict::kHalted);
    CHECK_FALSE(end_of(b).automatic);
    Budgeted own{BudgetLimits{}};  // it may have a budget of its own
    require_ok(own.session.admit(end));
}

TEST_CASE("session budget: a cancel after a pause credits it too", "[budget]") {
    Budgeted b{time_limit(100)};
    b.watch = at(3'600'000);
    std::vector<Event> out;
    require_ok(b.session.cancel("enough", b.around(3'601'000), out));
    CHECK(std::holds_alternative<BudgetExtended>(out.front().payload));
    CHECK(b.status(3'601'000).time.used == 1'000);
}

TEST_CASE("session budget: time in which Headway was down is credited", "[budget]") {
    Budgeted b{time_limit(100)};
    b.step(10'000);
    b.watch = at(3'600'000);                         // an hour later it is back
    CHECK(b.status(3'605'000).time.used == 15'000);  // even before anything is written
    CHECK(b.session.next_deadline(b.watch, at(3'630'000)) == at(3'660'000));
    const auto out = b.step(3'605'000);
    const auto credits = all_of_type<BudgetExtended>(out);
    REQUIRE(credits.size() == 1);
    CHECK(std::holds_alternative<BudgetExtended>(out.front().payload));  // it comes first
    CHECK(credits[0].automatic);
    CHECK(credits[0].credited_ms == 3'590'000);
    CHECK(b.level() == Level::kNominal);
    CHECK(b.status(3'605'000).time.used == 15'000);
    CHECK(b.status(3'605'000).time.limit == 100'000);
    CHECK(all_of_type<BudgetExtended>(b.step(3'606'000)).empty());  // once
}

TEST_CASE("session budget: an attention gap of less than a second gives no credit", "[budget]") {
    Budgeted b{time_limit(100)};
    b.step(10'000);
    b.watch = at(10'999);
    CHECK(all_of_type<BudgetExtended>(b.step(12'000)).empty());
    CHECK(b.status(12'000).time.used == 12'000);
}

TEST_CASE("session budget: only the duration of a hung commit is credited", "[budget]") {
    Budgeted b{time_limit(100)};
    b.step(10'000);
    b.watch.note_gap(at(60'000), at(63'000));
    CHECK(b.status(70'000).time.used == 67'000);
    CHECK(b.session.next_deadline(b.watch, at(63'000)) == at(73'000));
    const auto credits = all_of_type<BudgetExtended>(b.step(70'000));
    REQUIRE(credits.size() == 1);
    CHECK(credits[0].credited_ms == 3'000);
    CHECK(b.status(70'000).time.used == 67'000);
    CHECK(all_of_type<BudgetExtended>(b.step(71'000)).empty());  // once
}

TEST_CASE("session budget: what children use counts for their parent", "[budget]") {
    Budgeted b{step_limit(20)};
    b.step(1);
    b.child("a", 5, 2);
    b.child("b", 3, 3);
    CHECK(b.status(3).steps.used == 9);
    CHECK(b.child("a", 5, 4).empty());  // nothing new
    b.child("a", 8, 5);                 // totals, not additions
    b.child("b", 4, 6, true);
    const BudgetStatus status = b.status(6);
    CHECK(status.steps.used == 1 + 8 + 4);
    CHECK(status.tokens.used == 10 * (8 + 4));
    CHECK(status.children_open == 1);
    CHECK(status.children_ended == 1);
    b.child("a", 13, 7);
    CHECK(b.level() == Level::kExhausted);
    REQUIRE(b.directives().size() == 1);
    CHECK(b.directives()[0].kind == DirectiveKind::kStop);
}

TEST_CASE("session budget: children count for themselves when use does not roll up", "[budget]") {
    BudgetRules rules;
    rules.roll_up = false;
    Budgeted b{step_limit(20), rules};
    b.child("a", 19, 1);
    CHECK(b.status(1).steps.used == 0);
    CHECK(b.status(1).children.steps == 19);
    CHECK(b.level() == Level::kNominal);
}

TEST_CASE("session budget: no number of open children takes use out of the budget", "[budget]") {
    Budgeted b{step_limit(1'000'000)};
    for (std::size_t i = 0; i <= limits::kChildrenMax; ++i)
        b.child("c" + std::to_string(i), 1, 1);
    CHECK(b.meter().children.size() == limits::kChildrenMax);
    CHECK(b.status(1).children_evicted == 1);
    CHECK(b.status(1).steps.used == limits::kChildrenMax + 1);
    b.child("c1", 1, 2, true);
    CHECK(b.status(2).steps.used == limits::kChildrenMax + 1);
    b.child("c0", 2, 3);  // evicted before: its use counts once
    CHECK(b.status(3).steps.used == limits::kChildrenMax + 2);
    CHECK(b.status(3).children_evicted == 0);
}

TEST_CASE("session budget: a snapshot and replay give the same figures", "[budget]") {
    BudgetLimits limits = time_limit(100);
    limits.max_steps = 20;
    Budgeted b{limits};
    b.report(tool_started("c1"), 1'000);
    b.child("a", 5, 2'000);
    b.report(beat_with_usage(7, 0.1), 3'000);
    b.tick(100'000);
    b.extend(step_limit(9), 101'000);
    const SessionState replayed = folded(b.events);
    CHECK(replayed == b.session.state());
    CHECK(budget_status(replayed, at(102'000), at(0)).time.used == b.status(102'000).time.used);
}

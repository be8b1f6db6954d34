// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget.hpp"

#include <catch2/catch.hpp>

#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

using Level = BudgetLevel;

ToolFinished turned_away(std::string error_class, std::string message) {
    ToolFinished call;
    call.tool = "llm";
    call.ok = false;
    call.error = ToolError{std::move(error_class), bounded_text(std::move(message))};
    return call;
}

headway::core::Event asks() {
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kQuestion;
    asked.summary = bounded_text("which one?");
    return event(std::move(asked));
}

/// The person answers the oldest question.
void answer(Budgeted& b, std::int64_t ms) {
    const Approval* asked = b.session.state().approvals.oldest_pending();
    REQUIRE(asked != nullptr);
    Ruling ruling;
    ruling.decision = Decision::kRespond;
    ruling.response = bounded_text("that one");
    ruling.by = "ann";
    std::vector<headway::core::Event> out;
    REQUIRE(b.session.decide(asked->n, std::move(ruling), b.around(ms), out).has_value());
    b.keep(std::move(out));
}

/// The same failing call, over and over.
headway::core::Event fails_again(int i) {
    ToolFinished call;
    call.tool = "bash";
    call.call_id = "f" + std::to_string(i);
    static_cast<Text&>(call.args) = bounded_text(R"({"command":"make"})");
    call.ok = false;
    call.error = ToolError{"", bounded_text("no rule to make target")};
    CallFingerprint fingerprint;
    fingerprint.question.low = 1;
    fingerprint.outcome.low = 2;
    call.fingerprint = fingerprint;
    return event(std::move(call));
}

}  // namespace

TEST_CASE("budget: a level begins exactly at its threshold, in every dimension", "[budget]") {
    struct Case {
        const char* name;
        std::uint64_t used;  // of 1000
        Level level;
    };
    const Case cases[] = {{"0 %", 0, Level::kNominal},        {"69.9 %", 699, Level::kNominal},
                          {"70 %", 700, Level::kLow},         {"79.9 %", 799, Level::kLow},
                          {"80 %", 800, Level::kCritical},    {"89.9 %", 899, Level::kCritical},
                          {"90 %", 900, Level::kExhausted},   {"100 %", 1000, Level::kExhausted},
                          {"beyond", 5000, Level::kExhausted}};
    for (const Case& c : cases) {
        DYNAMIC_SECTION("time " << c.name) {
            const Budgeted b{time_limit(1000)};
            const BudgetStatus status = b.status(static_cast<std::int64_t>(c.used) * 1000);
            CHECK(status.level == c.level);
            CHECK(status.pressure == static_cast<double>(c.used) / 10);
        }
        DYNAMIC_SECTION("steps " << c.name) {
            Budgeted b{step_limit(1000)};
            b.report(beat_of_iteration(c.used), 1);
            CHECK(b.status(1).level == c.level);
            CHECK(b.status(1).steps.used == c.used);
        }
        DYNAMIC_SECTION("tokens " << c.name) {
            BudgetLimits limits;
            limits.max_tokens = 1000;
            Budgeted b{limits};
            b.report(beat_with_usage(c.used), 1);
            CHECK(b.status(1).level == c.level);
        }
        DYNAMIC_SECTION("cost " << c.name) {
            BudgetLimits limits;
            limits.max_cost_usd = 1;
            Budgeted b{limits};
            b.report(beat_with_usage(1, static_cast<double>(c.used) / 1000), 1);
            CHECK(b.status(1).level == c.level);
            CHECK(b.status(1).cost.used == c.used * 1000);
        }
    }
}

TEST_CASE("budget: a millisecond below a threshold is below it", "[budget]") {
    const Budgeted b{time_limit(300)};
    CHECK(b.status(209'999).level == Level::kNominal);
    CHECK(b.status(210'000).level == Level::kLow);
    CHECK(b.status(239'999).level == Level::kLow);
    CHECK(b.status(240'000).level == Level::kCritical);
    CHECK(b.status(269'999).level == Level::kCritical);
    CHECK(b.status(270'000).level == Level::kExhausted);
}

TEST_CASE("budget: 80 % of the time is low whatever the other thresholds are", "[budget]") {
    BudgetRules rules;
    rules.wrap_up_percent = 95;
    rules.warn_percent = 97;
    rules.force_exit_percent = 99;
    const Budgeted b{time_limit(100), rules};
    CHECK(b.status(79'999).level == Level::kNominal);
    CHECK(b.status(80'000).level == Level::kLow);
    CHECK(b.status(97'000).level == Level::kCritical);
    Budgeted steps{step_limit(100), rules};
    steps.report(beat_of_iteration(94), 1);
    CHECK(steps.status(1).level == Level::kNominal);  // the rule concerns time only
    steps.report(beat_of_iteration(95), 2);
    CHECK(steps.status(2).level == Level::kLow);
}

TEST_CASE("budget: pressure is that of the worst dimension", "[budget]") {
    BudgetLimits limits;
    limits.timeout_seconds = 300;
    limits.max_steps = 30;
    Budgeted b{limits};
    b.report(beat_of_iteration(15), 45'000);
    const BudgetStatus status = b.status(45'000);
    CHECK(status.pressure == 50);
    CHECK(status.dimension == BudgetDimension::kSteps);
    CHECK(status.time.percent() == 15);
    CHECK(status.elapsed_seconds() == 45);
    CHECK(status.remaining_seconds() == 255);
    CHECK(status.steps_remaining() == 15);
    CHECK(b.status(270'000).dimension == BudgetDimension::kTime);
}

TEST_CASE("budget: elapsed and remaining seconds add up to the limit", "[budget]") {
    const Budgeted b{time_limit(300)};
    for (const std::int64_t ms : {0, 1, 999, 1000, 45'500, 299'999, 300'000, 400'000}) {
        const BudgetStatus status = b.status(ms);
        CHECK(std::min<std::uint64_t>(status.elapsed_seconds(), 300) +
                  *status.remaining_seconds() ==
              300);
    }
}

TEST_CASE("budget: a limit of nothing is used up, and a missing one never", "[budget]") {
    CHECK(BudgetFigure{0, 0}.percent() == 100);
    CHECK(BudgetFigure{0, 0}.reaches(100));
    CHECK_FALSE(BudgetFigure{1'000'000, {}}.reaches(1));
    CHECK(BudgetFigure{1'000'000, {}}.percent() == 0);
    CHECK(BudgetFigure{7, 5}.left() == 0);
}

TEST_CASE("budget: counts saturate instead of overflowing", "[budget]") {
    BudgetLimits limits;
    limits.max_tokens = 100;
    Budgeted b{limits};
    b.report({beat_with_usage(UINT64_MAX, 1e300), beat_with_usage(UINT64_MAX, 1e300)}, 1);
    CHECK(b.meter().tokens == kBudgetCountMax);
    CHECK(b.meter().cost_micros == kBudgetCountMax);
    CHECK(cost_micros(-1) == 0);
    CHECK(cost_micros(0.1) + cost_micros(0.2) == cost_micros(0.3));
}

TEST_CASE("budget: tokens without a total are input plus output", "[budget]") {
    Budgeted b{step_limit(10)};
    Heartbeat beat;
    beat.usage = use_of(0, 30, 12, 0);
    b.report(event(beat), 1);
    Message message;
    message.usage = use_of(100, 30, 12, 0);
    b.report(event(message), 2);
    ToolFinished call;
    call.tool = "t";
    call.usage = use_of(0, 0, 5, 0);
    b.report(event(call), 3);
    CHECK(b.meter().tokens == 42 + 100 + 5);
}

TEST_CASE("budget: a call that is reported twice is charged once", "[budget]") {
    Budgeted b{step_limit(100)};
    ToolFinished call;
    call.call_id = "c1";
    call.tool = "t";
    call.usage = use_of(10, 0, 0, 0);
    b.report(event(call), 1);
    b.report(event(call), 2);
    CHECK(b.meter().tokens == 10);
    CHECK(b.status(2).steps.used == 1);
}

TEST_CASE("budget: a step is a round of calls or an iteration, whichever counts more", "[budget]") {
    Budgeted b{step_limit(100)};
    b.step(1);
    b.step(2);
    CHECK(b.status(2).steps.used == 2);
    b.report(beat_of_iteration(7), 3);
    CHECK(b.status(3).steps.used == 7);
    b.report(beat_of_iteration(3), 4);  // a counter that restarts takes nothing back
    CHECK(b.status(4).steps.used == 7);
}

TEST_CASE("budget: time goes to the clock of what the session waits for", "[budget]") {
    Budgeted b{time_limit(1000)};
    b.report(tool_started("c1"), 1'000);  // the model has thought for 1 s
    b.report(beat(), 2'000);
    b.report(tool_finished("c1"), 4'000);  // the tool took 3 s
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 9'000);
    b.report(event(StateChanged{AgentState::kProcessingPrompt, {}, {}, false, {}}), 29'000);
    const BudgetStatus status = b.status(30'000);
    CHECK(status.model == Millis{1'000 + 5'000 + 1'000});
    CHECK(status.tool == Millis{3'000});
    CHECK(status.human == Millis{20'000});
    CHECK(status.time.used == 10'000);  // waiting for a person costs nothing
}

TEST_CASE("budget: work beside an open question is charged", "[budget]") {
    Budgeted b{time_limit(10'000)};
    b.report(asks(), 0);
    for (int i = 1; i <= 60; ++i) {
        b.report(beat(), i * 60'000 - 1'000);  // does not shorten the next interval
        b.report(tool_started("c" + std::to_string(i)), i * 60'000 - 500);
        b.report(tool_finished("c" + std::to_string(i)), i * 60'000);
    }
    CHECK(b.status(3'600'000).time.used == 3'600'000);
    CHECK(b.status(3'600'000).human == Millis{0});
    CHECK(b.session.state().waits_for_human());
}

TEST_CASE("budget: a call that ends while a person is asked is not charged for the night",
          "[budget]") {
    Budgeted b{time_limit(10'000)};
    b.report(tool_started("other"), 0);
    b.report(asks(), 1'000);
    b.report(tool_finished("other"), 30'001'000);  // beside the question for eight hours
    const BudgetStatus status = b.status(30'001'000);
    CHECK(status.model == Millis{limits::kWorkBesideQuestionMsMax});
    CHECK(status.human == Millis{30'000'000 - limits::kWorkBesideQuestionMsMax});
    answer(b, 60'001'000);  // the time before an answer was waiting
    CHECK(b.status(60'001'000).human == Millis{60'000'000 - limits::kWorkBesideQuestionMsMax});
    CHECK(b.status(60'002'000).human == Millis{60'000'000 - limits::kWorkBesideQuestionMsMax});
}

TEST_CASE("budget: a waiting state does not make reported work free", "[budget]") {
    Budgeted b{time_limit(10'000)};
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 0);
    for (int i = 1; i <= 10; ++i)
        b.report(beat_of_iteration(static_cast<std::uint64_t>(i)), i * 60'000);
    CHECK(b.status(600'000).time.used == 600'000);
    b.report(beat(), 700'000);
    CHECK(b.status(800'000).human == Millis{200'000});
}

TEST_CASE("budget: questions that expire make no time free and hide no loop", "[budget]") {
    Policy policy;
    policy.on_stuck = OnStuck::kHalt;
    Budgeted b{time_limit(100'000), {}, policy};
    b.report(asks(), 0);
    for (int i = 1; i <= 20; ++i) {
        ApprovalRequested brief;
        brief.kind = ApprovalKind::kQuestion;
        brief.summary = bounded_text("now? " + std::to_string(i));
        brief.expires_in_ms = 1;
        brief.on_expiry = OnExpiry::kReject;
        b.report(headway::tests::event(std::move(brief)), i * 60'000 - 500);
        b.tick(i * 60'000 - 1);
        b.report(fails_again(i), i * 60'000);
    }
    CHECK(b.status(1'200'000).human == Millis{0});
    CHECK(b.session.state().outcome == Outcome::kHalted);
}

TEST_CASE(
    "budget: work that ends a stated wait takes the time before it, after an answer it does not",
    "[budget]") {
    Budgeted b{time_limit(10'000)};
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 0);
    b.report(tool_started("c1"), 60'000);
    CHECK(b.status(60'000).time.used == 60'000);
    b.report(tool_finished("c1"), 61'000);
    b.report(asks(), 61'000);
    answer(b, 121'000);
    b.report(tool_started("c2"), 121'000);
    CHECK(b.status(121'000).human == Millis{60'000});
    CHECK(b.status(121'000).time.used == 61'000);
}

TEST_CASE("budget: output of a command beside a question is no work of the model", "[budget]") {
    Budgeted b{time_limit(10'000)};
    b.report(asks(), 0);
    for (int i = 1; i <= 100; ++i)
        b.report(message(i % 2 == 0 ? "stdout" : "user"), i * 1'000);
    CHECK(b.status(100'000).time.used == 0);
}

TEST_CASE("session: an open question of the agent neither hides a loop nor prevents a halt",
          "[core]") {
    Policy policy;
    policy.on_stuck = OnStuck::kHalt;
    Budgeted b{BudgetLimits{}, {}, policy};
    b.report(asks(), 0);
    for (int i = 1; i <= 12; ++i)  // what one model turn may have in flight
        b.report(fails_again(i), 1'000 * i);
    CHECK(b.session.state().judgement->verdict == Verdict::kBlocked);
    b.report(fails_again(13), 13'000);
    CHECK(all_of_type<VerdictChanged>(b.events).back().to == Verdict::kHalted);
    CHECK(b.session.state().outcome == Outcome::kHalted);
}

TEST_CASE("session: a stuck session that asks is blocked until it continues", "[core]") {
    Budgeted b{BudgetLimits{}};
    for (int i = 1; i <= 20; ++i)
        b.report(fails_again(i), 1'000 * i);
    CHECK(b.session.state().judgement->verdict == Verdict::kStuck);
    b.report(asks(), 21'000);
    CHECK(b.session.state().judgement->verdict == Verdict::kBlocked);
    b.tick(30'000'000);
    CHECK(b.session.state().judgement->verdict == Verdict::kBlocked);
}

TEST_CASE("budget: waiting for a person counts when the rules say so", "[budget]") {
    BudgetRules rules;
    rules.count_human = true;
    Budgeted b{time_limit(100), rules};
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 0);
    CHECK(b.status(70'000).level == Level::kLow);
}

TEST_CASE("budget: a rate limit has a clock until something else happens", "[budget]") {
    BudgetRules rules;
    rules.count_rate_limit = false;
    Budgeted b{time_limit(100), rules};
    b.report(event(turned_away("rate_limit", "")), 1'000);
    b.report(beat(), 11'000);  // a heartbeat does not end the wait
    b.report(said("go on"), 21'000);
    CHECK(b.status(22'000).rate_limit == Millis{20'000});
    CHECK(b.status(22'000).time.used == 2'000);
    b.report(event(turned_away("", "HTTP 429 Too Many Requests")), 22'000);
    b.report(beat_of_iteration(3), 32'000);  // the model answered in between
    CHECK(b.status(33'000).rate_limit == Millis{30'000});
    CHECK(b.status(33'000).model == Millis{3'000});
}

TEST_CASE("budget: an ended session uses no more time", "[budget]") {
    Budgeted b{time_limit(100)};
    b.report(ended(Outcome::kCompleted), 10'000);
    CHECK(b.status(1'000'000).time.used == 10'000);
}

TEST_CASE("budget: the deadline is the next threshold that time will reach", "[budget]") {
    Budgeted b{time_limit(100)};
    const auto deadline = [&] { return budget_deadline(b.session.state(), at(0)); };
    CHECK(deadline() == at(70'000));
    b.tick(70'000);
    CHECK(deadline() == at(80'000));
    b.tick(80'000);
    CHECK(deadline() == at(90'000));
    b.tick(90'000);
    CHECK(deadline() == at(100'000));
    b.tick(100'000);
    CHECK(b.session.state().ended());
    CHECK(deadline() == kNever);
}

TEST_CASE("budget: no deadline while the time that passes is free, or without a limit",
          "[budget]") {
    Budgeted b{time_limit(100)};
    b.report(event(StateChanged{AgentState::kAwaitingPermission, {}, {}, false, {}}), 0);
    CHECK(budget_deadline(b.session.state(), at(0)) == kNever);
    const Budgeted steps{step_limit(10)};
    CHECK(budget_deadline(steps.session.state(), at(0)) == kNever);
}

TEST_CASE("budget: a level reached by steps leaves only the later thresholds of time", "[budget]") {
    BudgetLimits limits = time_limit(100);
    limits.max_steps = 10;
    Budgeted b{limits};
    b.report(beat_of_iteration(8), 1'000);
    CHECK(b.level() == Level::kCritical);
    CHECK(budget_deadline(b.session.state(), at(0)) == at(90'000));
}

TEST_CASE("budget: the session's next deadline is the earlier of silence and budget", "[budget]") {
    Budgeted b{time_limit(30)};
    CHECK(b.session.next_deadline(at(0)) == at(20'000));  // two intervals of 10 s
    CHECK(b.session.next_deadline(at(0), at(20'000)) == at(21'000));
    b.tick(20'000);  // silent
    CHECK(b.session.next_deadline(at(0)) == at(21'000));
}

TEST_CASE("budget: what is added goes to the limits that are set, and only to them", "[budget]") {
    BudgetLimits limits;
    limits.timeout_seconds = 100;
    limits.max_cost_usd = 0.5;
    BudgetLimits more;
    more.timeout_seconds = 60;
    more.max_steps = 9;
    more.max_cost_usd = 0.25;
    const BudgetLimits extended = extended_limits(limits, more);
    CHECK(extended.timeout_seconds == 160);
    CHECK_FALSE(extended.max_steps.has_value());
    CHECK(extended.max_cost_usd == 0.75);
}

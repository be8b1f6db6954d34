// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "server/testclock/jumps.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using Document = nlohmann::json;
using testclock::Jump;
using testclock::jump;

namespace {

EngineSettings with_budgets() {
    EngineSettings settings;
    settings.budget.builtin = true;
    return settings;
}

OpenCommand open_with(const std::string& id, const std::string& parent = {},
                      const BudgetLimits& limits = {}, const std::string& agent = {}) {
    OpenCommand command;
    command.session = id;
    command.about.parent = parent;
    command.about.budget = limits;
    command.about.agent.type = agent;
    return command;
}

Document document_in(Result<Answer> what) {
    require_ok(what);
    return Document::parse(std::get<BodyReply>(*what).body);
}

Document budget(Supervised& s, const std::string& id) {
    return document_in(s.ask(BudgetQuery{id}))["budget"];
}

std::vector<ChildProgress> heard(Supervised& s, const std::string& id) {
    (void)s.turn({});  // a session decides about its messages in the turn after
    return all_of_type<ChildProgress>(s.journal(id));
}

BudgetCommand extend(const std::string& id, const BudgetLimits& limits) {
    return {id, {true, limits, "ann", "more"}};
}

}  // namespace

TEST_CASE("engine budgets: a session gets the limits of its agent type", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("a", {}, {}, "explore"));
    CHECK(budget(s, "a")["max_steps"] == 30);
    CHECK(budget(s, "a")["timeout_seconds"] == 300);
    (void)s.ask(open_with("b"));
    CHECK(budget(s, "b").is_null());
    (void)s.ask(open_with("c", {}, step_limit(77), "plan"));
    CHECK(budget(s, "c")["max_steps"] == 77);
    CHECK(budget(s, "c")["timeout_seconds"] == 600);
}

TEST_CASE("engine budgets: no type has limits without settings, and openings give their source",
          "[server]") {
    Supervised plain;
    for (const char* type : {"plan", "explore", "coder"}) {
        const Document opened = document_in(plain.ask(open_with(type, {}, {}, type)));
        CHECK(opened["budget"].is_null());
        CHECK(opened["budget_source"] == "none");
    }
    EngineSettings settings = with_budgets();
    settings.budget.agents = {{"coder", time_limit(900)}};
    Supervised s{settings};
    CHECK(document_in(s.ask(open_with("a", {}, {}, "plan")))["budget"]["source"] == "builtin");
    CHECK(document_in(s.ask(open_with("b", {}, step_limit(9), "other")))["budget"]["source"] ==
          "request");
    CHECK(document_in(s.ask(open_with("c", {}, {}, "coder")))["budget"]["source"] == "config");
    CHECK(document_in(s.ask(open_with("d", {}, step_limit(9), "coder")))["budget"]["source"] ==
          "mixed");
    s.restart();
    CHECK(budget(s, "d")["source"] == "mixed");
    require_ok(s.ask(extend("d", step_limit(1))));
    CHECK(budget(s, "d")["source"] == "operator");
}

TEST_CASE("engine budgets: children of an exhausted session are asked to stop too", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("boss", {}, step_limit(10)));
    (void)s.ask(open_with("child", "boss"));
    (void)s.ask(open_with("grandchild", "child"));
    (void)s.ask(open_with("stranger"));
    // Its use exhausts the budget; the next reply has the stop.
    CHECK(s.report("grandchild", {beat_of_iteration(9)}).directives.empty());
    REQUIRE(s.report("boss", {beat()}).directives.size() == 1);
    for (const char* below : {"grandchild", "child"}) {
        const auto advice = s.report(below, {beat()});
        REQUIRE(advice.directives.size() == 1);
        CHECK(advice.directives[0].first.kind == DirectiveKind::kStop);
        CHECK(advice.directives[0].first.reason.find("boss") != std::string::npos);
        CHECK(s.report(below, {beat()}).directives.size() == 1);  // and only once
    }
    CHECK(s.report("stranger", {beat()}).directives.empty());
    (void)s.ask(open_with("late", "child"));
    CHECK(s.report("late", {beat()}).directives.size() == 1);
    const auto directives = all_of_type<DirectiveIssued>(s.journal("grandchild"));
    REQUIRE(directives.size() == 1);
    CHECK(directives[0].from == "boss");
    s.restart();
    CHECK(s.report("child", {beat()}).directives.size() == 1);
    // An extension of the ancestor applies to its descendants.
    require_ok(s.ask(extend("boss", step_limit(100))));
    const auto again = s.report("child", {beat()});
    REQUIRE(again.directives.size() == 1);
    CHECK(again.directives[0].first.kind == DirectiveKind::kContinue);
    // Once it has ended by its budget, no descendant gets a directive to continue.
    (void)s.report("boss", {beat_of_iteration(200)});
    CHECK(s.report("grandchild", {beat()}).directives[0].first.kind == DirectiveKind::kStop);
    CHECK(s.report("grandchild", {beat()}).directives.size() == 1);
}

TEST_CASE("engine budgets: an opening out of bounds is refused by name", "[server]") {
    Supervised s{with_budgets()};
    const auto refused = s.ask(open_with("a", {}, step_limit(201)));
    CHECK(code_of(refused) == ErrorCode::kInvalidField);
    CHECK(refused.error().field == "/budget/max_steps");
    CHECK(refused.error().detail == "must be from 5 to 200");
    CHECK(code_of(s.ask(SessionQuery{"a"})) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine budgets: opening again with another budget is another opening", "[server]") {
    Supervised s{with_budgets()};
    require_ok(s.ask(open_with("a", {}, step_limit(20))));
    require_ok(s.ask(open_with("a", {}, step_limit(20))));
    CHECK(code_of(s.ask(open_with("a", {}, step_limit(21)))) == ErrorCode::kSessionExists);
}

TEST_CASE("engine budgets: a reload changes the budgets of later sessions", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("before", {}, {}, "plan"));
    ReloadCommand reload;
    reload.settings.budget.agents = {{"plan", step_limit(9)}};
    reload.settings.budget.bounds.max_steps_max = 1000;
    (void)s.turn({reload});
    (void)s.ask(open_with("after", {}, {}, "plan"));
    CHECK(budget(s, "before")["max_steps"] == 50);
    CHECK(budget(s, "after")["max_steps"] == 9);
    require_ok(s.ask(open_with("large", {}, step_limit(1000))));
}

TEST_CASE("engine budgets: replies carry the budget only where there is one", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("a", {}, step_limit(10)));
    const headway::api::Advice limited = s.report("a", {beat_of_iteration(7)});
    REQUIRE(limited.budget != nullptr);
    CHECK(limited.budget->level == BudgetLevel::kLow);
    REQUIRE(limited.directives.size() == 1);
    CHECK(limited.directives[0].second == 1);
    CHECK(s.report("a", {beat()}).directives[0].second == 2);  // until it is acknowledged
    CHECK(s.report("b", {beat()}).budget == nullptr);
}

TEST_CASE("engine budgets: an operator extends and sets limits", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("a", {}, step_limit(10)));
    (void)s.report("a", {beat_of_iteration(9)});
    require_ok(s.ask(extend("a", step_limit(20))));
    CHECK(budget(s, "a")["max_steps"] == 30);
    CHECK(s.report("a", {beat()}).directives.empty());
    require_ok(s.ask(BudgetCommand{"a", {false, time_limit(60), "", ""}}));
    CHECK(budget(s, "a")["timeout_seconds"] == 60);
    CHECK_FALSE(budget(s, "a").contains("max_steps"));
    CHECK(s.ask(extend("a", step_limit(20))).error().field == "/extend/max_steps");
    CHECK(s.ask(BudgetCommand{"a", {false, step_limit(4), "", ""}}).error().field ==
          "/set/max_steps");
    CHECK(code_of(s.ask(extend("nobody", step_limit(20)))) == ErrorCode::kUnknownSession);
}

TEST_CASE("engine budgets: use reaches both generations above in the next commit", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("grandparent", {}, step_limit(20)));
    (void)s.ask(open_with("parent", "grandparent"));
    (void)s.ask(open_with("child", "parent"));
    (void)s.report("parent", {tool_finished("p1")});
    const auto commits = s.last.stats.commits;
    (void)s.report("child", {tool_finished("c1"), tool_finished("c2"), beat_with_usage(50, 0.2)});
    CHECK(s.last.stats.commits == commits + 1);
    REQUIRE(heard(s, "parent").size() == 2);  // once a turn, however many events
    CHECK(s.last.stats.commits == commits + 2);
    CHECK(heard(s, "parent")[1].steps == 2);
    const auto total = heard(s, "grandparent").back();
    CHECK(total.child == "parent");
    CHECK(total.steps == 3);
    CHECK(total.tokens == 50);
    CHECK(budget(s, "grandparent")["steps_completed"] == 3);
    CHECK(budget(s, "grandparent")["cost_used_usd"] == 0.2);
    for (int i = 3; i < 14; ++i)
        (void)s.report("child", {tool_finished("c" + std::to_string(i))});
    CHECK(budget(s, "grandparent")["level"] == "low");  // 14 of 20
    CHECK(s.report("grandparent", {beat()}).directives.size() == 1);
    const auto before = heard(s, "parent").size();
    (void)s.report("child", {beat()});  // nothing was used
    CHECK(heard(s, "parent").size() == before);
    (void)s.report("child", {ended(Outcome::kCompleted)});
    CHECK(heard(s, "parent").back().ended);
    CHECK(heard(s, "parent").back().verdict == Verdict::kCompleted);
    CHECK(budget(s, "grandparent")["steps_completed"] == 14);
}

TEST_CASE("engine budgets: a family without a budget hears of what is new only", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("parent"));
    (void)s.ask(open_with("child", "parent"));
    for (int i = 0; i < 5; ++i)
        (void)s.report("child", {tool_finished("c" + std::to_string(i))});
    CHECK(heard(s, "parent").size() == 1);  // that it was opened
    (void)s.report("child", {beat_with_usage(100, 0.2)});
    CHECK(heard(s, "parent").back().tokens == 100);
    (void)s.report("child", {beat_with_usage(10, 0.01)});
    CHECK(heard(s, "parent").size() == 2);
    (void)s.report("child", {ended(Outcome::kCompleted)});
    REQUIRE(heard(s, "parent").size() == 3);
    CHECK(heard(s, "parent").back().tokens == 110);
}

TEST_CASE("engine budgets: a session that is its own ancestor rolls up nowhere", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("a", "b", step_limit(20)));
    (void)s.ask(open_with("b", "a", step_limit(20)));
    (void)s.ask(open_with("self", "self", step_limit(20)));
    (void)s.report("a", {tool_finished("c1")});
    (void)s.report("self", {tool_finished("c1")});
    CHECK(heard(s, "a").empty());
    CHECK(heard(s, "b").empty());
    CHECK(heard(s, "self").empty());
}

TEST_CASE("engine budgets: an ended parent hears no more of its children", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("parent", {}, step_limit(20)));
    (void)s.ask(open_with("child", "parent"));
    (void)s.report("parent", {ended(Outcome::kCompleted)});
    (void)s.report("child", {tool_finished("c1")});
    CHECK(heard(s, "parent").size() == 1);  // that it was opened
    CHECK(budget(s, "parent")["steps_completed"] == 0);
}

TEST_CASE("engine budgets: a restart gives the same figures", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("parent", {}, step_limit(20)));
    (void)s.ask(open_with("child", "parent", step_limit(10)));
    (void)s.report("child", {beat_of_iteration(8), beat_with_usage(7, 0.3)});
    const Document before = budget(s, "parent");
    const Document child = budget(s, "child");
    s.restart();
    CHECK(budget(s, "parent") == before);
    CHECK(budget(s, "child") == child);
    (void)s.report("child", {beat_of_iteration(9)});
    CHECK(heard(s, "parent").back().steps == 9);
    CHECK(budget(s, "parent")["children"]["open"] == 1);  // known again, not counted twice
}

TEST_CASE("engine budgets: a pause of our own is credited", "[server]") {
    Supervised s{with_budgets()};
    (void)s.ask(open_with("a", {}, time_limit(60)));
    s.store().stall_commit([] { jump(Jump::stall(Millis{20'000})); });
    (void)s.report("b", {beat()});
    (void)s.report("a", {beat()});
    const auto credits = all_of_type<BudgetExtended>(s.journal("a"));
    REQUIRE(credits.size() == 1);
    CHECK(credits[0].credited_ms >= 20'000);
    CHECK(budget(s, "a")["elapsed_seconds"] == 0);
}

// A silence that changes no verdict must not be the last tick of the session.
TEST_CASE("engine budgets: time passes for a session that is blocked and silent", "[server]") {
    EngineSettings settings = with_budgets();
    settings.policy.heartbeat_interval = Millis{10'000};
    Supervised s{settings};
    (void)s.ask(open_with("a", {}, time_limit(100)));
    ErrorReported error;
    error.error_class = "authentication";
    (void)s.report("a", {event(error)});
    const Timestamp begun = s.clock().now();
    while (s.last.views.empty() || !s.last.views[0].ended) {
        jump(Jump::pass(Millis{1'000}));
        (void)s.turn({});
        REQUIRE(s.clock().now() < begun + Millis{200'000});
    }
    const auto levels = all_of_type<BudgetLevelChanged>(s.journal("a"));
    REQUIRE_FALSE(levels.empty());
    CHECK(levels.back().to == BudgetLevel::kExhausted);  // a slow turn may skip one before it
    const auto ends = all_of_type<SessionEnded>(s.journal("a"));
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].outcome == Outcome::kBudgetExhausted);
}

TEST_CASE("engine budgets: ended sessions are the history of their agent type", "[server]") {
    Supervised s{with_budgets()};
    for (int i = 1; i <= 4; ++i) {
        const std::string id = "done-" + std::to_string(i);
        (void)s.ask(open_with(id, {}, {}, "plan"));
        (void)s.report(id, {beat_of_iteration(static_cast<std::uint64_t>(10 * i))});
        (void)s.report(id, {ended(Outcome::kCompleted)});
    }
    (void)s.ask(open_with("running", {}, {}, "plan"));
    CHECK(
        budget(s, "running")["prediction"]["reason"].get<std::string>().starts_with("no history"));
    (void)s.ask(open_with("last", {}, {}, "plan"));
    (void)s.report("last", {beat_of_iteration(25), ended(Outcome::kCompleted)});
    (void)s.report("running", {beat_of_iteration(22)});
    const Document prediction = budget(s, "running")["prediction"];
    CHECK(prediction["history"] == 5);
    CHECK(prediction["steps_to_finish"]["samples"] == 3);  // 25, 30, 40
    CHECK(prediction["steps_to_finish"]["p50"] == 8);
    CHECK(document_in(s.ask(SessionQuery{"running"}))["budget"]["prediction"]["history"] == 5);
    const Document analytics = document_in(s.ask(BudgetAnalyticsQuery{"plan"}));
    CHECK(analytics["sessions"] == 5);
    CHECK(analytics["budgets"][0]["steps"]["p50"] == 25);
    CHECK(document_in(s.ask(BudgetAnalyticsQuery{"unknown"}))["budgets"].empty());
}

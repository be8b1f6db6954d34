// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_fold.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

// The meter event by event, as the fold feeds it. Levels and directives are in budget_test.cpp and
// session_budget_test.cpp.

using namespace headway::core;
using namespace headway::tests;

namespace {

using Origin = BudgetSource;
using Runs = BudgetClock;

/// A state to which single payloads are metered, one a second.
struct Metered {
    SessionState state;
    std::int64_t now = 0;

    explicit Metered(const BudgetLimits& limits = {}) {
        SessionStarted started;
        started.budget = limits;
        if (limits != BudgetLimits{}) started.budget_source = Origin::kRequest;
        takes(std::move(started));
    }
    template <class P>
    Metered& takes(P payload, bool replayed = false) {
        Event one_event = event(std::move(payload));
        one_event.at = at(now += 1'000);
        charge_clock(state.budget, one_event);
        meter_event(state, one_event, replayed);
        return *this;
    }
    const BudgetMeter& meter() const { return state.budget; }
    const LastWords& words() const { return state.budget.last_words.at(0); }
};

SessionStarted opening_with(const BudgetLimits& limits, Origin source) {
    SessionStarted started;
    started.budget = limits;
    started.budget_source = source;
    return started;
}

SessionAmended amended_to(const BudgetLimits& limits,
                          std::optional<std::uint64_t> suggested_from = {}) {
    SessionAmended amended;
    amended.budget = limits;
    amended.suggested_from = suggested_from;
    return amended;
}

ToolFinished call_with(bool ok, std::string result) {
    ToolFinished call;
    call.tool = "bash";
    call.ok = ok;
    static_cast<Text&>(call.result) = bounded_text(std::move(result));
    return call;
}

Message said_by(std::string role, std::string text) {
    Message message;
    message.role = std::move(role);
    message.text = bounded_text(std::move(text));
    return message;
}

ToolFinished turned_away_by(std::string error_class) {
    ToolFinished call = call_with(false, "");
    call.error = ToolError{std::move(error_class), {}};
    return call;
}

DirectiveIssued told_of(std::string id, BudgetLevel level, std::string from = {}) {
    DirectiveIssued directive;
    directive.id = std::move(id);
    directive.budget = level;
    directive.from = std::move(from);
    return directive;
}

ChildProgress child_at(std::string id, std::uint64_t steps, bool over = false) {
    ChildProgress child;
    child.child = std::move(id);
    child.steps = steps;
    child.tokens = 10 * steps;
    child.cost_usd = 0.5;
    child.level = BudgetLevel::kLow;
    child.ended = over;
    return child;
}

BudgetExtended extended_by(std::uint64_t seconds, std::vector<std::string> calls = {}) {
    BudgetExtended extended;
    extended.added = time_limit(seconds);
    extended.calls = std::move(calls);
    return extended;
}

}  // namespace

TEST_CASE("budget fold: the opening says where its limits come from", "[budget]") {
    struct Case {
        BudgetLimits limits;
        Origin said;
        Origin kept;
    };
    const Case cases[] = {{step_limit(5), Origin::kRequest, Origin::kRequest},
                          {step_limit(5), Origin::kBuiltin, Origin::kBuiltin},
                          {step_limit(5), Origin::kSuggested, Origin::kSuggested},
                          {{}, Origin::kNone, Origin::kNone},
                          // Older versions did not record it.
                          {step_limit(5), Origin::kNone, Origin::kUnknown}};
    for (const Case& c : cases) {
        CAPTURE(c.said);
        Metered m;
        m.takes(opening_with(c.limits, c.said));
        CHECK(m.meter().limits == c.limits);
        CHECK(m.meter().source == c.kept);
    }
}

TEST_CASE("budget fold: children at work beside their parent's open question charge its time",
          "[budget]") {
    Metered m{time_limit(100)};
    m.takes(child_at("old", 1));
    m.state.agent_state = AgentState::kAwaitingPermission;
    m.takes(Heartbeat{});
    m.takes(Heartbeat{});
    const Millis waited = m.meter().human;
    REQUIRE(waited > Millis{0});
    m.takes(child_at("old", 1));  // nothing new: its report charges no wait
    CHECK(m.meter().human > waited);
    const Millis worked = m.meter().model;
    const Millis idle = m.meter().human;
    SECTION("by more work of a known child") {
        m.takes(child_at("old", 2));
    }
    SECTION("by the first work of another") {
        m.takes(child_at("new", 1));
    }
    SECTION("by the last work of one that ended") {
        m.takes(child_at("old", 2, true));
    }
    CHECK(m.meter().human == Millis{0});
    CHECK(m.meter().model == worked + idle + Millis{1'000});
}

TEST_CASE("budget fold: children at work charge no time of a parent that a person has paused",
          "[budget]") {
    Metered m{time_limit(100)};
    m.state.paused_at = at(1);
    m.takes(child_at("kid", 1));
    const Millis waited = m.meter().human;
    m.takes(child_at("kid", 2));
    CHECK(m.meter().human == waited + Millis{1'000});
}

TEST_CASE("budget fold: a later opening changes the source only if it changes the limits",
          "[budget]") {
    struct Case {
        const char* name;
        BudgetLimits before;
        SessionAmended amended;
        Origin after;
    };
    const Case cases[] = {
        {"first limits", {}, amended_to(step_limit(5)), Origin::kRequest},
        {"other limits", step_limit(5), amended_to(step_limit(6)), Origin::kMixed},
        {"the same limits", step_limit(5), amended_to(step_limit(5)), Origin::kRequest},
        {"no limits any more", step_limit(5), amended_to({}), Origin::kNone},
        {"accepted from a suggestion", {}, amended_to(step_limit(5), 40), Origin::kSuggested},
        {"a suggestion over limits", step_limit(5), amended_to(step_limit(6), 40),
         Origin::kSuggested},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            Metered m{c.before};
            m.takes(c.amended);
            CHECK(m.meter().source == c.after);
            CHECK(m.meter().limits == c.amended.budget);
        }
    }
}

TEST_CASE("budget fold: limits of an operator are an operator's, and their removal leaves none",
          "[budget]") {
    Metered m{step_limit(5)};
    m.takes(BudgetSet{step_limit(9), "ann", ""});
    CHECK(m.meter().source == Origin::kOperator);
    CHECK(m.meter().limits == step_limit(9));
    m.takes(BudgetSet{});
    CHECK(m.meter().source == Origin::kNone);
    CHECK_FALSE(m.meter().limited());
}

TEST_CASE("budget fold: an extension adds to the limits, a credit of time keeps their source",
          "[budget]") {
    Metered m{time_limit(100)};
    BudgetExtended credit = extended_by(7);
    credit.automatic = true;
    m.takes(credit);
    CHECK(m.meter().limits == time_limit(107));
    CHECK(m.meter().source == Origin::kRequest);
    m.takes(extended_by(30));
    CHECK(m.meter().limits == time_limit(137));
    CHECK(m.meter().source == Origin::kOperator);
}

TEST_CASE("budget fold: extra time of calls ends with the last of them", "[budget]") {
    Metered m{time_limit(100)};
    m.state.open_calls = {OpenCall{"a", "bash", at(0)}, OpenCall{"b", "bash", at(0)}};
    m.takes(extended_by(60, {"a", "b"}));
    CHECK(m.meter().limits == time_limit(100));
    CHECK(m.meter().extended);
    CHECK(m.meter().extension_seconds == 60);
    m.state.open_calls.erase(m.state.open_calls.begin());
    m.takes(Heartbeat{});
    CHECK(m.meter().extended_calls == std::vector<std::string>{"b"});
    CHECK(m.meter().extension_seconds == 60);
    m.state.open_calls.clear();
    m.takes(Heartbeat{});
    CHECK(m.meter().extended_calls.empty());
    CHECK(m.meter().extension_seconds == 0);
    CHECK(m.meter().extended);  // it was given, and is given once
    m.takes(BudgetSet{time_limit(200), "ann", ""});
    CHECK_FALSE(m.meter().extended);  // new limits allow another
}

TEST_CASE("budget fold: each clock gets the time of what the session waited for", "[budget]") {
    Metered m;
    CHECK(m.meter().running == Runs::kModel);
    m.state.open_calls = {OpenCall{"a", "bash", at(0)}};
    m.takes(Heartbeat{});
    CHECK(m.meter().running == Runs::kTool);
    m.state.open_calls.clear();
    m.takes(turned_away_by("rate_limit"));
    CHECK(m.meter().running == Runs::kRateLimit);
    m.state.agent_state = AgentState::kAwaitingPermission;
    m.takes(StateChanged{});
    CHECK(m.meter().running == Runs::kHuman);
    m.takes(Heartbeat{});
    CHECK(m.meter().model == Millis{1'000});
    CHECK(m.meter().tool == Millis{1'000});
    CHECK(m.meter().rate_limit == Millis{1'000});
    CHECK(m.meter().human == Millis{1'000});
    CHECK(m.meter().waited == Millis{1'000});
}

TEST_CASE("budget fold: time before the first event and time that runs back is free", "[budget]") {
    Metered m;
    CHECK(m.meter().model == Millis{0});
    BudgetMeter meter = m.meter();
    Event earlier = beat();
    earlier.at = meter.clock_at - Millis{5'000};
    charge_clock(meter, earlier);
    CHECK(meter == m.meter());
    earlier.at = meter.clock_at;
    charge_clock(meter, earlier);
    CHECK(meter == m.meter());
}

TEST_CASE("budget fold: a credit takes the time in which Headway did not listen off the clock",
          "[budget]") {
    for (const auto& [credited, charged] : {std::pair{0U, 10'000}, std::pair{4'000U, 6'000},
                                            std::pair{10'000U, 0}, std::pair{90'000U, 0}}) {
        CAPTURE(credited);
        BudgetMeter meter = Metered{}.meter();
        BudgetExtended extended;
        extended.credited_ms = credited;
        Event one_event = event(extended);
        one_event.at = meter.clock_at + Millis{10'000};
        charge_clock(meter, one_event);
        CHECK(meter.model == Millis{charged});
        CHECK(meter.clock_at == one_event.at);
    }
}

TEST_CASE("budget fold: what ends the wait for a rate limit", "[budget]") {
    const auto limited_after = [](auto payload) {
        Metered m;
        m.takes(turned_away_by("rate_limit"));
        REQUIRE(m.meter().rate_limited);
        m.takes(std::move(payload));
        return m.meter().rate_limited;
    };
    Heartbeat used;
    used.usage = use_of(5, 0, 0, 0);
    Heartbeat counted;
    counted.iteration = 1;
    ProgressEstimated of_judge;
    of_judge.judge = "local";
    CHECK(limited_after(Heartbeat{}));
    CHECK(limited_after(BudgetSet{}));  // not the agent's
    CHECK(limited_after(of_judge));
    CHECK(limited_after(turned_away_by("overloaded")));
    CHECK_FALSE(limited_after(used));
    CHECK_FALSE(limited_after(counted));
    CHECK_FALSE(limited_after(said_by("assistant", "on")));
    CHECK_FALSE(limited_after(call_with(true, "x")));
    CHECK_FALSE(limited_after(turned_away_by("not_found")));
    CHECK_FALSE(limited_after(ErrorReported{}));
    CHECK_FALSE(limited_after(ProgressEstimated{}));
    CHECK_FALSE(limited_after(ToolStarted{}));
}

TEST_CASE("budget fold: the last words are kept under a budget only", "[budget]") {
    Metered free;
    free.takes(said_by("assistant", "hello")).takes(call_with(true, "1"));
    CHECK(free.meter().last_words.empty());

    Metered m{step_limit(5)};
    m.takes(said_by("user", "no")).takes(said_by("system", "no")).takes(said_by("tool", "no"));
    m.takes(said_by("operator", "no")).takes(said_by("assistant", ""));
    m.takes(call_with(false, "red")).takes(call_with(true, "")).takes(call_with(true, "x"), true);
    CHECK(m.meter().last_words.empty());
    m.takes(said_by("assistant", "hello"));
    CHECK(m.words() == LastWords{"hello", "", "", false, true});
    m.takes(call_with(true, "{}"));
    CHECK(m.words() == LastWords{"hello", "bash", "{}", true, false});
    m.takes(call_with(true, std::string(2'000, '1')));
    CHECK(m.words().result == std::string(limits::kPartialResultBytesMax, '1'));
    CHECK_FALSE(m.words().result_is_json);  // cut JSON is text
}

TEST_CASE("budget fold: a call that had finished before uses nothing", "[budget]") {
    Metered m{step_limit(5)};
    ToolFinished call = call_with(true, "x");
    call.usage = use_of(0, 3, 4, 0.25);
    m.takes(call).takes(call, true);
    CHECK(m.meter().tokens == 7);
    CHECK(m.meter().cost_micros == 250'000);
}

TEST_CASE("budget fold: a new directive replaces the one before, a lower level withdraws it",
          "[budget]") {
    Metered m{step_limit(5)};
    m.state.directives = {Directive{"d1", {}, ""}, Directive{"other", {}, ""}};
    m.takes(told_of("d1", BudgetLevel::kLow));
    CHECK(m.meter().directive == "d1");
    m.state.directives.push_back(Directive{"d2", {}, ""});
    m.takes(told_of("d2", BudgetLevel::kExhausted));
    CHECK(m.meter().stop_sent);  // the reply carries it
    REQUIRE(m.state.directives.size() == 2);
    CHECK(m.state.directives[0].id == "other");
    CHECK(m.state.directives[1].id == "d2");
    BudgetLevelChanged change;
    change.to = BudgetLevel::kCritical;
    m.takes(change);
    CHECK(m.state.directives.size() == 1);
    CHECK(m.meter().directive.empty());
    CHECK(m.meter().told_level == BudgetLevel::kNominal);
    CHECK_FALSE(m.meter().stop_sent);
}

TEST_CASE("budget fold: a stop that no reply carried is delivered with the next report",
          "[budget]") {
    Metered m{step_limit(5)};
    DirectiveIssued stop = told_of("d1", BudgetLevel::kExhausted);
    stop.unasked = true;
    m.takes(stop);
    CHECK_FALSE(m.meter().stop_sent);
    m.takes(BudgetUpdated{});  // not the agent's
    CHECK_FALSE(m.meter().stop_sent);
    m.takes(Heartbeat{});
    CHECK(m.meter().stop_sent);
}

TEST_CASE("budget fold: of the budget of an ancestor one directive is in force", "[budget]") {
    Metered m{step_limit(5)};
    m.state.directives = {Directive{"own", {}, ""}, Directive{"p1", {}, ""}};
    m.takes(told_of("own", BudgetLevel::kLow)).takes(told_of("p1", BudgetLevel::kLow, "root"));
    m.state.directives.push_back(Directive{"p2", {}, ""});
    m.takes(told_of("p2", BudgetLevel::kCritical, "root"));
    CHECK(*m.meter().parent == ParentBudget{"root", "p2", BudgetLevel::kCritical});
    REQUIRE(m.state.directives.size() == 2);
    CHECK(m.state.directives[0].id == "own");
    CHECK(m.meter().directive == "own");
    DirectiveIssued unrelated;
    unrelated.id = "x";
    m.takes(unrelated);
    CHECK(m.meter().directive == "own");
}

TEST_CASE("budget fold: totals of a child replace its last ones, and stay after its end",
          "[budget]") {
    Metered m;
    m.takes(child_at("a", 2)).takes(child_at("b", 1)).takes(child_at("a", 3));
    REQUIRE(m.meter().children.size() == 2);
    CHECK(m.meter().children.back() ==
          ChildUse{child_key("a"), {3, 30, 500'000, {}}, BudgetLevel::kLow, {}});
    m.takes(child_at("a", 4, true)).takes(child_at("never seen", 5, true));
    CHECK(m.meter().children.size() == 1);
    CHECK(*m.meter().ended_children == BudgetUse{9, 90, 1'000'000, {}});
    CHECK(m.meter().ended_count == 2);
}

TEST_CASE("budget fold: the child that was quiet for longest gives its place, and its use stays",
          "[budget]") {
    Metered m;
    for (std::size_t i = 0; i < limits::kChildrenMax; ++i)
        m.takes(child_at("c" + std::to_string(i), 1));
    m.takes(child_at("c0", 2));
    CHECK(m.meter().evicted->count == 0);
    m.takes(child_at("late", 1));
    CHECK(m.meter().children.size() == limits::kChildrenMax);
    CHECK(m.meter().evicted->count == 1);
    CHECK(m.meter().ended_children->steps == 1);
    CHECK(m.meter().ended_count == 0);
    CHECK(m.meter().children.front().child == child_key("c2"));
    CHECK(m.meter().children.back().child == child_key("late"));
    m.takes(child_at("c0", 2, true)).takes(child_at("later", 1));
    CHECK(m.meter().evicted->count == 1);
}

TEST_CASE("budget fold: the use of a child that gave its place counts once when it reports again",
          "[budget]") {
    Metered m;
    constexpr std::size_t kOpen = limits::kChildrenMax + 88;
    const auto used = [&m] {
        BudgetUse all = *m.meter().ended_children;
        for (const ChildUse& child : m.meter().children)
            all = added(all, child.use);
        return all;
    };
    for (std::uint64_t lap = 1; lap <= 4; ++lap) {
        for (std::size_t i = 0; i < kOpen; ++i) {
            ChildProgress child = child_at("c" + std::to_string(i), lap);
            child.of_hooks = true;
            m.takes(child);
        }
        CHECK(used().steps == lap * kOpen);
        CHECK(used().tokens == 10 * lap * kOpen);
        CHECK(used().cost_micros == 500'000 * kOpen);
        CHECK(m.meter().hook_children->tokens == 10 * lap * kOpen);
    }
    for (std::size_t i = 0; i < kOpen; ++i)
        m.takes(child_at("c" + std::to_string(i), 5, true));
    CHECK(used().steps == 5 * kOpen);
    CHECK(m.meter().ended_count == kOpen);
    CHECK(m.meter().children.empty());
}

TEST_CASE("budget fold: a session that accepts a suggestion keeps its source in a replay",
          "[budget]") {
    Session session{"story"};
    std::vector<headway::core::Event> events;
    SessionStarted implicit;
    implicit.implicit = true;
    session.open(implicit, {}, context(0), events);
    SessionStarted again;
    again.budget = step_limit(40);
    again.budget_source = Origin::kSuggested;
    again.suggested_from = 25;
    require_ok(session.amend(again, {}, context(1'000), events));
    CHECK(session.state().budget.source == Origin::kSuggested);
    CHECK(session.state().budget.limits == step_limit(40));
    CHECK(folded(events) == session.state());
}

TEST_CASE("budget fold: a sum below its parts does not hide them", "[core][budget]") {
    Usage usage;
    usage.tokens = 1;
    usage.input_tokens = 100;
    usage.output_tokens = 20;
    usage.cached_tokens = 3;
    usage.cache_write_tokens = 4;
    usage.reasoning_tokens = 5;
    CHECK(tokens_of(usage) == 132);
    usage.tokens = 200;  // of which some have no part
    CHECK(tokens_of(usage) == 200);
    usage.tokens = UINT64_MAX;
    CHECK(tokens_of(usage) == kBudgetCountMax);
    usage.input_tokens = UINT64_MAX;
    usage.tokens = 0;
    CHECK(tokens_of(usage) == kBudgetCountMax);
}

namespace {

/// Reports a usage by `channel`, as the daemon does; returns the tokens that it adds.
std::uint64_t add_by(Metered& m, Channel channel, std::uint64_t tokens,
                     std::optional<double> cost = {}) {
    Heartbeat beat;
    beat.usage.emplace();
    beat.usage->channel = channel;
    beat.usage->output_tokens = tokens;
    beat.usage->cost_usd = cost;
    ChannelUse all = channel_use(m.state);
    leave_out_known(all, *beat.usage);
    const std::uint64_t added = tokens_of(*beat.usage);
    m.takes(std::move(beat));
    CHECK(all.agent_tokens >= m.meter().channels->agent_tokens);
    CHECK(all.telemetry_tokens == m.meter().channels->telemetry_tokens);
    return added;
}

}  // namespace

TEST_CASE("budget fold: of what hooks and telemetry report the larger sum counts",
          "[core][budget]") {
    Metered m;
    CHECK(add_by(m, Channel::kAgent, 100) == 100);
    CHECK(add_by(m, Channel::kTelemetry, 100, 0.5) == 0);
    CHECK(add_by(m, Channel::kTelemetry, 60, 0.5) == 60);
    CHECK(add_by(m, Channel::kAgent, 80, 0.25) == 20);
    CHECK(add_by(m, Channel::kReport, 7) == 7);  // of a client, beside both
    CHECK(m.meter().tokens == 187);
    CHECK(m.meter().parts->output == 187);
    CHECK(m.meter().cost_micros == 1'000'000);
    CHECK(add_by(m, Channel::kAgent, 0, 1.0) == 0);
    CHECK(m.meter().cost_micros == 1'250'000);
}

TEST_CASE("budget fold: telemetry beside hooks has the use of sub-agents, too", "[core][budget]") {
    for (const bool hooks : {true, false}) {
        CAPTURE(hooks);
        Metered m;
        if (hooks) m.state.about.adapters = {"claude"};
        ChildProgress child;
        child.child = "s.a";
        child.tokens = 50;
        child.cost_usd = 0.5;
        child.of_hooks = true;  // telemetry has the use of no other child
        m.takes(child);
        CHECK(add_by(m, Channel::kAgent, 100) == 100);
        CHECK(add_by(m, Channel::kTelemetry, 150, 2.0) == (hooks ? 0 : 50));
        CHECK(m.meter().cost_micros == (hooks ? 1'500'000 : 2'000'000));
        CHECK(add_by(m, Channel::kTelemetry, 10) == 10);
    }
}

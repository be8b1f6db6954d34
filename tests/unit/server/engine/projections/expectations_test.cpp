// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/expectations.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "server/engine/commands/session_commands.hpp"
#include "server/engine/queries/queries.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

OpenCommand open_as(const std::string& id, std::optional<Complexity> complexity = {},
                    bool suggested = false) {
    OpenCommand command;
    command.session = id;
    command.about.agent.type = "coder";
    command.about.complexity = complexity;
    command.suggested = suggested;
    return command;
}

Event call(const std::string& id, std::uint64_t duration_ms, const std::string& tool = "bash") {
    ToolFinished data;
    data.call_id = id;
    data.tool = tool;
    data.duration_ms = duration_ms;
    return event(std::move(data));
}

Document expectations_in(Result<Answer> what) {
    require_ok(what);
    return Document::parse(std::get<BodyReply>(*what).body);
}

Document expected(Supervised& s, std::optional<Complexity> complexity = {}) {
    return expectations_in(s.ask(ExpectationQuery{"coder", complexity}))["expectations"][0];
}

/// Sessions that took so many steps, each with a call.
void live(Supervised& s, const std::string& name, int count, std::uint64_t steps,
          std::uint64_t call_ms, Outcome outcome = Outcome::kCompleted,
          std::optional<Complexity> complexity = {}) {
    for (int i = 0; i < count; ++i) {
        const std::string id = name + std::to_string(i);
        (void)s.ask(open_as(id, complexity));
        (void)s.report(id, {beat_of_iteration(steps), call("c", call_ms)});
        (void)s.report(id, {ended(outcome)});
    }
}

}  // namespace

TEST_CASE("engine expectations: twenty ended sessions teach use and durations", "[server]") {
    Supervised s;
    live(s, "a", 19, 12, 2000);
    CHECK(expected(s)["seconds"].is_null());
    CHECK(expected(s)["suggested"].is_null());
    CHECK(expected(s)["reason"].get<std::string>().starts_with("too few sessions: 19"));
    CHECK(expected(s)["tools"][0]["ms"].is_null());
    live(s, "b", 1, 12, 2000);
    const Document known = expected(s);
    CHECK(known["sessions"] == 20);
    CHECK(known["steps"] == Document::parse(R"({"p50":12,"p90":12,"p95":12})"));
    CHECK(known["suggested"]["budget"]["max_steps"] == 15);
    CHECK(known["suggested"]["basis"] == "agent");
    CHECK(known["tools"][0]["tool"] == "bash");
    CHECK(known["tools"][0]["sessions"] == 20);
    CHECK(known["tools"][0]["ms"]["p50"] == value_of_bucket(bucket_of(2000)));
    CHECK_FALSE(known.contains("reason"));
    const Document all = expectations_in(s.ask(ExpectationQuery{}));
    CHECK(all["expectations"].size() == 1);
    CHECK_FALSE(all["expectations"][0].contains("tools"));
    CHECK(expectations_in(s.ask(
              ExpectationQuery{std::string(400, 'x'), Complexity::kLow}))["complexity"] == "low");
}

TEST_CASE("engine expectations: they outlive a restart, the calls of a running session do not",
          "[server]") {
    Supervised s;
    live(s, "a", 19, 12, 2000);
    (void)s.ask(open_as("last"));
    (void)s.report("last", {beat_of_iteration(12), call("c", 2000)});
    s.restart();
    (void)s.report("last", {ended(Outcome::kCompleted)});
    CHECK(expected(s)["sessions"] == 20);
    CHECK(expected(s)["tools"][0]["sessions"] == 19);
}

TEST_CASE("engine expectations: a failed session teaches its calls, a failed commit nothing",
          "[server]") {
    Supervised s;
    live(s, "a", 3, 12, 2000, Outcome::kFailed);
    CHECK(expected(s)["sessions"] == 0);
    CHECK(expected(s)["tools"][0]["sessions"] == 3);
    (void)s.ask(open_as("last"));
    s.store().fail(FailingStore::Step::kCommit);
    CHECK_FALSE(s.ask(ReportCommand{"last", {call("c", 5), ended(Outcome::kCompleted)}}));
    s.store().fail(FailingStore::Step::kNone);
    CHECK(expected(s)["sessions"] == 0);
    CHECK(expected(s)["tools"][0]["sessions"] == 3);
}

TEST_CASE("engine expectations: an accepted suggestion is numbers of the opening's event",
          "[server]") {
    Supervised s;
    (void)s.ask(open_as("early", Complexity::kLow, true));
    const auto early = all_of_type<SessionStarted>(s.journal("early"));
    CHECK(early[0].budget == BudgetLimits{});
    CHECK(early[0].complexity == Complexity::kLow);
    CHECK_FALSE(early[0].suggested_from.has_value());
    live(s, "a", 20, 40, 2000);
    OpenCommand opening = open_as("now", Complexity::kHigh, true);
    opening.about.budget.timeout_seconds = 700;
    const Document document = expectations_in(s.ask(opening));
    CHECK(document["budget"]["max_steps"].get<int>() >= 80);
    CHECK(document["budget"]["timeout_seconds"] == 700);
    CHECK(document["budget_source"] == "suggested");
    CHECK(document["complexity"] == "high");
    const auto started = all_of_type<SessionStarted>(s.journal("now"));
    CHECK(started[0].suggested_from == 20);
    const std::uint64_t steps = *started[0].budget.max_steps;
    live(s, "b", 60, 6, 2000);
    CHECK(expectations_in(s.ask(SessionQuery{"now"}))["budget"]["max_steps"] == steps);
    CHECK(expectations_in(s.ask(opening))["n"] == 1);  // the same opening again
    opening.about.complexity = Complexity::kLow;
    const auto differs = s.ask(opening);
    REQUIRE_FALSE(differs.has_value());
    CHECK(differs.error().field == "/complexity");
    s.restart();
    CHECK(expectations_in(s.ask(SessionQuery{"now"}))["budget"]["max_steps"] == steps);
}

TEST_CASE("engine expectations: sessions of the same complexity teach their own", "[server]") {
    Supervised s;
    live(s, "a", 20, 10, 2000, Outcome::kCompleted, Complexity::kLow);
    live(s, "b", 20, 100, 2000, Outcome::kCompleted, Complexity::kHigh);
    const Document low = expected(s, Complexity::kLow)["suggested"];
    CHECK(low["basis"] == "complexity");
    CHECK(low["sessions"] == 20);
    CHECK(low["budget"]["max_steps"] == 13);
    CHECK(expected(s, Complexity::kHigh)["suggested"]["budget"]["max_steps"].get<int>() > 100);
    CHECK(expected(s, Complexity::kMedium)["suggested"]["basis"] == "agent");
}

TEST_CASE("engine expectations: a session that a report opened tightens its limits only",
          "[server]") {
    EngineSettings settings;
    settings.budget.defaults = step_limit(14);
    Supervised s{settings};
    live(s, "a", 20, 10, 2000);
    (void)s.report("late", {beat()});
    (void)s.ask(open_as("late", {}, true));
    const auto amended = all_of_type<SessionAmended>(s.journal("late"));
    REQUIRE(amended.size() == 1);
    CHECK(amended[0].budget.max_steps == 13);
    CHECK(amended[0].suggested_from == 20);
    CHECK(expectations_in(s.ask(SessionQuery{"late"}))["budget_source"] == "suggested");
}

TEST_CASE("engine expectations: documents show what is expected of calls in flight", "[server]") {
    Supervised s;
    live(s, "a", 20, 10, 2000);
    (void)s.ask(open_as("now"));
    (void)s.report("now", {tool_started("c1"), tool_started("c2", "rare")});
    const Document calls = expectations_in(s.ask(SessionQuery{"now"}))["in_flight"];
    const std::uint64_t usual = value_of_bucket(bucket_of(2000));
    CHECK(calls[0]["expected"] ==
          Document({{"p50_ms", usual}, {"p95_ms", usual}, {"sessions", 20}}));
    CHECK_FALSE(calls[1].contains("expected"));
}

TEST_CASE("engine expectations: the prompt near the end of a budget has the usual times",
          "[server]") {
    Supervised s;
    live(s, "a", 20, 10, 2000);
    OpenCommand opening = open_as("now");
    opening.about.budget = step_limit(20);
    (void)s.ask(opening);
    const auto line = "\nUsual Tool Time: bash 2 s (p95 2 s)\nStatus: ";
    const auto prompt = [&s] {
        return expectations_in(s.ask(BudgetQuery{"now"}))["budget"]["prompt"].get<std::string>();
    };
    CHECK(s.report("now", {call("c", 9), beat_of_iteration(10)}).usual_calls.empty());
    CHECK(prompt().find("Usual") == std::string::npos);
    CHECK(s.report("now", {beat_of_iteration(15)}).usual_calls == "bash 2 s (p95 2 s)");
    CHECK(prompt().find(line) != std::string::npos);
    CHECK(expectations_in(s.ask(SessionQuery{"now"}))["budget"]["prompt"] == prompt());
    opening.session = "other";
    (void)s.ask(opening);
    CHECK(s.report("other", {call("c", 9, "read"), beat_of_iteration(15)}).usual_calls.empty());
    for (const DirectiveIssued& issued : all_of_type<DirectiveIssued>(s.journal("now")))
        CHECK(issued.reason.find("Usual") == std::string::npos);
}

TEST_CASE("engine expectations: one session of false durations does not move those of others",
          "[server]") {
    Supervised s;
    live(s, "a", 25, 10, 2000);
    (void)s.ask(open_as("liar"));
    std::vector<Event> lies;
    for (int i = 0; i < 900; ++i)
        lies.push_back(call("c" + std::to_string(i), 1'000'000'000));
    lies.push_back(ended(Outcome::kCompleted));
    (void)s.report("liar", std::move(lies));
    const Document ms = expected(s)["tools"][0]["ms"];
    CHECK(ms["p95"] == value_of_bucket(bucket_of(2000)));
}

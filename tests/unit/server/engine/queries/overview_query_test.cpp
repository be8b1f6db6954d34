// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

Document overview_in(Supervised& s, headway::tests::Command query) {
    const auto what = s.ask(std::move(query));
    require_ok(what);
    return Document::parse(std::get<BodyReply>(*what).body);
}

Document overview(Supervised& s) {
    return overview_in(s, OverviewQuery{});
}

void ask_approval(Supervised& s, const std::string& session, std::string tool) {
    AskCommand command;
    command.session = session;
    command.asked.tool = std::move(tool);
    require_ok(s.ask(std::move(command)));
}

}  // namespace

TEST_CASE("overview: counts open sessions by verdict, also after a restart", "[server]") {
    Supervised s;
    (void)s.report("a", {beat()});
    (void)s.report("b", {tool_finished("c1")});
    (void)s.report("c", {beat(), ended(Outcome::kCompleted)});
    const Document expected = Document::parse(R"({"starting":1,"progressing":1})");
    CHECK(overview(s)["counts"] == expected);
    s.restart();
    CHECK(overview(s)["counts"] == expected);
    CHECK(overview(s)["open"] == 2);
    CHECK(overview(s)["cursor"] == s.sqlite().head());
}

TEST_CASE("overview: counts of the last minutes are those at their ends", "[server]") {
    const auto minute = std::chrono::minutes{1};
    const Timestamp begin{minute * 1000};
    Supervised s{{}, begin + std::chrono::seconds{20}};
    const auto past = [&s](std::size_t minutes) {
        return overview_in(s, OverviewQuery{minutes})["past"];
    };
    (void)s.report("a", {tool_finished("c1")});
    CHECK(past(60)["minutes"].empty());
    CHECK_FALSE(overview(s).contains("past"));
    s.clock().advance_to(begin + minute);
    (void)s.report("b", {tool_finished("c1")});
    (void)s.report("a", {ended(Outcome::kCompleted)});
    s.clock().advance_to(begin + 3 * minute);
    (void)s.report("b", {ended(Outcome::kCompleted)});
    s.clock().advance_to(begin + 4 * minute + std::chrono::seconds{1});
    const Document one = Document::parse(R"({"progressing":1})");
    CHECK(past(60) == Document{{"until", "1970-01-01T16:44:00.000Z"},
                               {"minutes", {one, one, one, Document::object()}}});
    CHECK(past(1)["minutes"] == Document::array({Document::object()}));
}

TEST_CASE("overview: no more than an hour is remembered, and none of the time before a restart",
          "[server]") {
    Supervised s{{}, Timestamp{std::chrono::hours{100}}};
    (void)s.report("a", {tool_finished("c1")});
    s.clock().advance_to(Timestamp{std::chrono::hours{102}});
    CHECK(overview_in(s, OverviewQuery{60})["past"]["minutes"].size() == 60);
    s.restart();
    CHECK(overview_in(s, OverviewQuery{60})["past"]["minutes"].empty());
}

TEST_CASE("overview: an approval is one entry, and its blocked session none", "[server]") {
    Supervised s;
    ask_approval(s, "a", "deploy");
    ask_approval(s, "a", "delete");
    const Document shown = overview(s);
    REQUIRE(shown["needs_you"].size() == 2);
    CHECK(shown["needs_you_total"] == 2);
    CHECK(shown["needs_you"][0]["reason"] == "asks to run deploy");
    CHECK(shown["needs_you"][1]["reason"] == "asks to run delete");
    CHECK(shown["counts"] == Document{{"blocked", 1}});
    (void)s.report("a", {ended(Outcome::kCompleted)});
    CHECK(overview(s)["needs_you"].empty());
    CHECK(overview(s)["needs_you_total"] == 0);
}

TEST_CASE("overview: a session whose budget is nearly used is there, until it has more",
          "[server]") {
    Supervised s;
    OpenCommand open;
    open.session = "a";
    open.about.goal.kept = "count";
    open.about.budget.max_steps = 10;
    require_ok(s.ask(open));
    Heartbeat ninth;
    ninth.iteration = 9;
    (void)s.report("a", {event(ninth)});
    const Document shown = overview(s);
    REQUIRE(shown["needs_you"].size() == 1);
    CHECK(shown["needs_you"][0]["kind"] == "over_budget");
    CHECK(shown["needs_you"][0]["goal"] == "count");
    CHECK(shown["needs_you"][0]["reason"] == "90 % of its steps are used");
    BudgetCommand more;
    more.session = "a";
    more.change.limits.max_steps = 100;
    require_ok(s.ask(more));
    CHECK(overview(s)["needs_you"].empty());
}

TEST_CASE("overview: the most urgent comes first, of equals the oldest", "[server]") {
    Supervised s;
    const auto next_millisecond = [&s] {
        const Timestamp now = s.clock().now();
        while (s.clock().now() == now) {
        }
    };
    ask_approval(s, "first", "deploy");
    next_millisecond();
    StateChanged asks;
    asks.state = AgentState::kAwaitingPermission;
    (void)s.report("second", {event(asks)});
    next_millisecond();
    ask_approval(s, "third", "deploy");
    const Document shown = overview(s)["needs_you"];
    REQUIRE(shown.size() == 3);
    CHECK(shown[0]["session"] == "first");
    CHECK(shown[1]["session"] == "third");
    CHECK(shown[2]["session"] == "second");
    CHECK(shown[2]["kind"] == "blocked");
    CHECK(shown[2]["certain"] == true);
    CHECK(overview(s)["approvals_pending"] == 2);
}

TEST_CASE("overview: a session over its budget stands before more blocked ones than are shown",
          "[server]") {
    Supervised s;
    StateChanged asks;
    asks.state = AgentState::kAwaitingPermission;
    for (std::size_t i = 0; i <= limits::kNeedsShownMax; ++i)
        (void)s.report("s" + std::to_string(i), {event(asks)});
    OpenCommand open;
    open.session = "last";
    open.about.budget.max_steps = 10;
    require_ok(s.ask(open));
    Heartbeat ninth;
    ninth.iteration = 9;
    (void)s.report("last", {event(ninth)});
    const Document shown = overview(s);
    CHECK(shown["needs_you"].size() == limits::kNeedsShownMax);
    CHECK(shown["needs_you"][0]["session"] == "last");
    CHECK(shown["needs_you_total"] == limits::kNeedsShownMax + 2);
}

TEST_CASE("overview: an approval of critical risk stands before more others than are shown",
          "[server]") {
    Supervised s;
    const std::size_t sessions = 5 * limits::kNeedsShownMax / limits::kApprovalsAskedMax + 1;
    for (std::size_t i = 0; i < sessions; ++i) {
        for (std::size_t j = 0; j < limits::kApprovalsAskedMax; ++j) {
            AskCommand other;
            other.session = "s" + std::to_string(i);
            other.asked.tool = "t" + std::to_string(j);
            other.asked.risk = i % 2 == 0 ? Risk::kHigh : Risk::kLow;
            require_ok(s.ask(std::move(other)));
        }
    }
    AskCommand critical;
    critical.session = "last";
    critical.asked.tool = "drop";
    critical.asked.risk = Risk::kCritical;
    require_ok(s.ask(std::move(critical)));
    const Document shown = overview(s);
    CHECK(shown["needs_you"].size() == limits::kNeedsShownMax);
    CHECK(shown["needs_you"][0]["session"] == "last");
    CHECK(shown["approvals_pending"] == sessions * limits::kApprovalsAskedMax + 1);
}

TEST_CASE("overview: at most so many needs are shown, all are counted", "[server]") {
    Supervised s;
    const std::size_t sessions = limits::kNeedsShownMax / limits::kApprovalsAskedMax + 1;
    for (std::size_t i = 0; i < sessions; ++i) {
        for (std::size_t j = 0; j < limits::kApprovalsAskedMax; ++j)
            ask_approval(s, "s" + std::to_string(i), "t" + std::to_string(j));
    }
    const Document shown = overview(s);
    CHECK(shown["needs_you"].size() == limits::kNeedsShownMax);
    CHECK(shown["needs_you_total"] == sessions * limits::kApprovalsAskedMax);
    CHECK(shown["needs_you"][0]["approval"].get<std::string>().starts_with("s0.a"));
}

TEST_CASE("overview: an alarm comes first, outlives end and restart, and goes when acknowledged",
          "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"deploy"};
    Supervised s{settings};
    ask_approval(s, "older", "delete");
    (void)s.report("a", {beat()});
    ToolFinished ran;
    ran.tool = "deploy";
    (void)s.report("a", {event(ran)});
    const auto expect_alarm = [&] {
        const Document shown = overview(s);
        CHECK(shown["alarm"] == "executed_unapproved");
        CHECK(shown["alarms"] == 1);
        CHECK(shown["needs_you_total"] == 2);
        REQUIRE(shown["needs_you"].size() == 2);
        CHECK(shown["needs_you"][0]["kind"] == "alarm");
        CHECK(shown["needs_you"][0]["session"] == "a");
        CHECK(shown["needs_you"][0]["reason_code"] == "executed_unapproved");
        CHECK(shown["needs_you"][1]["kind"] == "approval");
    };
    expect_alarm();
    (void)s.report("a", {acknowledged("d1"), message("user"), tool_finished("c1")});
    expect_alarm();
    (void)s.report("a", {ended(Outcome::kCompleted)});
    expect_alarm();
    s.restart();
    expect_alarm();
    const Document alarms = overview_in(s, SessionQuery{"a"})["alarms"];
    REQUIRE(alarms.size() == 1);
    CHECK(alarms[0]["tool"] == "deploy");
    CHECK(alarms[0]["approval_id"].is_null());

    AcknowledgeCommand seen;
    seen.session = "a";
    seen.body.n = alarms[0]["n"].get<std::uint64_t>() + 1;
    CHECK(code_of(s.ask(seen)) == ErrorCode::kInvalidField);
    seen.body = {alarms[0]["n"].get<std::uint64_t>(), {}, "ann", "seen"};
    const Document after = overview_in(s, seen);
    CHECK(after["alarms"].empty());
    CHECK(after["outcome"] == "completed");
    CHECK(overview(s)["needs_you_total"] == 1);
    CHECK(overview(s)["alarm"].is_null());
    s.restart();
    CHECK(overview(s)["alarms"] == 0);
    const auto uses = s.sqlite().history().list_uses({}, 10);
    CHECK(uses->size() == 1);  // the end is counted once
}

TEST_CASE("overview: a list of rows, filtered and counted", "[server]") {
    Supervised s;
    for (const char* id : {"a", "b", "c"})
        (void)s.report(id, {beat()});
    ListQuery query;
    query.rows = true;
    query.limit = 2;
    const Document page = overview_in(s, query);
    CHECK(page["total"] == 3);
    CHECK(page["sessions"].size() == 2);
    CHECK(page["sessions"][0]["id"] == "c");
    CHECK(page["sessions"][0]["status"] == "starting");
    CHECK(page["sessions"][0].count("verdict") == 0);
    query.before = std::stoll(page["next"].get<std::string>());
    const Document rest = overview_in(s, query);
    CHECK(rest["sessions"].size() == 1);
    CHECK(rest["next"].is_null());
    query.before = INT64_MAX;
    query.filter.text = "B";
    CHECK(overview_in(s, query)["total"] == 1);
}

TEST_CASE("overview: a report that changes no verdict does not write the index", "[server]") {
    Supervised s;
    (void)s.report("a", {tool_finished("c1")});
    const int before = s.store().indexed();
    (void)s.report("a", {beat()});
    (void)s.report("a", {tool_finished("c2")});
    CHECK(s.store().indexed() == before);
    (void)s.report("a", {ended(Outcome::kCompleted)});
    CHECK(s.store().indexed() == before + 1);
}

TEST_CASE("overview: when the index cannot be written nothing is", "[server]") {
    Supervised s;
    s.store().fail(FailingStore::Step::kIndex);
    CHECK(code_of(s.ask(ReportCommand{"a", {beat()}, false, {}})) == ErrorCode::kStorageFull);
    s.store().fail(FailingStore::Step::kNone);
    CHECK(overview(s)["open"] == 0);
    (void)s.report("a", {beat()});
    CHECK(overview(s)["open"] == 1);
}

TEST_CASE("engine: a session that is damaged on the disk is refused alone", "[server]") {
    Supervised s{{}, at(0)};
    (void)s.report("sound", {tool_finished("c")});
    (void)s.report("damaged", {tool_finished("c")});
    s.queue().close();
    s.engine().run();  // saves both
    s.restart();
    (void)s.report("sound", {beat()});
    s.store().fail(FailingStore::Step::kLoad, ErrorCode::kStorageCorrupt);  // of the other

    auto replies = s.turn({ReportCommand{"damaged", {beat()}, true, {}},
                           ReportCommand{"sound", {beat()}, true, {}}, SessionQuery{"damaged"}});
    REQUIRE(replies.size() == 3);
    std::sort(replies.begin(), replies.end(),
              [](const auto& a, const auto& b) { return a.to.slot < b.to.slot; });
    CHECK(code_of(replies[0].what) == ErrorCode::kInternal);
    CHECK(replies[0].what.error().detail ==
          "session 'damaged' is damaged on the disk (the test says so); stop headway and run "
          "`headway doctor --repair`");
    require_ok(replies[1].what);
    CHECK(code_of(replies[2].what) == ErrorCode::kInternal);

    const Document listed = overview_in(s, ListQuery{});
    REQUIRE(listed["sessions"].size() == 1);
    CHECK(listed["sessions"][0]["id"] == "sound");

    for (int second = 1; second < 60; ++second) {  // one jump would be credited to them
        s.clock().advance_to(at(second * 1'000));
        (void)s.turn({});
    }
    CHECK(overview(s)["counts"] == Document{{"silent", 1}, {"progressing", 1}});
    REQUIRE(s.log.size() == 1);
    CHECK(s.log[0].find("is damaged on the disk") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
#include "api/encode/system/encode_overview.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

const ReadingTime kReading{at(60'000), at(0)};

Document row(SessionState state) {
    std::string out;
    append_row(out, Session{"s1", std::move(state)}, kReading);
    return Document::parse(out);
}

SessionState stuck() {
    SessionState state;
    state.judgement.change().verdict = Verdict::kStuck;
    state.judgement.change().reason = "the same call 5 times";
    state.about.goal.kept = "fix it";
    return state;
}

}  // namespace

TEST_CASE("row: of a session of which little is known", "[api]") {
    SessionState state;
    state.asked_interval = Millis{10'000};
    CHECK(row(state) == Document::parse(R"({"id":"s1","n":0,"status":"starting","since":null,
        "reason":"","state":null,"phase":null,"iteration":null,"opened_at":null,"ended_at":null,
        "outcome":null,"last_beat_at":null,"alive":false,"next_heartbeat_ms":10000,
        "last_action":null,"goal":null,"agent":{},"parent":null,"labels":{},
        "used":{"tokens":0,"cost_usd":null},"budget":null,
        "approvals_pending":0,"estimate":null,"alarm":null,"activity":"",
        "quiet_rounds":0})"));
}

TEST_CASE("row: a wait that needs a person says so, and no other", "[api]") {
    SessionState state = stuck();
    CHECK_FALSE(row(state).contains("needs_somebody"));
    state.judgement.change().verdict = Verdict::kWaiting;
    state.judgement.change().needs_somebody = true;
    CHECK(row(state)["needs_somebody"] == true);
}

TEST_CASE("row: of one of which much is known", "[api]") {
    Story story;
    ToolStarted call;
    call.call_id = "c1";
    call.tool = "bash";
    call.target = "make test";
    story.report(event(call), 59'000);
    SessionState state = story.session.state();
    state.about.agent.type = "coder";
    state.about.labels = {{"team", "red"}};
    state.about.parent = "root";
    state.about.goal.kept = std::string(300, 'g');
    state.phase = "execution";
    state.budget.limits.max_steps = 2;
    const Document shown = row(state);
    CHECK(shown["last_action"]["text"] == "bash: make test");
    CHECK(shown["last_action"]["at"].is_string());
    CHECK(shown["agent"] == Document{{"type", "coder"}});
    CHECK(shown["labels"] == Document{{"team", "red"}});
    CHECK(shown["parent"] == "root");
    CHECK(shown["phase"] == "execution");
    CHECK(shown["goal"] == std::string(limits::kGoalLineBytesMax, 'g'));
    CHECK(shown["alive"] == true);
    CHECK(shown["activity"] == ".");
    CHECK(shown["budget"] ==
          Document::parse(R"({"level":"nominal","pressure":50.0,"dimension":"steps"})"));
}

TEST_CASE("overview: counts and needs as JSON", "[api]") {
    Overview overview;
    overview.cursor = 7;
    overview.counts[static_cast<std::size_t>(Verdict::kStuck)] = 2;
    overview.counts[static_cast<std::size_t>(Verdict::kSlow)] = 1;
    Approval asked;
    asked.n = 4;
    asked.tool = "deploy";
    asked.risk = Risk::kHigh;
    overview.needs = {need_of("a", asked), need_of(Session{"b", stuck()}, at(0), false, kReading)};
    overview.needs_total = 5;
    std::string out;
    append_overview(out, overview);
    const Document shown = Document::parse(out);
    CHECK(shown["cursor"] == 7);
    CHECK(shown["open"] == 3);
    CHECK(shown["counts"] == Document::parse(R"({"stuck":2,"slow":1})"));
    CHECK(shown["needs_you_total"] == 5);
    CHECK(shown["needs_you"][0] == Document::parse(
                                       R"({"kind":"approval","session":"a","goal":null,
        "since":null,"reason":"asks to run deploy","reason_code":null,"certain":true,"approval":"a.a4",
        "risk":"high","estimate":null})"));
    CHECK(shown["needs_you"][1]["kind"] == "stuck");
    CHECK(shown["needs_you"][1]["goal"] == "fix it");
    CHECK(shown["needs_you"][1]["reason"] == "the same call 5 times");
    CHECK(shown["needs_you"][1]["approval"].is_null());
    CHECK(shown["needs_you"][1]["risk"].is_null());
}

TEST_CASE("overview: an alarm says what happened, how often, and what to look at", "[api]") {
    SessionState state;
    state.about.goal.kept = "ship";
    state.approvals.alarms = {
        {ApprovalAlarmKind::kNeverExecuted, 2, "bash", at(1), 5, 1, {}},
        {ApprovalAlarmKind::kExecutedThoughRejected, 7, "deploy", at(9), 9, 3, {}}};
    Overview overview;
    overview.alarm = ApprovalAlarmKind::kExecutedThoughRejected;
    overview.alarms = 1;
    overview.needs = {need_of_alarm(Session{"a", state})};
    std::string out;
    append_overview(out, overview);
    const Document shown = Document::parse(out);
    CHECK(shown["alarm"] == "executed_though_rejected");
    CHECK(shown["alarms"] == 1);
    const Document& need = shown["needs_you"][0];
    CHECK(need["kind"] == "alarm");
    CHECK(need["reason_code"] == "executed_though_rejected");
    CHECK(need["reason"] == "deploy ran although it was rejected, 3 times; and 1 more");
    CHECK(need["approval"] == "a.a7");
    CHECK(need["certain"] == true);
    CHECK(need["goal"] == "ship");
    CHECK(row(state)["alarm"] == "executed_though_rejected");
}

TEST_CASE("overview: too many sub-agents are a kind of their own, with their figures", "[api]") {
    SessionState state;
    state.approvals.alarms = {
        {ApprovalAlarmKind::kFanOut, 0, "", at(1), 5, 1, "17 sub-agents at once, more than 16"}};
    Overview overview;
    overview.needs = {need_of_alarm(Session{"a", state})};
    std::string out;
    append_overview(out, overview);
    const Document shown = Document::parse(out);
    const Document& need = shown["needs_you"][0];
    CHECK(need["kind"] == "fan_out");
    CHECK(need["reason_code"] == "fan_out");
    CHECK(need["reason"] == "17 sub-agents at once, more than 16");
    CHECK(need["certain"] == true);
    CHECK(need["approval"].is_null());
    CHECK(row(state)["alarm"] == "fan_out");
}

TEST_CASE("overview: a need is certain if it was reported or counted", "[api]") {
    SessionState state = stuck();
    const auto need = [&](bool over_budget = false) {
        return need_of(Session{"a", state}, at(0), over_budget, kReading);
    };
    CHECK_FALSE(need().certain);
    state.judgement.change().verdict = Verdict::kSilent;
    CHECK(need().kind == NeedKind::kSilent);
    CHECK_FALSE(need().certain);
    state.judgement.change().verdict = Verdict::kBlocked;
    CHECK(need().kind == NeedKind::kBlocked);
    CHECK_FALSE(need().certain);
    state.detectors.change().blocked.cause = Cause::kCredentials;
    state.detectors.change().blocked.typed = true;
    CHECK(need().certain);
    state.detectors.change().blocked = {};
    state.detectors.change().blocked.cause = Cause::kPerson;
    CHECK(need().certain);
    state.budget.limits.max_tokens = 100;
    state.budget.tokens = 95;
    CHECK(need(true).kind == NeedKind::kOverBudget);
    CHECK(need(true).certain);
    CHECK(need(true).reason == "95 % of its tokens are used");
}

TEST_CASE("overview: an approval says what it is for", "[api]") {
    Approval asked;
    asked.kind = ApprovalKind::kQuestion;
    CHECK(need_of("a", asked).kind == NeedKind::kQuestion);
    CHECK(need_of("a", asked).reason == "asks a question");
    asked.kind = ApprovalKind::kBudgetExtension;
    CHECK(need_of("a", asked).kind == NeedKind::kApproval);
    CHECK(need_of("a", asked).reason == "asks for more budget");
    asked.kind = ApprovalKind::kAuth;
    CHECK(need_of("a", asked).reason == "asks for access");
    asked.summary = "log in to the shop";
    CHECK(need_of("a", asked).reason == "log in to the shop");
}

TEST_CASE("overview: a wait that needs a person is no loop", "[api]") {
    SessionState state = stuck();
    state.judgement.change().verdict = Verdict::kWaiting;
    state.judgement.change().needs_somebody = true;
    const Need need = need_of(Session{"a", state}, at(0), false, kReading);
    CHECK(need.kind == NeedKind::kWaiting);
    CHECK(need.certain);
}

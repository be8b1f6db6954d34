// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approvals.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "core/session/session.hpp"
#include "core/text/sha256.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;
using S = ApprovalStatus;

namespace {

ApprovalRequested call(std::string tool = "deploy", std::string digest = "sha256:1",
                       std::string call_id = "c1") {
    ApprovalRequested asked;
    asked.tool = std::move(tool);
    asked.args.text = "{}";
    asked.args_digest = bound_digest(digest);
    asked.call_id = std::move(call_id);
    asked.question = digest_of(asked.tool + asked.args_digest).low;
    return asked;
}

ApprovalRequested question(std::string text) {
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kQuestion;
    asked.summary = bounded_text(std::move(text));
    return asked;
}

Ruling ruling(Decision decision, std::string reason = {}) {
    Ruling made;
    made.decision = decision;
    made.reason = std::move(reason);
    made.by = "ann";
    made.channel = "api";
    return made;
}

/// A finished call with the fingerprint of `asked`.
Event ran(const ApprovalRequested& asked, std::string call_id = "c1") {
    ToolFinished done;
    done.tool = asked.tool;
    done.call_id = std::move(call_id);
    static_cast<Text&>(done.args) = bounded_text(asked.args.text);
    CallPrint print;
    print.question.low = asked.question;
    print.outcome.low = 77;
    keep_args(print, asked.args_digest);
    done.print = print;
    return event(std::move(done));
}

/// A session with approvals, and its rules.
struct Requests : Story {
    ApprovalRules rules;
    explicit Requests(Policy policy = {}) : Story(std::move(policy)) {}

    Context around(std::int64_t ms) const {
        Context made = context(ms);
        made.approvals = &rules;
        return made;
    }
    template <class Act>
    auto keep(Act act) {
        std::vector<Event> out;
        auto result = act(out);
        events.insert(events.end(), out.begin(), out.end());
        REQUIRE(folded(events) == session.state());  // replay equals live
        return result;
    }
    /// Number of the stored request.
    std::uint64_t ask(ApprovalRequested asked, std::int64_t ms = 1) {
        return Story::report(event(std::move(asked)), around(ms)).front().n;
    }
    std::vector<Event> report(Event made, std::int64_t ms) {
        return Story::report(std::move(made), around(ms));
    }
    Result<bool> decide(std::uint64_t n, Ruling said, std::int64_t ms = 2) {
        return keep([&](auto& out) { return session.decide(n, std::move(said), around(ms), out); });
    }
    Result<bool> redeem(std::uint64_t n, std::string digest, std::string key = {}) {
        return keep([&](auto& out) {
            return session.redeem(n, bound_digest(digest), key, around(3), out);
        });
    }
    Result<> revoke(std::uint64_t n, std::int64_t ms = 4) {
        return keep([&](auto& out) {
            return session.revoke(n, "ann", "changed my mind", around(ms), out);
        });
    }
    std::vector<Event> tick_at(std::int64_t ms) {
        std::vector<Event> out;
        session.tick(around(ms), out);
        events.insert(events.end(), out.begin(), out.end());
        return out;
    }
    const Approval& at_n(std::uint64_t n) const {
        const Approval* found = session.state().approvals.find(n);
        REQUIRE(found != nullptr);
        return *found;
    }
    S status(std::uint64_t n) const { return at_n(n).status; }
    std::vector<DirectiveKind> directives() const {
        std::vector<DirectiveKind> kinds;
        for (const Directive& one : session.state().directives)
            kinds.push_back(one.kind);
        return kinds;
    }
};

template <class P>
std::vector<P> all_of(const std::vector<Event>& events) {
    std::vector<P> found;
    for (const Event& one : events) {
        if (const auto* payload = std::get_if<P>(&one.payload)) found.push_back(*payload);
    }
    return found;
}

std::vector<ApprovalAlarmKind> alarms(const std::vector<Event>& events) {
    std::vector<ApprovalAlarmKind> kinds;
    for (const ApprovalAlarm& alarm : all_of<ApprovalAlarm>(events))
        kinds.push_back(alarm.alarm);
    return kinds;
}

}  // namespace

TEST_CASE("approvals: only the transition table's changes are possible", "[core]") {
    const std::map<S, std::vector<S>> allowed{
        {S::kPending,
         {S::kApproved, S::kEdited, S::kRejected, S::kResponded, S::kIgnored, S::kExpired,
          S::kCancelled}},
        {S::kApproved, {S::kRedeemed, S::kExecuted, S::kNeverExecuted}},
        {S::kEdited, {S::kRedeemed, S::kExecuted, S::kNeverExecuted}},
        {S::kRedeemed, {S::kExecuted, S::kNeverExecuted}},
        {S::kNeverExecuted, {S::kRedeemed, S::kExecuted}},
    };
    for (std::size_t from = 0; from < EnumNames<S>::kNames.size(); ++from) {
        for (std::size_t to = 0; to < EnumNames<S>::kNames.size(); ++to) {
            const auto row = allowed.find(static_cast<S>(from));
            const bool expected =
                row != allowed.end() &&
                std::count(row->second.begin(), row->second.end(), static_cast<S>(to)) > 0;
            INFO(EnumNames<S>::kNames[from] << " -> " << EnumNames<S>::kNames[to]);
            CHECK(may_become(static_cast<S>(from), static_cast<S>(to)) == expected);
        }
    }
}

TEST_CASE("approvals: an id names its session and its event", "[core]") {
    CHECK(approval_id("a.a3", 17) == "a.a3.a17");
    const auto ref = parse_approval_id("a.a3.a17");
    REQUIRE(ref);
    CHECK(ref->session == "a.a3");
    CHECK(ref->n == 17);
    for (const char* bad : {"", "a17", ".a1", "s.a", "s.a0", "s.a01", "s.ax", "s.a1x", "s.a-1",
                            "s.a99999999999999999999"}) {
        INFO(bad);
        CHECK_FALSE(parse_approval_id(bad));
    }
}

TEST_CASE("approvals: while a request is pending the session is blocked", "[core]") {
    Requests desk;
    const auto n = desk.ask(call());
    CHECK(desk.verdict() == Verdict::kBlocked);
    const Judgement& judgement = *desk.session.state().judgement;
    CHECK(judgement.detector == "approval");
    CHECK(judgement.reason == "waits for a person to allow deploy, since #2");
    CHECK(judgement.evidence == std::vector<std::uint64_t>{n});
    CHECK(desk.session.state().agent_state == AgentState::kAwaitingPermission);
    CHECK(desk.session.state().waits_for_human());
    for (int i = 0; i < 20; ++i)
        (void)desk.report(beat(), 10 + i);
    CHECK(desk.session.state().detectors->heartbeat_rule.quiet_beats == 0);
    for (int i = 0; i < 12; ++i)
        (void)desk.report(message("assistant"), 100 + i);
    CHECK(desk.session.state().agent_state == AgentState::kAwaitingPermission);
    (void)desk.tick_at(10'000'000);
    CHECK(desk.verdict() == Verdict::kBlocked);
    CHECK(desk.session.next_deadline(at(0)) == kNever);

    // Its clocks restart with the answer.
    require_ok(desk.decide(n, ruling(Decision::kApprove), 10'000'000));
    CHECK(desk.verdict() != Verdict::kBlocked);
    CHECK(desk.verdict() != Verdict::kSilent);
    CHECK(desk.session.state().agent_state == AgentState::kProcessingPrompt);
}

TEST_CASE("approvals: the first decision stands, the same is idempotent, another loses", "[core]") {
    Requests desk;
    const auto n = desk.ask(call());
    CHECK(*desk.decide(n, ruling(Decision::kApprove)) == true);
    CHECK(desk.status(n) == S::kApproved);
    const std::size_t events = desk.events.size();
    CHECK(*desk.decide(n, ruling(Decision::kApprove, "again")) == false);
    CHECK(code_of(desk.decide(n, ruling(Decision::kReject))) == ErrorCode::kAlreadyDecided);
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    CHECK(code_of(desk.decide(n, wide)) == ErrorCode::kAlreadyDecided);
    CHECK(desk.events.size() == events);
    CHECK(desk.at_n(n).by == "ann");
    CHECK(code_of(desk.decide(99, ruling(Decision::kApprove))) == ErrorCode::kUnknownApproval);
}

TEST_CASE("approvals: each kind has its own decisions", "[core]") {
    Requests desk;
    const auto tool = desk.ask(call());
    const auto asked = desk.ask(question("which one?"));
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("the left");
    CHECK(code_of(desk.decide(tool, answer)) == ErrorCode::kInvalidField);
    CHECK(code_of(desk.decide(asked, ruling(Decision::kEdit))) == ErrorCode::kInvalidField);
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    CHECK(code_of(desk.decide(asked, wide)) == ErrorCode::kInvalidField);
    Ruling past = ruling(Decision::kApprove);
    past.scope = GrantScope::kUntil;
    past.until = at(1);
    CHECK(code_of(desk.decide(tool, past)) == ErrorCode::kInvalidField);
    CHECK(*desk.decide(asked, answer));
    CHECK(desk.status(asked) == S::kResponded);
    answer.response = bounded_text("the right");
    CHECK(code_of(desk.decide(asked, answer)) == ErrorCode::kAlreadyDecided);
    CHECK(*desk.decide(tool, ruling(Decision::kIgnore)));
}

TEST_CASE("approvals: a rejection stops the agent unless the reason asks for another way",
          "[core]") {
    const struct {
        const char* reason;
        Ruling::Then then;
        DirectiveKind directive;
    } cases[] = {
        {"", Ruling::Then::kByReason, DirectiveKind::kStop},
        {"too dangerous", Ruling::Then::kByReason, DirectiveKind::kStop},
        {"Use the staging host instead", Ruling::Then::kByReason, DirectiveKind::kChangeApproach},
        {"find another way", Ruling::Then::kByReason, DirectiveKind::kChangeApproach},
        {"", Ruling::Then::kChangeApproach, DirectiveKind::kChangeApproach},
        {"do it differently", Ruling::Then::kStop, DirectiveKind::kStop},
    };
    for (const auto& c : cases) {
        DYNAMIC_SECTION(c.reason << static_cast<int>(c.then)) {
            Requests desk;
            const auto n = desk.ask(call());
            Ruling no = ruling(Decision::kReject, c.reason);
            no.then = c.then;
            REQUIRE(*desk.decide(n, no));
            CHECK(desk.directives() == std::vector{c.directive});
            const auto issued = all_of<DirectiveIssued>(desk.events);
            CHECK(issued.back().by == "ann");
            CHECK(issued.back().reason.find(c.reason) != std::string::npos);
            CHECK(desk.at_n(n).stop == (c.directive == DirectiveKind::kStop));
            CHECK(code_of(desk.redeem(n, "sha256:1")) == ErrorCode::kNotApproved);
        }
    }
}

TEST_CASE("approvals: only the approved bytes are redeemed, and once", "[core]") {
    Requests desk;
    const auto n = desk.ask(call());
    CHECK(code_of(desk.redeem(n, "sha256:1")) == ErrorCode::kNotApproved);
    REQUIRE(*desk.decide(n, ruling(Decision::kApprove)));
    CHECK(code_of(desk.redeem(n, "sha256:2")) == ErrorCode::kDigestMismatch);
    CHECK(*desk.redeem(n, "sha256:1", "key") == true);
    CHECK(desk.status(n) == S::kRedeemed);
    CHECK(*desk.redeem(n, "sha256:1", "key") == false);
    CHECK(code_of(desk.redeem(n, "sha256:2", "key")) == ErrorCode::kDigestMismatch);
    CHECK(code_of(desk.redeem(n, "sha256:1", "other")) == ErrorCode::kAlreadyRedeemed);
    CHECK(code_of(desk.redeem(n, "sha256:1")) == ErrorCode::kAlreadyRedeemed);
    CHECK(all_of<ApprovalRedeemed>(desk.events).size() == 1);
}

TEST_CASE("approvals: after an edit only the edited arguments run", "[core]") {
    Requests desk;
    const auto asked = call();
    const auto n = desk.ask(asked);
    Ruling edit = ruling(Decision::kEdit);
    edit.edited_args.text = R"({"host":"staging"})";
    edit.edited_digest = bound_digest("sha256:edited");
    edit.edited_question = 4711;
    REQUIRE(*desk.decide(n, edit));
    CHECK(desk.status(n) == S::kEdited);
    CHECK(code_of(desk.redeem(n, "sha256:1")) == ErrorCode::kDigestMismatch);
    CHECK(*desk.redeem(n, "sha256:edited"));
    SECTION("the edited ones use it up") {
        auto edited = asked;
        edited.args_digest = edit.edited_digest;
        CHECK(alarms(desk.report(ran(edited), 5)).empty());
        CHECK(desk.status(n) == S::kExecuted);
    }
    SECTION("the old ones raise an alarm") {
        CHECK(alarms(desk.report(ran(asked), 5)) ==
              std::vector{ApprovalAlarmKind::kExecutedUnapproved});
        CHECK(desk.status(n) == S::kRedeemed);
    }
}

TEST_CASE("approvals: a rejected call that runs anyway raises an alarm", "[core]") {
    Requests desk;
    const auto asked = call();
    const auto n = desk.ask(asked);
    REQUIRE(*desk.decide(n, ruling(Decision::kReject)));
    SECTION("by its arguments, under any call_id") {
        const auto out = desk.report(ran(asked, "other"), 5);
        REQUIRE(alarms(out) == std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
        const auto alarm = all_of<ApprovalAlarm>(out).front();
        CHECK(alarm.id == approval_id("story", n));
        CHECK(alarm.evidence == std::vector<std::uint64_t>{desk.at_n(n).decided_n, out[0].n});
        CHECK(alarms(desk.report(ran(asked, "third"), 6)) == alarms(out));  // each time
    }
    SECTION("by its call_id, with any arguments") {
        auto other = asked;
        other.args_digest = bound_digest("other");
        CHECK(alarms(desk.report(ran(other, "c1"), 5)) ==
              std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
    }
    SECTION("but not when it was approved later") {
        const auto again = desk.ask(call("deploy", "sha256:1", "c2"));
        REQUIRE(*desk.decide(again, ruling(Decision::kApprove)));
        CHECK(alarms(desk.report(ran(asked, "c2"), 5)).empty());
        CHECK(desk.status(again) == S::kExecuted);
    }
    SECTION("nor does another call") {
        auto other = asked;
        other.args_digest = bound_digest("other");
        CHECK(alarms(desk.report(ran(other, "c9"), 5)).empty());
    }
}

TEST_CASE("approvals: a tool that needs approval does not run without", "[core]") {
    Policy policy;
    policy.tools.push_back({"deploy", false, 1, true});
    const bool by_daemon = GENERATE(false, true);
    Requests desk{by_daemon ? Policy{} : policy};
    if (by_daemon) desk.rules.require_tools = {"deploy"};
    const auto asked = call();
    CHECK(alarms(desk.report(ran(asked), 5)) ==
          std::vector{ApprovalAlarmKind::kExecutedUnapproved});
    const auto n = desk.ask(asked);
    const auto out = desk.report(ran(asked, "c3"), 6);  // while a request is pending
    CHECK(alarms(out) == std::vector{ApprovalAlarmKind::kExecutedUnapproved});
    CHECK(desk.status(n) == S::kCancelled);
    CHECK_FALSE(desk.session.state().waits_for_human());
    const auto again = desk.ask(call("deploy", "sha256:1", "c4"));
    REQUIRE(*desk.decide(again, ruling(Decision::kApprove)));
    CHECK(alarms(desk.report(ran(asked, "c4"), 7)).empty());
    CHECK(alarms(desk.report(ran(asked, "c5"), 8)) ==
          std::vector{ApprovalAlarmKind::kExecutedUnapproved});  // one approval, one call
}

TEST_CASE("approvals: a started call asks by itself, once", "[core]") {
    Requests desk;
    const CallToAllow allow[] = {{0, [] {
                                      auto made = call();
                                      made.source = "policy";
                                      return made;
                                  }()}};
    Context around = desk.around(1);
    around.asks = allow;
    const auto out = static_cast<Story&>(desk).report(tool_started("c1", "deploy"), around);
    REQUIRE(all_of<ApprovalRequested>(out).size() == 1);
    CHECK(all_of<ApprovalRequested>(out)[0].source == "policy");
    CHECK(desk.verdict() == Verdict::kBlocked);
    const auto n = desk.session.state().approvals.oldest_pending()->n;
    // Repeated while pending, and while the approval is unused.
    for (int i = 0; i < 2; ++i) {
        const auto more = static_cast<Story&>(desk).report(tool_started("c1", "deploy"), around);
        CHECK(all_of<ApprovalRequested>(more).empty());
        if (i == 0) REQUIRE(*desk.decide(n, ruling(Decision::kApprove)));
    }
    CHECK(desk.session.state().agent_state == AgentState::kExecutingTool);
    (void)desk.report(ran(call()), 9);
    const auto next = static_cast<Story&>(desk).report(tool_started("c1", "deploy"), around);
    CHECK(all_of<ApprovalRequested>(next).size() == 1);
}

TEST_CASE("approvals: a grant answers equal requests until it is revoked or expires", "[core]") {
    Requests desk;
    const auto first = desk.ask(call());
    const auto waiting = desk.ask(call("deploy", "sha256:1", "c2"));
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kUntil;
    wide.until = at(1000);
    wide.match = GENERATE(GrantMatch::kArgs, GrantMatch::kTool);
    REQUIRE(*desk.decide(first, wide));
    CHECK(desk.status(waiting) == S::kApproved);
    CHECK(desk.at_n(waiting).by == "grant:" + approval_id("story", first));
    CHECK(desk.at_n(waiting).channel == "grant");
    const auto later = desk.ask(call("deploy", "sha256:1", "c3"), 10);
    CHECK(desk.status(later) == S::kApproved);
    const auto other = desk.ask(call("deploy", "sha256:2", "c4"), 10);
    CHECK(desk.status(other) == (wide.match == GrantMatch::kTool ? S::kApproved : S::kPending));
    CHECK(desk.status(desk.ask(call("drop", "sha256:1", "c5"), 10)) == S::kPending);
    SECTION("over") {
        CHECK(desk.status(desk.ask(call("deploy", "sha256:1", "c6"), 1000)) == S::kPending);
        CHECK(code_of(desk.revoke(first, 1000)) == ErrorCode::kNoGrant);
    }
    SECTION("revoked") {
        require_ok(desk.revoke(first));
        CHECK(desk.directives() == std::vector{DirectiveKind::kWaitApproval});
        CHECK(desk.status(desk.ask(call("deploy", "sha256:1", "c6"), 20)) == S::kPending);
        CHECK(code_of(desk.revoke(first)) == ErrorCode::kNoGrant);
        CHECK(desk.status(later) == S::kApproved);  // calls that it covered stay allowed
    }
}

TEST_CASE("approvals: expiry of a request without a decision", "[core]") {
    Requests desk;
    desk.rules.approve_on_expiry = {"deploy"};
    auto asked = call();
    asked.expires_in_ms = 1000;
    asked.risk = Risk::kMedium;
    asked.on_expiry =
        GENERATE(OnExpiry::kHold, OnExpiry::kReject, OnExpiry::kApprove, OnExpiry::kEscalate);
    const auto n = desk.ask(asked, 0);
    CHECK(desk.session.next_deadline(at(0)) == at(1000));
    CHECK(desk.tick_at(999).empty());
    const auto out = desk.tick_at(1000);
    REQUIRE(all_of<ApprovalExpired>(out).size() == 1);
    CHECK(all_of<ApprovalExpired>(desk.tick_at(2000)).empty());  // once
    switch (asked.on_expiry) {
        case OnExpiry::kReject:
            CHECK(desk.status(n) == S::kExpired);
            CHECK(desk.directives() == std::vector{DirectiveKind::kChangeApproach});
            CHECK(code_of(desk.decide(n, ruling(Decision::kApprove))) ==
                  ErrorCode::kAlreadyDecided);
            CHECK(alarms(desk.report(ran(asked), 3000)) ==
                  std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
            break;
        case OnExpiry::kApprove:
            CHECK(desk.status(n) == S::kApproved);
            CHECK(desk.at_n(n).by == "policy");
            CHECK(*desk.redeem(n, "sha256:1"));
            break;
        case OnExpiry::kEscalate:
            CHECK(desk.at_n(n).escalated);
            CHECK(desk.at_n(n).risk == Risk::kHigh);
            CHECK(*desk.decide(n, ruling(Decision::kApprove)));
            break;
        case OnExpiry::kHold:
            CHECK(desk.status(n) == S::kPending);
            CHECK(desk.at_n(n).overdue);
            CHECK(*desk.decide(n, ruling(Decision::kReject)));
            break;
    }
    REQUIRE(folded(desk.events) == desk.session.state());
}

TEST_CASE("approvals: expiry approves only what the operator allows", "[core]") {
    Policy policy;
    policy.tools = {{"lint", false, 1, true}};
    Requests desk{policy};
    desk.rules.approve_on_expiry = {"deploy", "drop", "lint"};
    desk.rules.require_tools = {"drop"};
    const auto ask = [](std::string tool, ApprovalKind kind = ApprovalKind::kTool) {
        auto asked = call(std::move(tool));
        asked.kind = kind;
        asked.expires_in_ms = 300'000;
        asked.on_expiry = OnExpiry::kApprove;
        return asked;
    };
    CHECK(desk.rules.check_request(policy, ask("deploy")).has_value());
    const auto field_of = [&](const ApprovalRequested& asked) {
        return desk.rules.check_request(policy, asked).error().field;
    };
    auto soon = ask("deploy");
    soon.expires_in_ms = 299'999;
    CHECK(field_of(soon) == "/expires_in_ms");
    for (const auto& asked :
         {ask("other"), ask("drop"), ask("lint"), ask("deploy", ApprovalKind::kQuestion),
          ask("deploy", ApprovalKind::kAuth), ask("deploy", ApprovalKind::kBudgetExtension)}) {
        CHECK(field_of(asked) == "/on_expiry");
        const auto n = desk.ask(asked, 1);  // as in a journal from before the rule
        desk.tick_at(300'001);
        CHECK(desk.status(n) == S::kPending);
        CHECK(desk.at_n(n).overdue);
        REQUIRE(*desk.decide(n, ruling(Decision::kReject), 300'002));
        desk.session = Session{"story", desk.session.state()};
    }
}

TEST_CASE("approvals: an extension stops at the operator's maximum", "[core]") {
    const BudgetBounds bounds{30, 600, 5, 60, 1000, 2.0};
    const BudgetLimits limits{500, 50, std::nullopt, 2.5};
    const BudgetLimits asked{200, 5, 100, 1.0};
    CHECK(within_bounds(limits, asked, bounds) == BudgetLimits{100, 5, std::nullopt, std::nullopt});
    CHECK(check_at_most(asked, bounds, "/extend").has_value());
    CHECK(check_at_most({601, {}, {}, {}}, bounds, "/extend").error().field ==
          "/extend/timeout_seconds");
    CHECK(check_at_most({{}, {}, 1001, {}}, bounds, "/extend").error().field ==
          "/extend/max_tokens");
    CHECK(check_at_most({{}, {}, {}, 2.1}, bounds, "/extend").error().field ==
          "/extend/max_cost_usd");
}

TEST_CASE("approvals: an approved call that does not run raises an alarm, and may still run",
          "[core]") {
    Requests desk;
    desk.rules.execute_within = Millis{5000};
    const auto asked = call();
    const auto n = desk.ask(asked, 0);
    REQUIRE(*desk.decide(n, ruling(Decision::kApprove), 100));
    const bool redeemed = GENERATE(false, true);
    if (redeemed) REQUIRE(*desk.redeem(n, "sha256:1"));
    CHECK(alarms(desk.tick_at(5099)).empty());
    CHECK(alarms(desk.tick_at(5100)) == std::vector{ApprovalAlarmKind::kNeverExecuted});
    CHECK(desk.status(n) == S::kNeverExecuted);
    CHECK(alarms(desk.tick_at(9000)).empty());
    if (!redeemed) CHECK(*desk.redeem(n, "sha256:1"));
    if (redeemed) CHECK(code_of(desk.redeem(n, "sha256:1")) == ErrorCode::kAlreadyRedeemed);
    CHECK(alarms(desk.report(ran(asked), 9500)).empty());
    CHECK(desk.status(n) == S::kExecuted);
}

TEST_CASE("approvals: an attention gap raises no alarm", "[core]") {
    Requests desk;
    desk.rules.execute_within = Millis{5000};
    const auto n = desk.ask(call(), 0);
    REQUIRE(*desk.decide(n, ruling(Decision::kApprove), 100));
    Context back = desk.around(60'000);
    back.watch = at(60'000);
    std::vector<Event> out;
    desk.session.tick(back, out);
    CHECK(alarms(out).empty());
    const Timestamp due = desk.session.next_deadline(at(60'000));
    CHECK(due == at(60'000) + 2 * desk.session.state().asked_interval);
    back.now = due;
    desk.session.tick(back, out);
    CHECK(alarms(out) == std::vector{ApprovalAlarmKind::kNeverExecuted});
}

TEST_CASE("approvals: an approved extension adds to the budget", "[core]") {
    Requests desk;
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kBudgetExtension;
    asked.extend.emplace();
    asked.extend->max_steps = 20;
    asked.extend->max_tokens = 5;  // which has no limit
    BudgetSet limits;
    limits.limits.max_steps = 50;
    require_ok(
        desk.keep([&](auto& out) { return desk.session.set_budget(limits, desk.around(1), out); }));
    const auto n = desk.ask(asked);
    const bool approve = GENERATE(true, false);
    REQUIRE(*desk.decide(n, ruling(approve ? Decision::kApprove : Decision::kReject)));
    const auto extended = all_of<BudgetExtended>(desk.events);
    if (!approve) {
        CHECK(extended.empty());
        CHECK(desk.directives() == std::vector{DirectiveKind::kWrapUp});
        return;
    }
    REQUIRE(extended.size() == 1);
    CHECK(extended[0].added.max_steps == 20);
    CHECK_FALSE(extended[0].added.max_tokens.has_value());
    CHECK(desk.session.state().budget.limits.max_steps == 70);
    CHECK(extended[0].approval == approval_id("story", n));
    CHECK(extended[0].by == "ann");
}

TEST_CASE("approvals: many may wait, and one more is refused", "[core]") {
    Requests desk;
    for (std::size_t i = 0; i < limits::kApprovalsPendingMax; ++i)
        desk.ask(call("t", "sha256:" + std::to_string(i), std::to_string(i)));
    std::vector<Event> one{event(call("t", "sha256:x", "x"))};
    CHECK(code_of(desk.session.admit(one)) == ErrorCode::kTooManyApprovals);
    const auto first = desk.session.state().approvals.oldest_pending()->n;
    REQUIRE(*desk.decide(first, ruling(Decision::kApprove)));
    require_ok(desk.session.admit(one));
}

TEST_CASE("approvals: the oldest that needs nothing more is dropped first", "[core]") {
    Requests desk;
    const auto kept = desk.ask(call("deploy", "sha256:kept", "kept"));
    REQUIRE(*desk.decide(kept, ruling(Decision::kApprove)));  // still unused
    for (std::size_t i = 0; i < 3 * limits::kApprovalsKeptMax; ++i) {
        const std::string id = std::to_string(i);
        const auto n = desk.ask(call("t", "sha256:" + id, id));
        REQUIRE(*desk.decide(n, ruling(Decision::kReject, "use another way")));
        (void)desk.report(acknowledged(approval_id("story", n)), 5);
    }
    CHECK(desk.status(kept) == S::kApproved);
    CHECK(desk.session.state().approvals.requests.size() <= limits::kApprovalsKeptMax + 1);
}

TEST_CASE("approvals: the end of a session leaves nothing to decide", "[core]") {
    Requests desk;
    const auto n = desk.ask(call());
    (void)desk.report(ended(Outcome::kCompleted), 5);
    CHECK(desk.status(n) == S::kCancelled);
    CHECK(desk.verdict() == Verdict::kCompleted);
    CHECK(code_of(desk.decide(n, ruling(Decision::kApprove))) == ErrorCode::kAlreadyDecided);
}

TEST_CASE("approvals: a decision is shown until it is used or acknowledged", "[core]") {
    Requests desk;
    const auto used = desk.ask(call());
    const auto read = desk.ask(call("t", "sha256:2", "c2"));
    REQUIRE(*desk.decide(used, ruling(Decision::kApprove)));
    REQUIRE(*desk.decide(read, ruling(Decision::kReject, "another way")));
    CHECK(desk.at_n(used).undelivered());
    CHECK(desk.at_n(read).undelivered());
    REQUIRE(*desk.redeem(used, "sha256:1"));
    (void)desk.report(acknowledged(approval_id("story", read)), 5);
    CHECK_FALSE(desk.at_n(used).undelivered());
    CHECK_FALSE(desk.at_n(read).undelivered());
}

TEST_CASE("approvals: equal requests are those of one kind, tool and arguments", "[core]") {
    CHECK(identity_of(call()) == identity_of(call("deploy", "sha256:1", "other call")));
    CHECK(identity_of(call()) != identity_of(call("drop")));
    CHECK(identity_of(call()) != identity_of(call("deploy", "sha256:2")));
    CHECK(identity_of(question("a?")) == identity_of(question("a?")));
    CHECK(identity_of(question("a?")) != identity_of(question("b?")));
    auto offers = question("a?");
    offers.options = {"yes", "no"};
    CHECK(identity_of(offers) != identity_of(question("a?")));
}

TEST_CASE("approvals: an identity is a SHA-256 of unambiguously separated parts", "[core]") {
    CHECK(identity_of(call()).size() == 64);
    CHECK(identity_of(call()) ==
          sha256_hex("headway approval 1\n4:tool\n6:deploy\n71:" + call().args_digest));
    CHECK(identity_start(identity_of(call())) ==
          std::stoull(identity_of(call()).substr(0, 16), nullptr, 16));
    auto split = call("deploy\n71:" + call().args_digest);
    split.args_digest.clear();
    CHECK(identity_of(split) != identity_of(call()));
}

TEST_CASE("sha256: the examples of FIPS 180-4, and every length around a block", "[core]") {
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    std::string folded;
    for (std::size_t size = 0; size < 130; ++size)
        folded = sha256_hex(folded + std::string(size, 'a'));
    CHECK(folded == "e7cf6304ad055549b1393febedb7883163bff857edd6aab32c4f683af0be8802");
}

TEST_CASE("approvals: a stuck session under on_stuck ask asks a person", "[core]") {
    Policy policy;
    policy.on_stuck = OnStuck::kAsk;
    Requests desk{policy};
    std::vector<ApprovalRequested> asked;
    for (int i = 0; i < 60 && asked.empty(); ++i) {
        ToolFinished again;
        again.tool = "grep";
        again.target = "same";
        static_cast<Text&>(again.result) = bounded_text("\"the same long answer as before\"");
        asked = all_of<ApprovalRequested>(desk.report(event(std::move(again)), i));
    }
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].kind == ApprovalKind::kQuestion);
    CHECK(asked[0].source == "headway");
    CHECK_FALSE(asked[0].summary.empty());
    CHECK(desk.verdict() == Verdict::kBlocked);
    const auto waits = [&] {
        const auto kinds = desk.directives();
        return std::count(kinds.begin(), kinds.end(), DirectiveKind::kWaitApproval);
    };
    CHECK(waits() == 1);
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("look into the other folder");
    REQUIRE(*desk.decide(desk.session.state().approvals.oldest_pending()->n, answer, 100));
    CHECK(waits() == 0);
    CHECK(desk.verdict() != Verdict::kStuck);
    CHECK(desk.verdict() != Verdict::kBlocked);
}

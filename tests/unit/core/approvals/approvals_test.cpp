// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approvals.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/base/limits.hpp"
#include "core/budgets/day_budget.hpp"
#include "core/calls/exact_args.hpp"
#include "core/hooks/hook_answer.hpp"
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
    return asked;
}

ApprovalRequested question(std::string text) {
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kQuestion;
    asked.summary = bounded_text(std::move(text));
    return asked;
}

Ruling ruling(Decision decision, std::string reason = {}) {
    Ruling decided;
    decided.decision = decision;
    decided.reason = std::move(reason);
    decided.by = "ann";
    decided.channel = "api";
    return decided;
}

/// A finished call with the fingerprint of `asked`.
Event ran(const ApprovalRequested& asked, std::string call_id = "c1") {
    ToolFinished done;
    done.tool = asked.tool;
    done.call_id = std::move(call_id);
    static_cast<Text&>(done.args) = bounded_text(asked.args.text);
    CallFingerprint fingerprint;
    fingerprint.question = digest_of(asked.tool + asked.args_digest);
    fingerprint.outcome.low = 77;
    keep_args(fingerprint, asked.args_digest);
    done.fingerprint = fingerprint;
    return event(std::move(done));
}

/// A session with approvals, and its rules.
struct Requests : Story {
    ApprovalRules rules;
    explicit Requests(Policy policy = {}) : Story(std::move(policy)) {}

    Context around(std::int64_t ms) const {
        Context built = context(ms);
        built.approvals = &rules;
        return built;
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
        for (const Event& one : Story::report(event(std::move(asked)), around(ms))) {
            if (std::holds_alternative<ApprovalRequested>(one.payload)) return one.n;
        }
        FAIL("it was not stored");
        return 0;
    }
    std::vector<Event> report(Event one_event, std::int64_t ms) {
        return Story::report(std::move(one_event), around(ms));
    }
    Result<bool> decide(std::uint64_t n, Ruling ruling, std::int64_t ms = 2) {
        return keep(
            [&](auto& out) { return session.decide(n, std::move(ruling), around(ms), out); });
    }
    Result<bool> redeem(std::uint64_t n, std::string digest, std::string key = {}) {
        return keep([&](auto& out) {
            return session.redeem(n, bound_digest(digest), key, around(3), out);
        });
    }
    Result<> resume(std::string reason) {
        return keep(
            [&](auto& out) { return session.resume(std::move(reason), "ann", around(10), out); });
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
    Requests scheduler;
    const auto n = scheduler.ask(call());
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    const Judgement& judgement = *scheduler.session.state().judgement;
    CHECK(judgement.detector == "approval");
    CHECK(judgement.reason == "waits for a person to allow deploy, since #2");
    CHECK(judgement.evidence == std::vector<std::uint64_t>{n});
    CHECK(scheduler.session.state().agent_state == AgentState::kAwaitingPermission);
    CHECK(scheduler.session.state().waits_for_human());
    for (int i = 0; i < 20; ++i)
        (void)scheduler.report(beat(), 10 + i);
    CHECK(scheduler.session.state().detectors->heartbeat_rule.quiet_beats == 0);
    for (int i = 0; i < 12; ++i)
        (void)scheduler.report(message("assistant"), 100 + i);
    CHECK(scheduler.session.state().agent_state == AgentState::kAwaitingPermission);
    (void)scheduler.tick_at(10'000'000);
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    CHECK(scheduler.session.next_deadline(at(0)) == kNever);

    // Its clocks restart with the answer.
    require_ok(scheduler.decide(n, ruling(Decision::kApprove), 10'000'000));
    CHECK(scheduler.verdict() != Verdict::kBlocked);
    CHECK(scheduler.verdict() != Verdict::kSilent);
    CHECK(scheduler.session.state().agent_state == AgentState::kProcessingPrompt);
}

TEST_CASE("approvals: the first decision stands, the same is idempotent, another loses", "[core]") {
    Requests scheduler;
    const auto n = scheduler.ask(call());
    CHECK(*scheduler.decide(n, ruling(Decision::kApprove)) == true);
    CHECK(scheduler.status(n) == S::kApproved);
    const std::size_t events = scheduler.events.size();
    CHECK(*scheduler.decide(n, ruling(Decision::kApprove, "again")) == false);
    CHECK(code_of(scheduler.decide(n, ruling(Decision::kReject))) == ErrorCode::kAlreadyDecided);
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    CHECK(code_of(scheduler.decide(n, wide)) == ErrorCode::kAlreadyDecided);
    CHECK(scheduler.events.size() == events);
    CHECK(scheduler.at_n(n).by == "ann");
    CHECK(code_of(scheduler.decide(99, ruling(Decision::kApprove))) == ErrorCode::kUnknownApproval);
}

TEST_CASE("approvals: each kind has its own decisions", "[core]") {
    Requests scheduler;
    const auto tool = scheduler.ask(call());
    const auto asked = scheduler.ask(question("which one?"));
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("the left");
    CHECK(code_of(scheduler.decide(tool, answer)) == ErrorCode::kInvalidField);
    CHECK(code_of(scheduler.decide(asked, ruling(Decision::kEdit))) == ErrorCode::kInvalidField);
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    CHECK(code_of(scheduler.decide(asked, wide)) == ErrorCode::kInvalidField);
    Ruling past = ruling(Decision::kApprove);
    past.scope = GrantScope::kUntil;
    past.until = at(1);
    CHECK(code_of(scheduler.decide(tool, past)) == ErrorCode::kInvalidField);
    CHECK(*scheduler.decide(asked, answer));
    CHECK(scheduler.status(asked) == S::kResponded);
    answer.response = bounded_text("the right");
    CHECK(code_of(scheduler.decide(asked, answer)) == ErrorCode::kAlreadyDecided);
    CHECK(*scheduler.decide(tool, ruling(Decision::kIgnore)));
}

TEST_CASE("approvals: an agent's question takes words, a mere approval would answer nothing",
          "[core]") {
    Requests scheduler;
    const auto asked = scheduler.ask(question("drop the production database?"));
    ApprovalRequested login = question("log in");
    login.kind = ApprovalKind::kAuth;
    const auto auth = scheduler.ask(login);
    const auto refused = scheduler.decide(asked, ruling(Decision::kApprove));
    CHECK(code_of(refused) == ErrorCode::kInvalidField);
    CHECK(refused.error().field == "/decision");
    CHECK_THAT(refused.error().detail, Catch::Contains("headway answer"));
    CHECK(scheduler.status(asked) == S::kPending);
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("no");
    CHECK(*scheduler.decide(asked, answer));

    CHECK(*scheduler.decide(auth, ruling(Decision::kApprove)));
    // Headway itself asks whether the agent may go on: the decision alone is the answer.
    Approval own;
    own.kind = ApprovalKind::kQuestion;
    own.source = kOwnSource;
    CHECK(check_ruling({}, own, ruling(Decision::kApprove), at(2)).has_value());
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
            Requests scheduler;
            const auto n = scheduler.ask(call());
            Ruling no = ruling(Decision::kReject, c.reason);
            no.then = c.then;
            REQUIRE(*scheduler.decide(n, no));
            CHECK(scheduler.directives() == std::vector{c.directive});
            const auto issued = all_of<DirectiveIssued>(scheduler.events);
            CHECK(issued.back().by == "ann");
            CHECK(issued.back().reason.find(c.reason) != std::string::npos);
            CHECK(scheduler.at_n(n).stop == (c.directive == DirectiveKind::kStop));
            CHECK(code_of(scheduler.redeem(n, "sha256:1")) == ErrorCode::kNotApproved);
            // By the agent's own word the directive is sent no more, and the stop stays.
            (void)scheduler.report(acknowledged(issued.back().id), 9);
            const auto& left = scheduler.session.state().directives;
            CHECK(std::none_of(left.begin(), left.end(),
                               [](const Directive& d) { return d.to_tell(); }));
            CHECK(scheduler.session.state().stopped == (c.directive == DirectiveKind::kStop));
        }
    }
}

TEST_CASE("approvals: a person's resume lifts the stop of a rejection", "[core]") {
    Requests scheduler;
    const auto reject = [&scheduler] {
        REQUIRE(*scheduler.decide(scheduler.ask(call()), ruling(Decision::kReject)));
        REQUIRE(scheduler.session.state().stopped);
    };
    const auto resume = [&scheduler](std::string reason) {
        const std::size_t before = scheduler.events.size();
        REQUIRE(scheduler.resume(std::move(reason)));
        return scheduler.events.size() - before;
    };
    reject();
    CHECK(must_stop(scheduler.session.state()));
    SECTION("also if the agent has acknowledged it") {
        (void)scheduler.report(acknowledged(all_of<DirectiveIssued>(scheduler.events).back().id),
                               9);
        CHECK(resume("go on") == 1);
    }
    SECTION("while its directive is open") {
        CHECK(resume("go on") > 0);
    }
    SECTION("of a person without a name") {
        Ruling unnamed = ruling(Decision::kReject);
        unnamed.by.clear();
        CHECK(resume("go on") > 0);
        REQUIRE(*scheduler.decide(scheduler.ask(call()), unnamed));
        CHECK(resume("go on") > 0);
    }
    CHECK_FALSE(must_stop(scheduler.session.state()));
    CHECK(resume("again") == 0);
    reject();
    CHECK(must_stop(scheduler.session.state()));
}

TEST_CASE("approvals: neither the end of a daily pause nor a resume after a cancel lifts a stop",
          "[core]") {
    Requests scheduler;
    REQUIRE(*scheduler.decide(scheduler.ask(call()), ruling(Decision::kReject)));
    const std::size_t before = scheduler.events.size();
    REQUIRE(scheduler.resume(std::string{kDayReleased}));
    CHECK(scheduler.events.size() == before);
    CHECK(scheduler.session.state().stopped);
    REQUIRE(scheduler.keep(
        [&](auto& out) { return scheduler.session.cancel("enough", scheduler.around(10), out); }));
    REQUIRE(scheduler.resume("go on"));
    CHECK(must_stop(scheduler.session.state()));
    CHECK(scheduler.directives() ==
          std::vector{DirectiveKind::kStop, DirectiveKind::kStop, DirectiveKind::kContinue});
}

TEST_CASE("approvals: a resume ends a pause before it lifts a rejection's stop", "[core]") {
    Requests scheduler;
    REQUIRE(scheduler.keep([&](auto& out) {
        return scheduler.session.pause("wait", "bob", scheduler.around(1), out);
    }));
    REQUIRE(*scheduler.decide(scheduler.ask(call()), ruling(Decision::kReject)));
    REQUIRE(scheduler.resume("the pause is over"));
    CHECK_FALSE(scheduler.session.state().paused());
    CHECK(must_stop(scheduler.session.state()));
    REQUIRE(scheduler.resume("go on"));
    CHECK_FALSE(must_stop(scheduler.session.state()));
}

TEST_CASE("approvals: a request that expires by itself is no person's stop", "[core]") {
    Requests scheduler;
    Ruling expiry = ruling(Decision::kReject);
    expiry.channel = "expiry";
    REQUIRE(*scheduler.decide(scheduler.ask(call()), expiry));
    CHECK_FALSE(scheduler.session.state().stopped);
}

TEST_CASE("approvals: only the approved bytes are redeemed, and once", "[core]") {
    Requests scheduler;
    const auto n = scheduler.ask(call());
    CHECK(code_of(scheduler.redeem(n, "sha256:1")) == ErrorCode::kNotApproved);
    REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove)));
    CHECK(code_of(scheduler.redeem(n, "sha256:2")) == ErrorCode::kDigestMismatch);
    CHECK(*scheduler.redeem(n, "sha256:1", "key") == true);
    CHECK(scheduler.status(n) == S::kRedeemed);
    CHECK(*scheduler.redeem(n, "sha256:1", "key") == false);
    CHECK(code_of(scheduler.redeem(n, "sha256:2", "key")) == ErrorCode::kDigestMismatch);
    CHECK(code_of(scheduler.redeem(n, "sha256:1", "other")) == ErrorCode::kAlreadyRedeemed);
    CHECK(code_of(scheduler.redeem(n, "sha256:1")) == ErrorCode::kAlreadyRedeemed);
    CHECK(all_of<ApprovalRedeemed>(scheduler.events).size() == 1);
}

TEST_CASE("approvals: after an edit only the edited arguments run", "[core]") {
    Requests scheduler;
    const auto asked = call();
    const auto n = scheduler.ask(asked);
    Ruling edit = ruling(Decision::kEdit);
    edit.edited_args.text = R"({"host":"staging"})";
    edit.edited_digest = bound_digest("sha256:edited");
    REQUIRE(*scheduler.decide(n, edit));
    CHECK(scheduler.status(n) == S::kEdited);
    CHECK(code_of(scheduler.redeem(n, "sha256:1")) == ErrorCode::kDigestMismatch);
    CHECK(*scheduler.redeem(n, "sha256:edited"));
    SECTION("the edited ones use it up") {
        auto edited = asked;
        edited.args_digest = edit.edited_digest;
        CHECK(alarms(scheduler.report(ran(edited), 5)).empty());
        CHECK(scheduler.status(n) == S::kExecuted);
    }
    SECTION("the old ones raise an alarm") {
        CHECK(alarms(scheduler.report(ran(asked), 5)) ==
              std::vector{ApprovalAlarmKind::kExecutedUnapproved});
        CHECK(scheduler.status(n) == S::kRedeemed);
    }
}

TEST_CASE("approvals: a rejected call that runs anyway raises an alarm", "[core]") {
    Requests scheduler;
    const auto asked = call();
    const auto n = scheduler.ask(asked);
    REQUIRE(*scheduler.decide(n, ruling(Decision::kReject)));
    SECTION("by its arguments, under any call_id") {
        const auto out = scheduler.report(ran(asked, "other"), 5);
        REQUIRE(alarms(out) == std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
        const auto alarm = all_of<ApprovalAlarm>(out).front();
        CHECK(alarm.id == approval_id("story", n));
        CHECK(alarm.evidence == std::vector<std::uint64_t>{scheduler.at_n(n).decided_n, out[0].n});
        CHECK(alarms(scheduler.report(ran(asked, "third"), 6)) == alarms(out));  // each time
    }
    SECTION("by its call_id, with any arguments") {
        auto other = asked;
        other.args_digest = bound_digest("other");
        CHECK(alarms(scheduler.report(ran(other, "c1"), 5)) ==
              std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
    }
    SECTION("but not when it was approved later") {
        const auto again = scheduler.ask(call("deploy", "sha256:1", "c2"));
        REQUIRE(*scheduler.decide(again, ruling(Decision::kApprove)));
        CHECK(alarms(scheduler.report(ran(asked, "c2"), 5)).empty());
        CHECK(scheduler.status(again) == S::kExecuted);
    }
    SECTION("nor does another call") {
        auto other = asked;
        other.args_digest = bound_digest("other");
        CHECK(alarms(scheduler.report(ran(other, "c9"), 5)).empty());
    }
}

TEST_CASE("approvals: a tool that needs approval does not run without", "[core]") {
    Policy policy;
    policy.tools.push_back({"deploy", false, 1, true});
    const bool by_daemon = GENERATE(false, true);
    Requests scheduler{by_daemon ? Policy{} : policy};
    if (by_daemon) scheduler.rules.require_tools = {"deploy"};
    const auto asked = call();
    CHECK(alarms(scheduler.report(ran(asked), 5)) ==
          std::vector{ApprovalAlarmKind::kExecutedUnapproved});
    const auto n = scheduler.ask(asked);
    const auto out = scheduler.report(ran(asked, "c3"), 6);  // while a request is pending
    CHECK(alarms(out) == std::vector{ApprovalAlarmKind::kExecutedUnapproved});
    CHECK(scheduler.status(n) == S::kCancelled);
    CHECK_FALSE(scheduler.session.state().waits_for_human());
    const auto again = scheduler.ask(call("deploy", "sha256:1", "c4"));
    REQUIRE(*scheduler.decide(again, ruling(Decision::kApprove)));
    CHECK(alarms(scheduler.report(ran(asked, "c4"), 7)).empty());
    CHECK(alarms(scheduler.report(ran(asked, "c5"), 8)) ==
          std::vector{ApprovalAlarmKind::kExecutedUnapproved});  // one approval, one call
}

TEST_CASE("approvals: a started call asks by itself, once", "[core]") {
    Requests scheduler;
    const CallToAllow allow[] = {{0, [] {
                                      auto built = call();
                                      built.source = "policy";
                                      return built;
                                  }()}};
    Context around = scheduler.around(1);
    around.asks = allow;
    const auto out = static_cast<Story&>(scheduler).report(tool_started("c1", "deploy"), around);
    REQUIRE(all_of<ApprovalRequested>(out).size() == 1);
    CHECK(all_of<ApprovalRequested>(out)[0].source == "policy");
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    const auto n = scheduler.session.state().approvals.oldest_pending()->n;
    // Repeated while pending, and while the approval is unused.
    for (int i = 0; i < 2; ++i) {
        const auto more =
            static_cast<Story&>(scheduler).report(tool_started("c1", "deploy"), around);
        CHECK(all_of<ApprovalRequested>(more).empty());
        if (i == 0) REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove)));
    }
    CHECK(scheduler.session.state().agent_state == AgentState::kExecutingTool);
    (void)scheduler.report(ran(call()), 9);
    const auto next = static_cast<Story&>(scheduler).report(tool_started("c1", "deploy"), around);
    CHECK(all_of<ApprovalRequested>(next).size() == 1);
}

TEST_CASE("approvals: a grant answers equal requests until it is revoked or expires", "[core]") {
    Requests scheduler;
    const auto first = scheduler.ask(call());
    const auto waiting = scheduler.ask(call("deploy", "sha256:1", "c2"));
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kUntil;
    wide.until = at(1000);
    wide.match = GENERATE(GrantMatch::kArgs, GrantMatch::kTool);
    REQUIRE(*scheduler.decide(first, wide));
    CHECK(scheduler.status(waiting) == S::kApproved);
    CHECK(scheduler.at_n(waiting).by == "grant:" + approval_id("story", first));
    CHECK(scheduler.at_n(waiting).channel == "grant");
    const auto later = scheduler.ask(call("deploy", "sha256:1", "c3"), 10);
    CHECK(scheduler.status(later) == S::kApproved);
    const auto other = scheduler.ask(call("deploy", "sha256:2", "c4"), 10);
    CHECK(scheduler.status(other) ==
          (wide.match == GrantMatch::kTool ? S::kApproved : S::kPending));
    CHECK(scheduler.status(scheduler.ask(call("drop", "sha256:1", "c5"), 10)) == S::kPending);
    SECTION("over") {
        CHECK(scheduler.status(scheduler.ask(call("deploy", "sha256:1", "c6"), 1000)) ==
              S::kPending);
        CHECK(code_of(scheduler.revoke(first, 1000)) == ErrorCode::kNoGrant);
    }
    SECTION("revoked") {
        require_ok(scheduler.revoke(first));
        CHECK(scheduler.directives() == std::vector{DirectiveKind::kWaitApproval});
        CHECK(scheduler.status(scheduler.ask(call("deploy", "sha256:1", "c6"), 20)) == S::kPending);
        CHECK(code_of(scheduler.revoke(first)) == ErrorCode::kNoGrant);
        CHECK(scheduler.status(later) == S::kCancelled);  // no call has used it
    }
}

TEST_CASE("approvals: what a report ends lets none of its questions use an ended grant", "[core]") {
    Requests scheduler;
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kUntil;
    wide.until = at(1000);
    const auto asked = scheduler.ask(call("deploy", "sha256:1", ""), 2);
    REQUIRE(*scheduler.decide(asked, wide, 3));
    const auto report = [&](std::vector<Event> batch) {
        return scheduler.keep([&](auto& out) {
            scheduler.session.report(batch, scheduler.around(2000), out);
            return out;
        });
    };
    SECTION("a request") {
        (void)report({ran(call("read"), "c8"), event(call("deploy", "sha256:1", "c9"))});
        CHECK(scheduler.at_n(asked).closed == ApprovalClosing::kGrantEnded);
        CHECK(scheduler.session.state().approvals.pending() == 1);
    }
    SECTION("a start") {
        (void)report({ran(call("read"), "c8"), tool_started("c9", "deploy")});
        CHECK(scheduler.at_n(asked).closed == ApprovalClosing::kGrantEnded);
    }
    SECTION("a call that may have run before") {
        const auto out = report({tool_started("c9", "deploy"), ran(call(), "c9")});
        CHECK(scheduler.status(asked) == S::kExecuted);
        CHECK(all_of<ApprovalAlarm>(out).empty());
    }
}

TEST_CASE("approvals: a call that began under a grant may end after it", "[core]") {
    Requests scheduler;
    scheduler.rules.require_tools = {"deploy"};
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kUntil;
    wide.until = at(1000);
    wide.match = GENERATE(GrantMatch::kArgs, GrantMatch::kTool);
    REQUIRE(*scheduler.decide(scheduler.ask(call(), 2), wide, 3));
    (void)scheduler.report(ran(call()), 4);
    const std::int64_t began = GENERATE(999, 1000);
    (void)scheduler.report(tool_started("c9", "deploy"), began);
    const auto out = scheduler.report(ran(call(), "c9"), 1001);
    CHECK(all_of<ApprovalAlarm>(out).size() == (began < 1000 ? 0 : 1));
}

TEST_CASE("approvals: one approval of a rejected call allows no further request under a grant",
          "[core]") {
    Requests scheduler;
    Ruling rejection = ruling(Decision::kReject, "try another way");
    REQUIRE(*scheduler.decide(scheduler.ask(call()), rejection));
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    wide.match = GrantMatch::kTool;
    REQUIRE(*scheduler.decide(scheduler.ask(call("deploy", "sha256:2", "c2"), 3), wide, 4));
    const auto once = scheduler.ask(call("deploy", "sha256:1", "c3"), 5);
    REQUIRE(scheduler.status(once) == S::kPending);
    REQUIRE(*scheduler.decide(once, ruling(Decision::kApprove), 6));
    // A caller that sees no ancestors asks this alone.
    const Approvals& approvals = scheduler.session.state().approvals;
    CHECK(approvals.grant_for(call("deploy", "sha256:1", "c4"), at(7)) == nullptr);
    CHECK(approvals.grant_for(call("deploy", "sha256:3", "c5"), at(7)) != nullptr);
    CHECK(scheduler.status(scheduler.ask(call("deploy", "sha256:1", "c4"), 7)) == S::kPending);
    CHECK(scheduler.status(scheduler.ask(call("deploy", "sha256:3", "c5"), 8)) == S::kApproved);
}

TEST_CASE("approvals: a decision that is sent again after a later rejection is refused", "[core]") {
    Requests scheduler;
    const auto first = scheduler.ask(call());
    const auto second = scheduler.ask(call("deploy", "sha256:1", "c2"));
    REQUIRE(*scheduler.decide(first, ruling(Decision::kApprove)));
    REQUIRE(*scheduler.decide(second, ruling(Decision::kReject, "another way"), 3));
    REQUIRE(scheduler.status(first) == S::kCancelled);
    const auto again = scheduler.decide(first, ruling(Decision::kApprove), 4);
    CHECK(code_of(again) == ErrorCode::kAlreadyDecided);
}

TEST_CASE("approvals: a person's decision is the same only as a person's that did the same",
          "[core]") {
    Requests scheduler;
    SECTION("time has rejected it") {
        auto asked = call();
        asked.expires_in_ms = 1000;
        asked.on_expiry = OnExpiry::kReject;
        const auto n = scheduler.ask(asked);
        scheduler.tick_at(1001);
        REQUIRE(scheduler.status(n) == S::kExpired);
        CHECK(code_of(scheduler.decide(n, ruling(Decision::kReject), 1002)) ==
              ErrorCode::kAlreadyDecided);
    }
    SECTION("a milder rejection") {
        const auto n = scheduler.ask(call());
        Ruling milder = ruling(Decision::kReject, "use the dry run instead");
        REQUIRE(*scheduler.decide(n, milder));
        CHECK(*scheduler.decide(n, milder, 3) == false);
        milder.then = Ruling::Then::kChangeApproach;
        CHECK(*scheduler.decide(n, milder, 3) == false);
        milder.then = Ruling::Then::kStop;
        CHECK(code_of(scheduler.decide(n, milder, 3)) == ErrorCode::kAlreadyDecided);
        CHECK(code_of(scheduler.decide(n, ruling(Decision::kReject), 3)) ==
              ErrorCode::kAlreadyDecided);
    }
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kSession;
    const auto first = scheduler.ask(call("deploy", "sha256:2", "c2"), 1100);
    const auto covered = scheduler.ask(call("deploy", "sha256:2", "c3"), 1100);
    SECTION("a grant has approved it") {
        REQUIRE(*scheduler.decide(first, wide, 1101));
        REQUIRE(scheduler.at_n(covered).channel == "grant");
        CHECK(code_of(scheduler.decide(covered, ruling(Decision::kApprove), 1102)) ==
              ErrorCode::kAlreadyDecided);
    }
    SECTION("its grant has ended") {
        REQUIRE(*scheduler.decide(first, wide, 1101));
        CHECK(*scheduler.decide(first, wide, 1102) == false);
        require_ok(scheduler.redeem(first, "sha256:2"));
        require_ok(scheduler.revoke(first, 1103));
        CHECK(code_of(scheduler.decide(first, wide, 1104)) == ErrorCode::kAlreadyDecided);
    }
}

TEST_CASE("approvals: an approval is not used after the end of its grant, before any tick either",
          "[core]") {
    Requests scheduler;
    Ruling wide = ruling(Decision::kApprove);
    wide.scope = GrantScope::kUntil;
    wide.until = at(1000);
    const auto n = scheduler.ask(call());
    REQUIRE(*scheduler.decide(n, wide));
    const auto redeem_at = [&](std::int64_t ms) {
        return scheduler.keep([&](auto& out) {
            return scheduler.session.redeem(n, bound_digest("sha256:1"), {}, scheduler.around(ms),
                                            out);
        });
    };
    SECTION("redeemed") {
        const auto late = redeem_at(1000);
        CHECK(code_of(late) == ErrorCode::kNotApproved);
        REQUIRE_FALSE(late);
        CHECK(late.error().detail.find("its grant has ended") != std::string::npos);
    }
    SECTION("in time") {
        CHECK(*redeem_at(999));
    }
    SECTION("a report") {
        (void)scheduler.report(beat(), 999);
        CHECK(scheduler.status(n) == S::kApproved);
        (void)scheduler.report(beat(), 1000);
        CHECK(scheduler.status(n) == S::kCancelled);
        CHECK(scheduler.at_n(n).closed == ApprovalClosing::kGrantEnded);
    }
    SECTION("a report of a call, which may have run before a pause of ours") {
        scheduler.rules.require_tools = {"deploy"};
        CHECK(alarms(scheduler.report(ran(call()), 1000)).empty());
        CHECK(scheduler.status(n) == S::kExecuted);
    }
}

TEST_CASE("approvals: the id of another session's approval acknowledges nothing", "[core]") {
    Requests scheduler;
    const auto n = scheduler.ask(question("which one?"));
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("the first");
    REQUIRE(*scheduler.decide(n, answer));
    (void)scheduler.report(acknowledged(approval_id("story.sub", n)), 5);
    CHECK(scheduler.at_n(n).undelivered());
    (void)scheduler.report(acknowledged(approval_id("story", n)), 6);
    CHECK_FALSE(scheduler.at_n(n).undelivered());
}

TEST_CASE("approvals: expiry of a request without a decision", "[core]") {
    Requests scheduler;
    scheduler.rules.approve_on_expiry = {"deploy"};
    auto asked = call();
    asked.expires_in_ms = 1000;
    asked.risk = Risk::kMedium;
    asked.on_expiry =
        GENERATE(OnExpiry::kHold, OnExpiry::kReject, OnExpiry::kApprove, OnExpiry::kEscalate);
    const auto n = scheduler.ask(asked, 0);
    CHECK(scheduler.session.next_deadline(at(0)) == at(1000));
    CHECK(scheduler.tick_at(999).empty());
    const auto out = scheduler.tick_at(1000);
    REQUIRE(all_of<ApprovalExpired>(out).size() == 1);
    CHECK(all_of<ApprovalExpired>(scheduler.tick_at(2000)).empty());  // once
    switch (asked.on_expiry) {
        case OnExpiry::kReject:
            CHECK(scheduler.status(n) == S::kExpired);
            CHECK(scheduler.directives() == std::vector{DirectiveKind::kChangeApproach});
            CHECK(code_of(scheduler.decide(n, ruling(Decision::kApprove))) ==
                  ErrorCode::kAlreadyDecided);
            CHECK(alarms(scheduler.report(ran(asked), 3000)) ==
                  std::vector{ApprovalAlarmKind::kExecutedThoughRejected});
            break;
        case OnExpiry::kApprove:
            CHECK(scheduler.status(n) == S::kApproved);
            CHECK(scheduler.at_n(n).by == "policy");
            CHECK(*scheduler.redeem(n, "sha256:1"));
            break;
        case OnExpiry::kEscalate:
            CHECK(scheduler.at_n(n).escalated);
            CHECK(scheduler.at_n(n).risk == Risk::kHigh);
            CHECK(*scheduler.decide(n, ruling(Decision::kApprove)));
            break;
        case OnExpiry::kHold:
            CHECK(scheduler.status(n) == S::kPending);
            CHECK(scheduler.at_n(n).overdue);
            CHECK(*scheduler.decide(n, ruling(Decision::kReject)));
            break;
    }
    REQUIRE(folded(scheduler.events) == scheduler.session.state());
}

TEST_CASE("approvals: expiry approves only what the operator allows", "[core]") {
    Policy policy;
    policy.tools = {{"lint", false, 1, true}};
    Requests scheduler{policy};
    scheduler.rules.approve_on_expiry = {"deploy", "drop", "lint"};
    scheduler.rules.require_tools = {"drop"};
    const auto ask = [](std::string tool, ApprovalKind kind = ApprovalKind::kTool) {
        auto asked = call(std::move(tool));
        asked.kind = kind;
        asked.expires_in_ms = 300'000;
        asked.on_expiry = OnExpiry::kApprove;
        return asked;
    };
    CHECK(scheduler.rules.check_request(policy, ask("deploy")).has_value());
    const auto field_of = [&](const ApprovalRequested& asked) {
        return scheduler.rules.check_request(policy, asked).error().field;
    };
    auto soon = ask("deploy");
    soon.expires_in_ms = 299'999;
    CHECK(field_of(soon) == "/expires_in_ms");
    for (const auto& asked :
         {ask("other"), ask("drop"), ask("lint"), ask("deploy", ApprovalKind::kQuestion),
          ask("deploy", ApprovalKind::kAuth), ask("deploy", ApprovalKind::kBudgetExtension)}) {
        CHECK(field_of(asked) == "/on_expiry");
        const auto n = scheduler.ask(asked, 1);  // as in a journal from before the rule
        scheduler.tick_at(300'001);
        CHECK(scheduler.status(n) == S::kPending);
        CHECK(scheduler.at_n(n).overdue);
        REQUIRE(*scheduler.decide(n, ruling(Decision::kReject), 300'002));
        scheduler.session = Session{"story", scheduler.session.state()};
    }
}

TEST_CASE("approvals: time in which no person could reject approves nothing", "[core]") {
    Requests scheduler;
    scheduler.rules.approve_on_expiry = {"deploy"};
    const auto action = GENERATE(OnExpiry::kApprove, OnExpiry::kReject);
    auto asked = call();
    asked.expires_in_ms = 1000;
    asked.risk = Risk::kMedium;
    asked.on_expiry = action;
    const auto n = scheduler.ask(asked, 100);
    Watch watch;  // of a daemon that starts when the time is over
    watch.start(at(5000));
    const bool approves = action == OnExpiry::kApprove;
    CHECK(scheduler.session.next_deadline(watch) == at(approves ? 6000 : 1100));
    const auto tick_at = [&](std::int64_t ms) {
        Context built = scheduler.around(ms);
        built.watch = watch;
        std::vector<Event> out;
        scheduler.session.tick(built, out);
    };
    tick_at(5999);
    CHECK(scheduler.status(n) == (approves ? S::kPending : S::kExpired));
    tick_at(6000);
    CHECK(scheduler.status(n) == (approves ? S::kApproved : S::kExpired));
}

TEST_CASE("approvals: time that Headway slept through approves nothing either", "[core]") {
    Requests scheduler;
    scheduler.rules.approve_on_expiry = {"deploy"};
    const bool suspended = GENERATE(true, false);
    auto asked = call();
    asked.expires_in_ms = 5000;
    asked.risk = Risk::kMedium;
    asked.on_expiry = OnExpiry::kApprove;
    const auto n = scheduler.ask(asked, 1000);
    Watch watch;
    watch.start(at(0));
    if (suspended) watch.begin_anew(at(60'000));
    if (!suspended) watch.note_gap(at(3000), at(60'000));
    // In a pause between two looks, the time before it counts.
    const Timestamp due = at(suspended ? 65'000 : 63'000);
    CHECK(scheduler.session.next_deadline(watch) == due);
    for (const bool over : {false, true}) {
        Context built = scheduler.around(0);
        built.now = due - Millis{over ? 0 : 1};
        built.watch = watch;
        std::vector<Event> out;
        scheduler.session.tick(built, out);
        CHECK(scheduler.status(n) == (over ? S::kApproved : S::kPending));
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
    Requests scheduler;
    scheduler.rules.execute_within = Millis{5000};
    const auto asked = call();
    const auto n = scheduler.ask(asked, 0);
    REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove), 100));
    const bool redeemed = GENERATE(false, true);
    if (redeemed) REQUIRE(*scheduler.redeem(n, "sha256:1"));
    CHECK(alarms(scheduler.tick_at(5099)).empty());
    CHECK(alarms(scheduler.tick_at(5100)) == std::vector{ApprovalAlarmKind::kNeverExecuted});
    CHECK(scheduler.status(n) == S::kNeverExecuted);
    CHECK(alarms(scheduler.tick_at(9000)).empty());
    if (!redeemed) CHECK(*scheduler.redeem(n, "sha256:1"));
    if (redeemed) CHECK(code_of(scheduler.redeem(n, "sha256:1")) == ErrorCode::kAlreadyRedeemed);
    CHECK(alarms(scheduler.report(ran(asked), 9500)).empty());
    CHECK(scheduler.status(n) == S::kExecuted);
}

TEST_CASE("approvals: an attention gap raises no alarm", "[core]") {
    Requests scheduler;
    scheduler.rules.execute_within = Millis{5000};
    const auto n = scheduler.ask(call(), 0);
    REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove), 100));
    Context back = scheduler.around(60'000);
    back.watch = at(60'000);
    std::vector<Event> out;
    scheduler.session.tick(back, out);
    CHECK(alarms(out).empty());
    const Timestamp due = scheduler.session.next_deadline(at(60'000));
    CHECK(due == at(60'000) + 2 * scheduler.session.state().asked_interval);
    back.now = due;
    scheduler.session.tick(back, out);
    CHECK(alarms(out) == std::vector{ApprovalAlarmKind::kNeverExecuted});
}

TEST_CASE("approvals: an approved extension adds to the budget", "[core]") {
    Requests scheduler;
    ApprovalRequested asked;
    asked.kind = ApprovalKind::kBudgetExtension;
    asked.extend.emplace();
    asked.extend->max_steps = 20;
    asked.extend->max_tokens = 5;  // which has no limit
    BudgetSet limits;
    limits.limits.max_steps = 50;
    require_ok(scheduler.keep(
        [&](auto& out) { return scheduler.session.set_budget(limits, scheduler.around(1), out); }));
    const auto n = scheduler.ask(asked);
    const bool approve = GENERATE(true, false);
    REQUIRE(*scheduler.decide(n, ruling(approve ? Decision::kApprove : Decision::kReject)));
    const auto extended = all_of<BudgetExtended>(scheduler.events);
    if (!approve) {
        CHECK(extended.empty());
        CHECK(scheduler.directives() == std::vector{DirectiveKind::kWrapUp});
        return;
    }
    REQUIRE(extended.size() == 1);
    CHECK(extended[0].added.max_steps == 20);
    CHECK_FALSE(extended[0].added.max_tokens.has_value());
    CHECK(scheduler.session.state().budget.limits.max_steps == 70);
    CHECK(extended[0].approval == approval_id("story", n));
    CHECK(extended[0].by == "ann");
}

TEST_CASE("approvals: many may wait, and one more is refused", "[core]") {
    Requests scheduler;
    for (std::size_t i = 0; i < limits::kApprovalsAskedMax; ++i)
        scheduler.ask(call("t", "sha256:" + std::to_string(i), std::to_string(i)));
    std::vector<Event> one{event(call("t", "sha256:x", "x"))};
    CHECK(code_of(scheduler.session.admit(one)) == ErrorCode::kTooManyApprovals);
    const auto first = scheduler.session.state().approvals.oldest_pending()->n;
    REQUIRE(*scheduler.decide(first, ruling(Decision::kApprove)));
    require_ok(scheduler.session.admit(one));
}

TEST_CASE("approvals: the oldest that needs nothing more is dropped first", "[core]") {
    Requests scheduler;
    const auto kept = scheduler.ask(call("deploy", "sha256:kept", "kept"));
    REQUIRE(*scheduler.decide(kept, ruling(Decision::kApprove)));  // still unused
    for (std::size_t i = 0; i < 3 * limits::kApprovalsKeptMax; ++i) {
        const std::string id = std::to_string(i);
        const auto n = scheduler.ask(call("t", "sha256:" + id, id));
        REQUIRE(*scheduler.decide(n, ruling(Decision::kReject, "use another way")));
        (void)scheduler.report(acknowledged(approval_id("story", n)), 5);
    }
    CHECK(scheduler.status(kept) == S::kApproved);
    CHECK(scheduler.session.state().approvals.requests.size() <= limits::kApprovalsKeptMax + 1);
}

TEST_CASE("approvals: no request that ends by itself pushes a person's rejection out", "[core]") {
    Requests scheduler;
    const auto rejected = scheduler.ask(call("pay", "sha256:pay", "p1"));
    REQUIRE(*scheduler.decide(rejected, ruling(Decision::kReject, "no")));
    for (std::size_t i = 0; i < 3 * limits::kApprovalsKeptMax; ++i) {
        const std::string id = std::to_string(i);
        const auto n = scheduler.ask(call("noise", "sha256:" + id, id));
        Ruling expiry = ruling(Decision::kReject);
        expiry.channel = "expiry";
        REQUIRE(*scheduler.decide(n, expiry));
    }
    CHECK(scheduler.status(rejected) == S::kRejected);
    CHECK(scheduler.session.state().approvals.requests.size() <= limits::kApprovalsKeptMax + 1);
}

TEST_CASE("approvals: no used approvals push a person's unread answer out", "[core]") {
    Requests scheduler;
    const auto answered = scheduler.ask(question("which one?"));
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("the first");
    REQUIRE(*scheduler.decide(answered, answer));
    for (std::size_t i = 0; i < 2 * limits::kApprovalsKeptMax; ++i) {
        const std::string id = std::to_string(i);
        const auto n = scheduler.ask(call("t", "sha256:" + id, id));
        REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove)));
        require_ok(scheduler.redeem(n, "sha256:" + id));  // and its end is never reported
    }
    REQUIRE(scheduler.session.state().approvals.find(answered) != nullptr);
    CHECK(scheduler.at_n(answered).undelivered());
    for (std::size_t i = 0; i < 2 * limits::kApprovalsKeptMax; ++i) {
        const std::string id = "ack" + std::to_string(i);
        const auto n = scheduler.ask(call("t", "sha256:" + id, id));
        REQUIRE(*scheduler.decide(n, ruling(Decision::kApprove)));
        (void)scheduler.report(acknowledged(approval_id("story", n)), 6);
    }
    REQUIRE(scheduler.session.state().approvals.find(answered) != nullptr);
}

TEST_CASE("approvals: the end of a session leaves nothing to decide", "[core]") {
    Requests scheduler;
    const auto n = scheduler.ask(call());
    (void)scheduler.report(ended(Outcome::kCompleted), 5);
    CHECK(scheduler.status(n) == S::kCancelled);
    CHECK(scheduler.verdict() == Verdict::kCompleted);
    CHECK(code_of(scheduler.decide(n, ruling(Decision::kApprove))) == ErrorCode::kAlreadyDecided);
}

TEST_CASE("approvals: a decision is shown until it is used or acknowledged", "[core]") {
    Requests scheduler;
    const auto used = scheduler.ask(call());
    const auto read = scheduler.ask(call("t", "sha256:2", "c2"));
    REQUIRE(*scheduler.decide(used, ruling(Decision::kApprove)));
    REQUIRE(*scheduler.decide(read, ruling(Decision::kReject, "another way")));
    CHECK(scheduler.at_n(used).undelivered());
    CHECK(scheduler.at_n(read).undelivered());
    REQUIRE(*scheduler.redeem(used, "sha256:1"));
    (void)scheduler.report(acknowledged(approval_id("story", read)), 5);
    CHECK_FALSE(scheduler.at_n(used).undelivered());
    CHECK_FALSE(scheduler.at_n(read).undelivered());
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
    // Arguments beside the question do not hide that its words differ.
    auto read = question("May I read the README?"), wipe = question("May I wipe the database?");
    read.args.text = wipe.args.text = R"({"t":1})";
    read.args_digest = wipe.args_digest = "sha256:1";
    CHECK(identity_of(read) != identity_of(wipe));
    wipe.summary = read.summary;
    CHECK(identity_of(read) == identity_of(wipe));
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
    Requests scheduler{policy};
    std::vector<ApprovalRequested> asked;
    for (int i = 0; i < 60 && asked.empty(); ++i) {
        ToolFinished again;
        again.tool = "grep";
        again.target = "same";
        static_cast<Text&>(again.result) = bounded_text("\"the same long answer as before\"");
        asked = all_of<ApprovalRequested>(scheduler.report(event(std::move(again)), i));
    }
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].kind == ApprovalKind::kQuestion);
    CHECK(asked[0].source == "headway");
    CHECK_FALSE(asked[0].summary.empty());
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    const auto waits = [&] {
        const auto kinds = scheduler.directives();
        return std::count(kinds.begin(), kinds.end(), DirectiveKind::kWaitApproval);
    };
    CHECK(waits() == 1);
    Ruling answer = ruling(Decision::kRespond);
    answer.response = bounded_text("look into the other folder");
    REQUIRE(
        *scheduler.decide(scheduler.session.state().approvals.oldest_pending()->n, answer, 100));
    CHECK(waits() == 0);
    CHECK(scheduler.verdict() != Verdict::kStuck);
    CHECK(scheduler.verdict() != Verdict::kBlocked);
}

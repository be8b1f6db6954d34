// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/session/approval_asks.hpp"
#include "core/session/session.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Requests beside an agent's own permission dialog, which may be answered at the agent too.

using namespace headway::core;
using namespace headway::tests;
using S = ApprovalStatus;
using Kind = ApprovalAlarmKind;

namespace {

const std::string kDialogOne = bound_digest("one");
const std::string kDialogTwo = bound_digest("two");

ApprovalRequested request(const std::string& digest = kDialogOne, std::string call_id = {}) {
    ApprovalRequested asked;
    asked.tool = "Bash";
    asked.call_id = std::move(call_id);
    asked.args.text = "{}";
    asked.args_digest = digest;
    asked.expires_in_ms = 3'600'000;
    return asked;
}

ToolFinished dialog_call_finished(const std::string& digest = kDialogOne,
                                  std::string call_id = "c1", bool ok = true) {
    ToolFinished call;
    call.tool = "Bash";
    call.call_id = std::move(call_id);
    call.ok = ok;
    if (!ok) call.error = ToolError{"denied", bounded_text("no")};
    static_cast<Text&>(call.args) = bounded_text("{}");
    CallFingerprint fingerprint;
    keep_args(fingerprint, digest);
    call.fingerprint = fingerprint;
    return call;
}

struct DialogScheduler : Story {
    ApprovalRules rules;

    Context around(std::int64_t ms) const {
        Context built = context(ms);
        built.approvals = &rules;
        return built;
    }
    void keep(const std::vector<Event>& out) {
        events.insert(events.end(), out.begin(), out.end());
        REQUIRE(folded(events) == session.state());
    }
    std::uint64_t dialog(const std::string& digest = kDialogOne, std::int64_t ms = 10) {
        std::vector<Event> out;
        const std::uint64_t n = session.ask_beside_dialog(request(digest), around(ms), out);
        keep(out);
        return n;
    }
    void decide(std::uint64_t n, Decision decision, GrantScope scope = GrantScope::kOnce) {
        Ruling ruling;
        ruling.decision = decision;
        ruling.by = "ana";
        ruling.scope = scope;
        ruling.edited_digest = kDialogTwo;
        ruling.then = Ruling::Then::kChangeApproach;
        std::vector<Event> out;
        REQUIRE(*session.decide(n, ruling, around(20), out));
        keep(out);
    }
    void redeem(std::uint64_t n, const std::string& digest = kDialogOne) {
        std::vector<Event> out;
        REQUIRE(*session.redeem(n, digest, kDeliveredKey, around(25), out));
        keep(out);
    }
    void close(std::uint64_t n, ApprovalClosing how) {
        std::vector<Event> out;
        session.close_dialogs(n, how, around(30), out);
        keep(out);
    }
    std::vector<Kind> ran(ToolFinished call) {
        std::vector<Kind> raised;
        for (const Event& one : Story::report(event(std::move(call)), around(40))) {
            if (const auto* alarm = std::get_if<ApprovalAlarm>(&one.payload))
                raised.push_back(alarm->alarm);
        }
        REQUIRE(folded(events) == session.state());
        return raised;
    }
    HookAnswer answer(std::uint64_t n, const std::string& digest = kDialogOne,
                      bool late = false) const {
        HookQuestion asked;
        asked.session = "story";
        asked.waits = true;
        asked.in_dialog = true;
        asked.dialog = n;
        asked.tool = "Bash";
        asked.args_digest = digest;
        asked.time_is_up = late;
        return answer_hook(session.state(), asked);
    }
    const Approval& of(std::uint64_t n) const { return *session.state().approvals.find(n); }
};

/// The same request from elsewhere: by a policy, or of the agent.
ApprovalRequested other_request(std::string call_id) {
    ApprovalRequested asked = request(kDialogOne, std::move(call_id));
    asked.source = "policy";
    asked.expires_in_ms.reset();
    return asked;
}

}  // namespace

TEST_CASE("dialogs: a person's decision is the answer, and its use is counted once", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    CHECK(scheduler.of(n).of_dialog());
    CHECK(scheduler.of(n).expires_at == at(3'600'010));
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    CHECK(scheduler.answer(n).hold);
    scheduler.decide(n, Decision::kApprove);
    const HookAnswer answer = scheduler.answer(n);
    CHECK(answer.allow == "approved by ana");
    CHECK(answer.redeemed == n);
    scheduler.redeem(n);
    CHECK(scheduler.answer(n).allow.empty());
    CHECK(scheduler.of(n).execute_by == kNever);  // which answer the dialog took is not known
    CHECK(scheduler.ran(dialog_call_finished()).empty());
    CHECK(scheduler.of(n).status == S::kExecuted);
}

TEST_CASE("dialogs: no decision leaves the call to the dialog", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    const HookAnswer late = scheduler.answer(n, kDialogOne, true);
    CHECK(late.undecided);
    CHECK(late.deny.empty());
    CHECK_FALSE(scheduler.answer(0).hold);
    scheduler.decide(n, Decision::kIgnore);
    const HookAnswer declined = scheduler.answer(n);
    CHECK_FALSE(declined.hold);
    CHECK((declined.deny.empty() && declined.allow.empty()));
    CHECK(scheduler.verdict() == Verdict::kBlocked);  // it waits for a person at the agent
    CHECK(scheduler.ran(dialog_call_finished()).empty());
}

TEST_CASE("dialogs: a rejection has its reason", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    scheduler.decide(n, Decision::kReject);
    CHECK(scheduler.answer(n).deny == "This call was not allowed.");
    CHECK(scheduler.verdict() != Verdict::kBlocked);
    CHECK(scheduler.ran(dialog_call_finished(kDialogOne, "c1", false)).empty());  // it did not run
    CHECK(scheduler.ran(dialog_call_finished()) == std::vector{Kind::kExecutedThoughRejected});
}

TEST_CASE("dialogs: other arguments are for the next call, whose dialog they answer", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    scheduler.decide(n, Decision::kEdit);
    const HookAnswer answer = scheduler.answer(n);
    CHECK(answer.edited != 0);
    CHECK(answer.redeemed == 0);
    CHECK(ready_for_dialog(scheduler.session.state().approvals, "", "Bash", kDialogOne) == nullptr);
    const Approval* ready =
        ready_for_dialog(scheduler.session.state().approvals, "", "Bash", kDialogTwo);
    REQUIRE(ready != nullptr);
    CHECK(ready->n == n);
    CHECK(scheduler.answer(n, kDialogTwo).redeemed == n);
    CHECK(scheduler.ran(dialog_call_finished()) ==
          std::vector{Kind::kExecutedUnapproved});  // not as edited
}

TEST_CASE("dialogs: the end of the call shows that it was answered at the agent", "[core]") {
    const bool ok = GENERATE(true, false);
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    CHECK(scheduler.ran(dialog_call_finished(kDialogTwo)).empty());  // another call
    CHECK(scheduler.of(n).pending());
    CHECK(scheduler.ran(dialog_call_finished(kDialogOne, "c1", ok)).empty());
    CHECK(scheduler.of(n).status == S::kCancelled);
    CHECK(scheduler.of(n).closed == ApprovalClosing::kAnsweredAtAgent);
    CHECK_FALSE(scheduler.of(n).decision);
    CHECK(scheduler.session.state().approvals.alarms.empty());
    CHECK(scheduler.session.state().approvals.grants.empty());
    CHECK(scheduler.session.state().agent_state != AgentState::kAwaitingPermission);
    CHECK(scheduler.verdict() != Verdict::kBlocked);
    CHECK_FALSE(scheduler.answer(n).hold);
    Ruling late;
    late.decision = Decision::kApprove;
    std::vector<Event> out;
    const auto decided = scheduler.session.decide(n, late, scheduler.around(50), out);
    REQUIRE_FALSE(decided);
    CHECK(decided.error().code == ErrorCode::kAlreadyDecided);
    CHECK(decided.error().detail.find("answered at the agent") != std::string::npos);
}

TEST_CASE("dialogs: one call is the answer to one of equal dialogs", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t one = scheduler.dialog();
    const std::uint64_t two = scheduler.dialog();
    CHECK(one != two);
    scheduler.ran(dialog_call_finished(kDialogOne, "c1"));
    CHECK_FALSE(scheduler.of(one).pending());
    CHECK(scheduler.of(two).pending());
    scheduler.decide(two, Decision::kApprove);
    scheduler.dialog();
    scheduler.ran(
        dialog_call_finished(kDialogOne,
                             "c2"));  // the approved one, so it says nothing about the third
    CHECK(scheduler.of(two).status == S::kExecuted);
    CHECK(scheduler.session.state().approvals.pending() == 1);
}

TEST_CASE("dialogs: what ends them is kept, and ends no other request", "[core]") {
    const auto how = GENERATE(ApprovalClosing::kLeftToAgent, ApprovalClosing::kStopped,
                              ApprovalClosing::kAnsweredAtAgent);
    DialogScheduler scheduler;
    const std::uint64_t asked = scheduler.Story::report(event(other_request("c9")), 5).front().n;
    const std::uint64_t one = scheduler.dialog();
    const std::uint64_t two = scheduler.dialog(kDialogTwo);
    scheduler.close(one, how);
    CHECK(scheduler.of(one).closed == how);
    CHECK(scheduler.of(two).pending());
    scheduler.close(0, how);
    CHECK_FALSE(scheduler.of(two).pending());
    CHECK(scheduler.of(asked).pending());  // not one of a dialog
    scheduler.close(0, how);
    scheduler.close(asked, how);
    CHECK(scheduler.of(asked).pending());
}

TEST_CASE("dialogs: a dialog that was left still waits for a person at the agent", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    scheduler.close(n, ApprovalClosing::kLeftToAgent);
    CHECK(scheduler.session.state().agent_state == AgentState::kAwaitingPermission);
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    CHECK(scheduler.ran(dialog_call_finished()).empty());
    CHECK(scheduler.verdict() != Verdict::kBlocked);
    CHECK(scheduler.session.state().agent_state == AgentState::kProgressCheck);
}

TEST_CASE("dialogs: they end by their time, and with the daemon that they waited for", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.dialog();
    CHECK(scheduler.session.next_deadline(Watch{at(0)}) <= at(3'600'010));
    scheduler.tick(3'600'010);
    CHECK(scheduler.of(n).closed == ApprovalClosing::kLeftToAgent);
    CHECK_FALSE(scheduler.of(n).overdue);
    const std::uint64_t again = scheduler.dialog(kDialogOne, 3'600'020);
    Context later = scheduler.around(3'600'030);
    later.watch.start(at(3'600'030));
    CHECK(scheduler.session.next_deadline(later.watch) == at(3'600'030));
    std::vector<Event> out;
    scheduler.session.tick(later, out);
    scheduler.keep(out);
    CHECK(scheduler.of(again).closed == ApprovalClosing::kLeftToAgent);
}

TEST_CASE("dialogs: a later dialog excuses a call from what was said to an earlier one", "[core]") {
    DialogScheduler scheduler;
    scheduler.decide(scheduler.dialog(), Decision::kReject);
    const std::uint64_t again = scheduler.dialog();
    CHECK(scheduler.ran(dialog_call_finished()).empty());
    CHECK(scheduler.of(again).closed == ApprovalClosing::kAnsweredAtAgent);
}

TEST_CASE("dialogs: none excuses a call from what was said elsewhere", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.Story::report(event(other_request("c1")), 5).front().n;
    scheduler.decide(n, Decision::kReject);
    scheduler.dialog();
    CHECK(scheduler.ran(dialog_call_finished()) == std::vector{Kind::kExecutedThoughRejected});
    scheduler.rules.require_tools = {"Bash"};
    scheduler.dialog(kDialogTwo);
    CHECK(scheduler.ran(dialog_call_finished(kDialogTwo, "c2")) ==
          std::vector{Kind::kExecutedUnapproved});
}

TEST_CASE("dialogs: their requests answer no other, nor stand in its way", "[core]") {
    DialogScheduler scheduler;
    const std::string id = GENERATE("", "c1");
    std::vector<Event> out;
    const std::uint64_t n =
        scheduler.session.ask_beside_dialog(request(kDialogOne, id), scheduler.around(10), out);
    scheduler.keep(out);
    const ApprovalRequested other = other_request(id);
    const auto asked_by_call = [&] {
        const SessionState& state = scheduler.session.state();
        CHECK(state.approvals.asked_before(other) == nullptr);
        CHECK(approval_of_call(state, id, "Bash", kDialogOne) == nullptr);
        return asks_anew(state, CallToAllow{0, other}, at(15));
    };
    CHECK(asked_by_call());
    scheduler.decide(n, Decision::kApprove);
    CHECK(asked_by_call());
    CHECK(ready_for_dialog(scheduler.session.state().approvals, "", "Bash", kDialogOne) == nullptr);
}

TEST_CASE("dialogs: what one approved is not free for another call beside it", "[core]") {
    DialogScheduler scheduler;
    ToolStarted running;
    running.call_id = "c8";
    running.tool = "Bash";
    scheduler.Story::report(event(running), 4);
    const std::uint64_t own = scheduler.Story::report(event(other_request("c8")), 5).front().n;
    scheduler.decide(own, Decision::kApprove);
    const std::uint64_t n = scheduler.dialog();
    scheduler.decide(n, Decision::kApprove);
    CHECK(asks_anew(scheduler.session.state(), CallToAllow{0, other_request("c9")}, at(30)));
}

TEST_CASE("dialogs: an approval of the call itself answers its dialog once", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t n = scheduler.Story::report(event(other_request("c1")), 5).front().n;
    const Approvals& approvals = scheduler.session.state().approvals;
    CHECK(ready_for_dialog(approvals, "", "Bash", kDialogOne) == nullptr);
    scheduler.decide(n, Decision::kApprove);
    REQUIRE(ready_for_dialog(approvals, "", "Bash", kDialogOne) != nullptr);
    CHECK(ready_for_dialog(approvals, "", "Bash", kDialogOne)->n == n);
    CHECK(ready_for_dialog(approvals, "", "Bash", kDialogTwo) == nullptr);
    CHECK(ready_for_dialog(approvals, "", "Write", kDialogOne) == nullptr);
    CHECK(ready_for_dialog(approvals, "", "Bash", "") == nullptr);
    CHECK(scheduler.answer(n).redeemed == n);
    scheduler.redeem(n);
    CHECK(ready_for_dialog(approvals, "", "Bash", kDialogOne) == nullptr);
    CHECK(scheduler.answer(n).allow.empty());
    CHECK(scheduler.ran(dialog_call_finished()).empty());
    CHECK(scheduler.of(n).status == S::kExecuted);
}

TEST_CASE("dialogs: a grant answers them at once", "[core]") {
    DialogScheduler scheduler;
    scheduler.decide(scheduler.dialog(), Decision::kApprove, GrantScope::kSession);
    const std::uint64_t again = scheduler.dialog();
    CHECK(scheduler.of(again).status == S::kApproved);
    CHECK(scheduler.answer(again).redeemed == again);
    CHECK(scheduler.of(scheduler.dialog(kDialogTwo)).pending());
}

TEST_CASE("dialogs: a cancel leaves nothing to decide, of any kind", "[core]") {
    DialogScheduler scheduler;
    const std::uint64_t beside = scheduler.dialog();
    ApprovalRequested question;
    question.kind = ApprovalKind::kQuestion;
    question.call_id = "q";
    question.summary = bounded_text("which one?");
    scheduler.ran(dialog_call_finished(kDialogTwo, "other"));
    for (const ApprovalRequested& asked : {other_request("c2"), question})
        scheduler.Story::report(event(asked), scheduler.around(45));
    CHECK(scheduler.session.state().approvals.pending() == 3);
    CHECK(scheduler.verdict() == Verdict::kBlocked);
    std::vector<Event> out;
    REQUIRE(scheduler.session.cancel("enough", scheduler.around(50), out));
    scheduler.keep(out);
    const SessionState& state = scheduler.session.state();
    CHECK(state.approvals.pending() == 0);
    CHECK(scheduler.of(beside).closed == ApprovalClosing::kStopped);
    CHECK(scheduler.verdict() != Verdict::kBlocked);
    CHECK(state.agent_state != AgentState::kAwaitingPermission);
    Ruling late;
    late.decision = Decision::kApprove;
    CHECK(code_of(scheduler.session.decide(beside, late, scheduler.around(60), out)) ==
          ErrorCode::kAlreadyDecided);
    // A call that runs all the same is seen, and one that its agent has refused is not missed.
    CHECK(scheduler.ran(dialog_call_finished(kDialogOne, "c2", false)).empty());
    CHECK(scheduler.ran(dialog_call_finished(kDialogOne, "c2")) ==
          std::vector{Kind::kExecutedUnapproved});
}

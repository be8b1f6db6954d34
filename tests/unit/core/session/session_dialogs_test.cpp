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
    ApprovalRequested made;
    made.tool = "Bash";
    made.call_id = std::move(call_id);
    made.args.text = "{}";
    made.args_digest = digest;
    made.expires_in_ms = 3'600'000;
    return made;
}

ToolFinished dialog_call_finished(const std::string& digest = kDialogOne,
                                  std::string call_id = "c1", bool ok = true) {
    ToolFinished call;
    call.tool = "Bash";
    call.call_id = std::move(call_id);
    call.ok = ok;
    if (!ok) call.error = ToolError{"denied", bounded_text("no")};
    static_cast<Text&>(call.args) = bounded_text("{}");
    CallPrint print;
    keep_args(print, digest);
    call.print = print;
    return call;
}

struct DialogDesk : Story {
    ApprovalRules rules;

    Context around(std::int64_t ms) const {
        Context made = context(ms);
        made.approvals = &rules;
        return made;
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
    ApprovalRequested made = request(kDialogOne, std::move(call_id));
    made.source = "policy";
    made.expires_in_ms.reset();
    return made;
}

}  // namespace

TEST_CASE("dialogs: a person's decision is the answer, and its use is counted once", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    CHECK(desk.of(n).of_dialog());
    CHECK(desk.of(n).expires_at == at(3'600'010));
    CHECK(desk.verdict() == Verdict::kBlocked);
    CHECK(desk.answer(n).hold);
    desk.decide(n, Decision::kApprove);
    const HookAnswer answer = desk.answer(n);
    CHECK(answer.allow == "approved by ana");
    CHECK(answer.redeemed == n);
    desk.redeem(n);
    CHECK(desk.answer(n).allow.empty());
    CHECK(desk.of(n).execute_by == kNever);  // which answer the dialog took is not known
    CHECK(desk.ran(dialog_call_finished()).empty());
    CHECK(desk.of(n).status == S::kExecuted);
}

TEST_CASE("dialogs: no decision leaves the call to the dialog", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    const HookAnswer late = desk.answer(n, kDialogOne, true);
    CHECK(late.undecided);
    CHECK(late.deny.empty());
    CHECK_FALSE(desk.answer(0).hold);
    desk.decide(n, Decision::kIgnore);
    const HookAnswer declined = desk.answer(n);
    CHECK_FALSE(declined.hold);
    CHECK((declined.deny.empty() && declined.allow.empty()));
    CHECK(desk.verdict() == Verdict::kBlocked);  // it waits for a person at the agent
    CHECK(desk.ran(dialog_call_finished()).empty());
}

TEST_CASE("dialogs: a rejection has its reason", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    desk.decide(n, Decision::kReject);
    CHECK(desk.answer(n).deny == "This call was not allowed.");
    CHECK(desk.verdict() != Verdict::kBlocked);
    CHECK(desk.ran(dialog_call_finished(kDialogOne, "c1", false)).empty());  // it did not run
    CHECK(desk.ran(dialog_call_finished()) == std::vector{Kind::kExecutedThoughRejected});
}

TEST_CASE("dialogs: other arguments are for the next call, whose dialog they answer", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    desk.decide(n, Decision::kEdit);
    const HookAnswer answer = desk.answer(n);
    CHECK(answer.edit == "edited");
    CHECK(answer.redeemed == 0);
    CHECK(ready_for_dialog(desk.session.state().approvals, "Bash", kDialogOne) == nullptr);
    const Approval* ready = ready_for_dialog(desk.session.state().approvals, "Bash", kDialogTwo);
    REQUIRE(ready != nullptr);
    CHECK(ready->n == n);
    CHECK(desk.answer(n, kDialogTwo).redeemed == n);
    CHECK(desk.ran(dialog_call_finished()) ==
          std::vector{Kind::kExecutedUnapproved});  // not as edited
}

TEST_CASE("dialogs: the end of the call shows that it was answered at the agent", "[core]") {
    const bool ok = GENERATE(true, false);
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    CHECK(desk.ran(dialog_call_finished(kDialogTwo)).empty());  // another call
    CHECK(desk.of(n).pending());
    CHECK(desk.ran(dialog_call_finished(kDialogOne, "c1", ok)).empty());
    CHECK(desk.of(n).status == S::kCancelled);
    CHECK(desk.of(n).closed == ApprovalClosing::kAnsweredAtAgent);
    CHECK_FALSE(desk.of(n).decision);
    CHECK(desk.session.state().approvals.alarms.empty());
    CHECK(desk.session.state().approvals.grants.empty());
    CHECK(desk.session.state().agent_state != AgentState::kAwaitingPermission);
    CHECK(desk.verdict() != Verdict::kBlocked);
    CHECK_FALSE(desk.answer(n).hold);
    Ruling late;
    late.decision = Decision::kApprove;
    std::vector<Event> out;
    const auto decided = desk.session.decide(n, late, desk.around(50), out);
    REQUIRE_FALSE(decided);
    CHECK(decided.error().code == ErrorCode::kAlreadyDecided);
    CHECK(decided.error().detail.find("answered at the agent") != std::string::npos);
}

TEST_CASE("dialogs: one call is the answer to one of equal dialogs", "[core]") {
    DialogDesk desk;
    const std::uint64_t one = desk.dialog();
    const std::uint64_t two = desk.dialog();
    CHECK(one != two);
    desk.ran(dialog_call_finished(kDialogOne, "c1"));
    CHECK_FALSE(desk.of(one).pending());
    CHECK(desk.of(two).pending());
    desk.decide(two, Decision::kApprove);
    desk.dialog();
    desk.ran(dialog_call_finished(kDialogOne,
                                  "c2"));  // the approved one, so it says nothing about the third
    CHECK(desk.of(two).status == S::kExecuted);
    CHECK(desk.session.state().approvals.pending() == 1);
}

TEST_CASE("dialogs: what ends them is kept, and ends no other request", "[core]") {
    const auto how = GENERATE(ApprovalClosing::kLeftToAgent, ApprovalClosing::kStopped,
                              ApprovalClosing::kAnsweredAtAgent);
    DialogDesk desk;
    const std::uint64_t asked = desk.Story::report(event(other_request("c9")), 5).front().n;
    const std::uint64_t one = desk.dialog();
    const std::uint64_t two = desk.dialog(kDialogTwo);
    desk.close(one, how);
    CHECK(desk.of(one).closed == how);
    CHECK(desk.of(two).pending());
    desk.close(0, how);
    CHECK_FALSE(desk.of(two).pending());
    CHECK(desk.of(asked).pending());  // not one of a dialog
    desk.close(0, how);
    desk.close(asked, how);
    CHECK(desk.of(asked).pending());
}

TEST_CASE("dialogs: a dialog that was left still waits for a person at the agent", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    desk.close(n, ApprovalClosing::kLeftToAgent);
    CHECK(desk.session.state().agent_state == AgentState::kAwaitingPermission);
    CHECK(desk.verdict() == Verdict::kBlocked);
    CHECK(desk.ran(dialog_call_finished()).empty());
    CHECK(desk.verdict() != Verdict::kBlocked);
    CHECK(desk.session.state().agent_state == AgentState::kProgressCheck);
}

TEST_CASE("dialogs: they end by their time, and with the daemon that they waited for", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.dialog();
    CHECK(desk.session.next_deadline(Watch{at(0)}) <= at(3'600'010));
    desk.tick(3'600'010);
    CHECK(desk.of(n).closed == ApprovalClosing::kLeftToAgent);
    CHECK_FALSE(desk.of(n).overdue);
    const std::uint64_t again = desk.dialog(kDialogOne, 3'600'020);
    Context later = desk.around(3'600'030);
    later.watch.start(at(3'600'030));
    CHECK(desk.session.next_deadline(later.watch) == at(3'600'030));
    std::vector<Event> out;
    desk.session.tick(later, out);
    desk.keep(out);
    CHECK(desk.of(again).closed == ApprovalClosing::kLeftToAgent);
}

TEST_CASE("dialogs: a later dialog excuses a call from what was said to an earlier one", "[core]") {
    DialogDesk desk;
    desk.decide(desk.dialog(), Decision::kReject);
    const std::uint64_t again = desk.dialog();
    CHECK(desk.ran(dialog_call_finished()).empty());
    CHECK(desk.of(again).closed == ApprovalClosing::kAnsweredAtAgent);
}

TEST_CASE("dialogs: none excuses a call from what was said elsewhere", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.Story::report(event(other_request("c1")), 5).front().n;
    desk.decide(n, Decision::kReject);
    desk.dialog();
    CHECK(desk.ran(dialog_call_finished()) == std::vector{Kind::kExecutedThoughRejected});
    desk.rules.require_tools = {"Bash"};
    desk.dialog(kDialogTwo);
    CHECK(desk.ran(dialog_call_finished(kDialogTwo, "c2")) ==
          std::vector{Kind::kExecutedUnapproved});
}

TEST_CASE("dialogs: their requests answer no other, nor stand in its way", "[core]") {
    DialogDesk desk;
    const std::string id = GENERATE("", "c1");
    std::vector<Event> out;
    const std::uint64_t n =
        desk.session.ask_beside_dialog(request(kDialogOne, id), desk.around(10), out);
    desk.keep(out);
    const ApprovalRequested other = other_request(id);
    const auto asked_by_call = [&] {
        const SessionState& state = desk.session.state();
        CHECK(state.approvals.asked_before(other) == nullptr);
        CHECK(approval_of_call(state, id, "Bash", kDialogOne) == nullptr);
        return asks_anew(state, other, at(15));
    };
    CHECK(asked_by_call());
    desk.decide(n, Decision::kApprove);
    CHECK(asked_by_call());
    CHECK(ready_for_dialog(desk.session.state().approvals, "Bash", kDialogOne) == nullptr);
}

TEST_CASE("dialogs: what one approved is not free for another call beside it", "[core]") {
    DialogDesk desk;
    ToolStarted running;
    running.call_id = "c8";
    running.tool = "Bash";
    desk.Story::report(event(running), 4);
    const std::uint64_t own = desk.Story::report(event(other_request("c8")), 5).front().n;
    desk.decide(own, Decision::kApprove);
    const std::uint64_t n = desk.dialog();
    desk.decide(n, Decision::kApprove);
    CHECK(asks_anew(desk.session.state(), other_request("c9"), at(30)));
}

TEST_CASE("dialogs: an approval of the call itself answers its dialog once", "[core]") {
    DialogDesk desk;
    const std::uint64_t n = desk.Story::report(event(other_request("c1")), 5).front().n;
    const Approvals& approvals = desk.session.state().approvals;
    CHECK(ready_for_dialog(approvals, "Bash", kDialogOne) == nullptr);
    desk.decide(n, Decision::kApprove);
    REQUIRE(ready_for_dialog(approvals, "Bash", kDialogOne) != nullptr);
    CHECK(ready_for_dialog(approvals, "Bash", kDialogOne)->n == n);
    CHECK(ready_for_dialog(approvals, "Bash", kDialogTwo) == nullptr);
    CHECK(ready_for_dialog(approvals, "Write", kDialogOne) == nullptr);
    CHECK(ready_for_dialog(approvals, "Bash", "") == nullptr);
    CHECK(desk.answer(n).redeemed == n);
    desk.redeem(n);
    CHECK(ready_for_dialog(approvals, "Bash", kDialogOne) == nullptr);
    CHECK(desk.answer(n).allow.empty());
    CHECK(desk.ran(dialog_call_finished()).empty());
    CHECK(desk.of(n).status == S::kExecuted);
}

TEST_CASE("dialogs: a grant answers them at once", "[core]") {
    DialogDesk desk;
    desk.decide(desk.dialog(), Decision::kApprove, GrantScope::kSession);
    const std::uint64_t again = desk.dialog();
    CHECK(desk.of(again).status == S::kApproved);
    CHECK(desk.answer(again).redeemed == again);
    CHECK(desk.of(desk.dialog(kDialogTwo)).pending());
}

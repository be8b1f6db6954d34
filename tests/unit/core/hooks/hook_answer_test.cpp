// SPDX-License-Identifier: Apache-2.0
#include "core/hooks/hook_answer.hpp"

#include <catch2/catch.hpp>

#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"

using namespace headway::core;

namespace {

SessionState open_session() {
    SessionState state;
    state.n = 1;
    return state;
}

HookQuestion held_call(std::string_view id = "c1") {
    HookQuestion asked;
    asked.session = "s";
    asked.waits = true;
    asked.takes_words = true;
    asked.call_id = id;
    asked.tool = "deploy";
    asked.args_digest = "sha256:1";
    return asked;
}

Approval approval(std::uint64_t n, ApprovalStatus status, std::string call_id = "c1") {
    Approval built;
    built.n = n;
    built.tool = "deploy";
    built.call_id = std::move(call_id);
    built.args_digest = "sha256:1";
    built.status = status;
    return built;
}

void direct(SessionState& state, std::string id, DirectiveKind kind, bool delivered = false) {
    state.directives.push_back({std::move(id), kind, "because", delivered});
}

}  // namespace

TEST_CASE("hook answer: a session with nothing to say lets the call run", "[core]") {
    const HookAnswer answer = answer_hook(open_session(), held_call());
    CHECK_FALSE(answer.hold);
    CHECK(answer.deny.empty());
    CHECK(answer.allow.empty());
    CHECK(answer.stop.empty());
    CHECK(answer.delivered.empty());
}

TEST_CASE("hook answer: a paused session holds calls, and nothing else", "[core]") {
    SessionState state = open_session();
    state.paused_at = Timestamp{Millis{1}};
    direct(state, "d1", DirectiveKind::kPause);
    CHECK(answer_hook(state, held_call()).hold);
    HookQuestion other = held_call();
    other.waits = false;
    CHECK_FALSE(answer_hook(state, other).hold);
    HookQuestion late = held_call();
    late.time_is_up = true;
    const HookAnswer answer = answer_hook(state, late);
    CHECK_FALSE(answer.hold);
    CHECK(answer.undecided);
    CHECK(answer.deny.find("paused") != std::string::npos);
}

TEST_CASE("hook answer: a call waits for its approval, and gets its decision", "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kPending)};
    CHECK(answer_hook(state, held_call()).hold);
    HookQuestion late = held_call();
    late.time_is_up = true;
    CHECK(answer_hook(state, late).deny.find("s.a5") != std::string::npos);

    state.approvals.requests.front().status = ApprovalStatus::kApproved;
    state.approvals.requests.front().decision = Decision::kApprove;
    state.approvals.requests.front().by = "ana";
    CHECK(answer_hook(state, held_call()).allow == "approved by ana");
    CHECK(answer_hook(state, held_call()).edited == 0);
    state.approvals.requests.front().decision = Decision::kEdit;
    CHECK(answer_hook(state, held_call()).edited != 0);

    state.approvals.requests.front().status = ApprovalStatus::kRejected;
    state.approvals.requests.front().decision = Decision::kReject;
    state.approvals.requests.front().reason = "not today";
    CHECK(answer_hook(state, held_call()).deny == "This call was not allowed: not today");
}

TEST_CASE("hook answer: the approval of the same arguments serves a call with another id",
          "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kPending)};
    CHECK(answer_hook(state, held_call("c2")).hold);  // the agent tries again
    // What was rejected stays so under another id, until the call has a request of its own.
    state.approvals.requests.front().status = ApprovalStatus::kRejected;
    state.approvals.requests.front().decision = Decision::kReject;
    CHECK_FALSE(answer_hook(state, held_call("c2")).deny.empty());
    state.approvals.requests.push_back(approval(9, ApprovalStatus::kPending, "c2"));
    CHECK(answer_hook(state, held_call("c2")).hold);
    state.approvals.requests.pop_back();
    CHECK(approval_of_call(state, "c1", "deploy", "sha256:1") != nullptr);
    CHECK(approval_of_call(state, "", "deploy", "") == nullptr);
    state.approvals.requests.front().status = ApprovalStatus::kPending;
    CHECK(approval_of_call(state, "c2", "other", "sha256:1") == nullptr);
    CHECK(approval_of_call(state, "c2", "deploy", "sha256:2") == nullptr);
}

TEST_CASE("hook answer: a rejection is the answer to its call, whatever equal calls wait for",
          "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kRejected),
                                approval(6, ApprovalStatus::kPending, "c2")};
    Approval& rejected = state.approvals.requests[0];
    Approval& other = state.approvals.requests[1];
    rejected.decision = Decision::kReject;
    rejected.decided_n = 10;
    rejected.reason = "not today";
    HookQuestion asked = held_call();
    asked.again = true;
    CHECK_THAT(answer_hook(state, asked).deny, Catch::Contains("not today"));
    CHECK(answer_hook(state, held_call("c2")).hold);
    // An approval of before is no answer to it; one of later takes the rejection back.
    other.status = ApprovalStatus::kApproved;
    other.decision = Decision::kApprove;
    other.run_digest = other.args_digest;
    other.decided_n = 9;
    CHECK_THAT(answer_hook(state, asked).deny, Catch::Contains("not today"));
    other.decided_n = 11;
    CHECK_FALSE(answer_hook(state, asked).allow.empty());
}

TEST_CASE("hook answer: one approval lets one call go", "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kApproved)};
    Approval& approved = state.approvals.requests.front();
    approved.decision = Decision::kApprove;
    approved.run_digest = approved.args_digest;
    CHECK(answer_hook(state, held_call()).acknowledged == "s.a5");
    CHECK(answer_hook(state, held_call()).redeemed == 0);  // its dialog may need it
    CHECK(answer_hook(state, held_call("c2")).redeemed == 5);
    approved.acknowledged = true;  // c1 has it
    CHECK(answer_hook(state, held_call("c2")).allow.empty());
    HookQuestion beside = held_call("c2");
    beside.again = true;
    CHECK_THAT(answer_hook(state, beside).deny, Catch::Contains("went to an equal call"));
    approved.acknowledged = false;

    approved.status = ApprovalStatus::kRedeemed;
    approved.redeemed_at = Timestamp{Millis{1}};
    approved.call_id = "c2";                                                     // which has it
    CHECK(answer_hook(state, held_call("c2")).allow == "approved by a person");  // its hook again
    CHECK(answer_hook(state, held_call("c2")).redeemed == 0);
    HookQuestion waited = held_call("c3");
    waited.again = true;
    CHECK_THAT(answer_hook(state, waited).deny, Catch::Contains("went to an equal call"));
    CHECK(answer_hook(state, held_call()).allow.empty());
}

TEST_CASE("hook answer: a call that was let go is not let go again under the same id", "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kApproved)};
    state.approvals.requests.front().run_digest = "sha256:1";
    CHECK(answer_hook(state, held_call()).acknowledged == "s.a5");
    acknowledge(state.approvals, "s.a5", true, 6);
    CHECK(answer_hook(state, held_call()).allow.empty());
    HookQuestion held = held_call();
    held.again = true;
    CHECK_FALSE(answer_hook(state, held).deny.empty());
    HookQuestion request = held_call();
    request.redeems = true;
    CHECK(answer_hook(state, request).allow.empty());
    state.open_calls.push_back({"c1", "deploy", Timestamp{Millis{1}}});
    CHECK_FALSE(answer_hook(state, request).allow.empty());  // the agent's own question about it
}

TEST_CASE("hook answer: decisions about the sessions above hold for this one", "[core]") {
    SessionState state = open_session();
    HookQuestion asked = held_call();
    asked.stopped_above = "a person has stopped the session above";
    CHECK(answer_hook(state, asked).stop == asked.stopped_above);
    CHECK(answer_hook(state, asked).hard);
    asked.stopped_above = {};
    asked.paused_above = true;
    CHECK(answer_hook(state, asked).hold);
    asked.paused_above = false;
    asked.refused_before = true;
    CHECK_FALSE(answer_hook(state, asked).deny.empty());
    asked.refused_before = false;
    CHECK(answer_hook(state, asked).deny.empty());
}

TEST_CASE(
    "hook answer: a rejected call stays rejected until a person allows it, once or by a grant",
    "[core]") {
    SessionState state = open_session();
    Approvals& approvals = state.approvals;
    const auto rejected = [&approvals](std::string_view digest = "sha256:1", bool own = true) {
        const auto newest =
            approvals.newest_ruling("deploy", digest, {Timestamp{Millis{100}}, own});
        return newest && newest->rejects;
    };
    CHECK_FALSE(rejected());
    approvals.requests = {approval(5, ApprovalStatus::kRejected)};
    approvals.requests.front().decision = Decision::kReject;
    approvals.requests.front().decided_n = 6;
    CHECK(rejected());
    CHECK_FALSE(rejected("sha256:2"));
    approvals.requests.push_back(approval(7, ApprovalStatus::kCancelled));
    CHECK(rejected());  // by its agent

    approvals.requests.push_back(approval(9, ApprovalStatus::kApproved));
    Approval& allowed = approvals.requests.back();
    allowed.decision = Decision::kApprove;
    allowed.decided_n = 10;
    allowed.run_digest = "sha256:3";  // an edit allows other arguments
    CHECK(rejected());
    allowed.run_digest = allowed.args_digest;
    CHECK_FALSE(rejected());
    allowed.acknowledged = true;  // the agent has taken it for its call c1
    CHECK(rejected());
    CHECK_FALSE(approvals.is_rejected("deploy", "sha256:1", {.call_id = "c1"}));
    allowed.acknowledged = false;
    CHECK(rejected("sha256:1", false));  // it is for this session
    allowed.let_go = true;               // each of these is its one execution
    CHECK(rejected());
    allowed.let_go = false;
    allowed.redeemed_at = Timestamp{Millis{50}};
    CHECK(rejected());
    allowed.redeemed_at = kNever;
    allowed.status = ApprovalStatus::kExecuted;
    CHECK(rejected());

    Grant grant{9, ApprovalKind::kTool, "deploy", "sha256:1", GrantMatch::kArgs, kNever};
    approvals.grants = {grant};
    CHECK_FALSE(rejected());
    CHECK_FALSE(rejected("sha256:1", false));
    approvals.grants.front().until = Timestamp{Millis{100}};  // over
    CHECK(rejected());
    grant.match = GrantMatch::kTool;  // says nothing about this call
    approvals.grants = {grant};
    CHECK(rejected());
}

TEST_CASE("hook answer: a rejection ends unused approvals and grants of its very call", "[core]") {
    Approvals approvals;
    approvals.requests = {approval(5, ApprovalStatus::kApproved),
                          approval(6, ApprovalStatus::kApproved, "c2"),
                          approval(7, ApprovalStatus::kApproved, "c3")};
    approvals.requests[1].let_go = true;
    approvals.requests[2].args_digest = "sha256:2";
    approvals.grants = {{5, ApprovalKind::kTool, "deploy", "sha256:1", GrantMatch::kArgs, kNever},
                        {5, ApprovalKind::kTool, "deploy", "sha256:1", GrantMatch::kTool, kNever}};
    end_unused(approvals, "deploy", "sha256:1", 9);
    CHECK(approvals.requests[0].status == ApprovalStatus::kCancelled);
    CHECK(approvals.requests[0].closed == ApprovalClosing::kRejected);
    CHECK(approvals.requests[1].status == ApprovalStatus::kApproved);  // it runs
    CHECK(approvals.requests[2].status == ApprovalStatus::kApproved);
    REQUIRE(approvals.grants.size() == 1);
    CHECK(approvals.grants.front().match == GrantMatch::kTool);
}

TEST_CASE("hook answer: no word of the agent lifts a person's stop", "[core]") {
    SessionState state = open_session();
    state.stopped = true;  // the directive is acknowledged
    CHECK(must_stop(state));
    CHECK(answer_hook(state, held_call()).stop == "a person has stopped this session");
    state.stopped = false;
    state.cancel_requested = true;
    CHECK(must_stop(state));
    CHECK(answer_hook(state, held_call()).hard);
}

TEST_CASE("hook answer: a decision is about its own arguments, whatever id they come with",
          "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kApproved)};
    state.approvals.requests.front().decision = Decision::kApprove;
    HookQuestion other = held_call();
    other.args_digest = "sha256:2";
    CHECK(answer_hook(state, other).allow.empty());
    CHECK_FALSE(answer_hook(state, held_call()).allow.empty());
    // The call that a person has put in their place comes under the same id.
    state.approvals.requests.front().run_digest = "sha256:2";
    CHECK_FALSE(answer_hook(state, other).allow.empty());

    state.approvals.requests.front() = approval(5, ApprovalStatus::kRejected);
    state.approvals.requests.front().decision = Decision::kReject;
    CHECK(answer_hook(state, other).deny.empty());
    CHECK_FALSE(answer_hook(state, held_call()).deny.empty());
    // The question before it is open: nothing of this id goes on unasked.
    state.approvals.requests.front() = approval(5, ApprovalStatus::kPending);
    CHECK(answer_hook(state, other).hold);
    // Its own question comes before a newer one of the same id.
    state.approvals.requests = {approval(5, ApprovalStatus::kApproved),
                                approval(6, ApprovalStatus::kPending)};
    state.approvals.requests.back().args_digest = "sha256:2";
    CHECK_FALSE(answer_hook(state, held_call()).allow.empty());
    CHECK(answer_hook(state, other).hold);
}

TEST_CASE("hook answer: what was not heard is said once, where it reaches the model", "[core]") {
    SessionState state = open_session();
    direct(state, "d1", DirectiveKind::kChangeApproach);
    direct(state, "d2", DirectiveKind::kWrapUp, true);
    direct(state, "d3", DirectiveKind::kContinue);
    const HookAnswer answer = answer_hook(state, held_call());
    CHECK(answer.delivered == std::vector<std::string>{"d1", "d3"});
    CHECK(answer.words == "Headway supervises this session and says:\nbecause");
    HookQuestion deaf = held_call();
    deaf.takes_words = false;
    CHECK(answer_hook(state, deaf).delivered.empty());
    // A refusal reaches the model, except through a client that passes no words on.
    state.approvals.requests = {approval(5, ApprovalStatus::kRejected)};
    state.approvals.requests.front().decision = Decision::kReject;
    CHECK(answer_hook(state, deaf).delivered.size() == 2);
    deaf.wordless = true;
    CHECK(answer_hook(state, deaf).delivered.empty());
    CHECK_FALSE(answer_hook(state, deaf).deny.empty());
}

TEST_CASE("hook answer: a stop asks for the answer first, and comes before everything", "[core]") {
    SessionState state = open_session();
    state.paused_at = Timestamp{Millis{1}};
    direct(state, "d1", DirectiveKind::kChangeApproach);
    direct(state, "d2", DirectiveKind::kStop);
    HookAnswer answer = answer_hook(state, held_call());
    CHECK(answer.stop == "because");
    CHECK_FALSE(answer.hard);
    CHECK_FALSE(answer.hold);
    CHECK(answer.delivered == std::vector<std::string>{"d2"});

    state.directives.back().delivered = true;
    HookQuestion turn = held_call();
    turn.waits = false;
    turn.stops = 1;
    CHECK_FALSE(answer_hook(state, turn).hard);  // the turn in which it may still answer
    turn.stops = 2;
    CHECK(answer_hook(state, turn).hard);
    CHECK(answer_hook(state, held_call()).hard);
}

TEST_CASE(
    "hook answer: what was delivered with an answer that was lost is said again, and counted once",
    "[core]") {
    SessionState state = open_session();
    direct(state, "d1", DirectiveKind::kChangeApproach, true);
    direct(state, "d2", DirectiveKind::kWrapUp, true);
    const std::vector<std::string> lost{"d2", "d7"};
    HookQuestion again = held_call();
    again.unheard = lost;
    CHECK(answer_hook(state, again).words ==
          "Headway supervises this session and says:\nWrap up. because");
    CHECK(answer_hook(state, again).delivered.empty());
    direct(state, "d3", DirectiveKind::kStop, true);
    CHECK(answer_hook(state, again).hard);
    const std::vector<std::string> lost_stop{"d3"};
    again.unheard = lost_stop;
    CHECK_FALSE(answer_hook(state, again).hard);  // it has not received the stop
    CHECK(answer_hook(state, again).stop == "because");
    CHECK(answer_hook(state, again).delivered.empty());
}

TEST_CASE("hook answer: a cancelled or ended session stops its agent at once", "[core]") {
    SessionState state = open_session();
    direct(state, "d1", DirectiveKind::kStop);
    state.cancel_requested = true;
    CHECK(answer_hook(state, held_call()).hard);
    SessionState ended = open_session();
    ended.outcome = Outcome::kHalted;
    CHECK(answer_hook(ended, held_call()).hard);
    CHECK(answer_hook(ended, held_call()).stop == "the session has ended");
    CHECK(answer_hook(ended, held_call()).delivered.empty());
}

TEST_CASE("hook answer: a stop that the agent has acknowledged still refuses calls", "[core]") {
    SessionState state = open_session();
    direct(state, "d1", DirectiveKind::kStop);
    state.directives.front().acknowledged = true;
    const HookAnswer answer = answer_hook(state, held_call());
    CHECK(answer.stop == "because");
    CHECK(answer.hard);
    CHECK(answer.delivered.empty());
    CHECK(must_stop(state));
}

TEST_CASE("hook answer: a call whose request was ignored or expired is refused, under any id",
          "[core]") {
    for (const ApprovalStatus status : {ApprovalStatus::kIgnored, ApprovalStatus::kExpired}) {
        SessionState state = open_session();
        state.approvals.requests = {approval(5, status)};
        const bool ignored = status == ApprovalStatus::kIgnored;
        state.approvals.requests.front().decision = ignored ? Decision::kIgnore : Decision::kReject;
        if (!ignored) state.approvals.requests.front().channel = "expiry";
        for (const char* id : {"c1", "c2"})
            CHECK_FALSE(answer_hook(state, held_call(id)).deny.empty());
        HookQuestion granted = held_call("c2");
        granted.granted = true;
        CHECK(answer_hook(state, granted).deny.empty());
        HookQuestion other = held_call("c2");
        other.args_digest = "sha256:2";
        CHECK(answer_hook(state, other).deny.empty());
    }
}

TEST_CASE("hook answer: a permission for a guarded call holds only while that call runs",
          "[core]") {
    SessionState state = open_session();
    state.approvals.requests = {approval(5, ApprovalStatus::kApproved)};
    Approval& approved = state.approvals.requests.front();
    approved.decision = Decision::kApprove;
    approved.run_digest = approved.args_digest;
    approved.let_go = approved.acknowledged = true;
    HookQuestion asked = held_call();
    asked.needs_approval = asked.permission = true;
    CHECK(answer_hook(state, asked).deny.empty());
    approved.status = ApprovalStatus::kExecuted;
    approved.executed_n = 9;
    CHECK_FALSE(answer_hook(state, asked).deny.empty());
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/approvals/approval_expiry.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/events/state_machine.hpp"
#include "core/fold/fold_call.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/session/approval_asks.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"

// Approvals in sessions; the rules themselves are in approvals.hpp.

namespace headway::core {
namespace {

Error unknown(std::string_view session, std::uint64_t n) {
    return {ErrorCode::kUnknownApproval,
            "no approval " + approval_id(session, n) + " was ever asked for", "id"};
}

Error ended(std::string_view what) {
    return {ErrorCode::kSessionEnded,
            "the session has ended; there is nothing left to " + std::string{what},
            {}};
}

Ruling by_grant(std::string_view session, const Grant& grant) {
    Ruling ruling;
    ruling.decision = Decision::kApprove;
    ruling.by = "grant:" + approval_id(session, grant.n);
    ruling.channel = kGrantChannel;
    return ruling;
}

/// A person has rejected this very call, here or elsewhere in the family.
bool person_rejected(const Command& command, const Approval& approval) {
    if (approval.kind != ApprovalKind::kTool) return false;
    const auto& elsewhere = command.context().rejected_elsewhere;
    const std::uint64_t call = call_digest(approval.tool, approval.args_digest);
    return command.state().approvals.is_rejected(approval.tool, approval.args_digest,
                                                 {.now = command.now(), .own = false}) ||
           std::find(elsewhere.begin(), elsewhere.end(), call) != elsewhere.end();
}

std::string what(const Approval& approval) {
    switch (approval.kind) {
        case ApprovalKind::kTool:
            return "the call of " + approval.tool;
        case ApprovalKind::kAuth:
            return "the access";
        case ApprovalKind::kBudgetExtension:
            return "more budget";
        case ApprovalKind::kQuestion:
            break;
    }
    return "the question";
}

std::string with_reason(std::string text, const std::string& reason) {
    return reason.empty() ? text + "." : text + ": " + reason;
}

/// The decision and its consequences, except for the verdict.
void add_decision(Command& command, std::uint64_t n, const Ruling& ruling) {
    const SessionState& state = command.state();
    HEADWAY_ASSERT(state.approvals.find(n) != nullptr);
    const Approval asked = *state.approvals.find(n);
    HEADWAY_ASSERT(asked.n == n && asked.pending());
    const bool allows = ruling.decision == Decision::kApprove || ruling.decision == Decision::kEdit;
    const bool expired = ruling.channel == "expiry";
    ApprovalDecided decided;
    decided.id = approval_id(command.id(), n);
    decided.decision = ruling.decision;
    decided.reason = ruling.reason;
    decided.by = ruling.by;
    decided.channel = ruling.channel;
    decided.scope = ruling.scope;
    decided.match = ruling.match;
    decided.until = ruling.until;
    decided.response = ruling.response;
    if (ruling.decision == Decision::kEdit) {
        decided.edited_args = ruling.edited_args;
        decided.args_digest = ruling.edited_digest;
    } else if (allows) {
        decided.args_digest = asked.args_digest;
    }
    const bool rejects = ruling.decision == Decision::kReject;
    const bool extension = asked.kind == ApprovalKind::kBudgetExtension;
    const bool stop = stops_agent(ruling, asked.kind);
    decided.stop = stop;
    const bool watched = allows && asked.kind == ApprovalKind::kTool &&
                         command.context().approvals != nullptr &&
                         command.context().approvals->execute_within > Millis{0};
    if (watched) decided.execute_by = command.now() + command.context().approvals->execute_within;

    Event event = make_event(std::move(decided), command.now());
    const bool left = asked.of_dialog() && ruling.decision == Decision::kIgnore;
    if (state.approvals.pending() == 1 && !left) {  // the last one: the agent continues
        const bool calls = allows && std::any_of(state.open_calls.begin(), state.open_calls.end(),
                                                 [&](const OpenCall& call) {
                                                     return call.call_id == asked.call_id;
                                                 });
        const AgentState next = calls ? AgentState::kExecutingTool : AgentState::kProcessingPrompt;
        if (state.agent_state == AgentState::kAwaitingPermission) move_to(state, next, event);
    }
    command.append(std::move(event));
    HEADWAY_ASSERT(state.approvals.find(n) != nullptr && !state.approvals.find(n)->pending());
    if (rejects) {
        const DirectiveKind kind = stop        ? DirectiveKind::kStop
                                   : extension ? DirectiveKind::kWrapUp
                                               : DirectiveKind::kChangeApproach;
        const std::string how = expired ? "Nobody decided in time about " + what(asked)
                                        : "A person rejected " + what(asked);
        DirectiveIssued no = next_directive(command, kind, with_reason(how, ruling.reason));
        no.by = ruling.by;
        no.rejects = !expired;
        command.add(std::move(no));
    }
    if (allows && extension) grant_extension(command, asked);
}

}  // namespace

Result<> check_room(const SessionState& state, std::size_t requests) {
    const std::size_t asked = state.approvals.pending() - state.approvals.pending_own();
    if (asked + requests <= limits::kApprovalsAskedMax) return {};
    return Error{ErrorCode::kTooManyApprovals,
                 "at most " + std::to_string(limits::kApprovalsAskedMax) +
                     " requests of a session can wait for a decision; wait for one",
                 {}};
}

Result<> Session::admit_requests(std::size_t count) const {
    return check_room(state_, count);
}

Result<bool> Session::decide(std::uint64_t n, Ruling ruling, const Context& context,
                             std::vector<Event>& out) {
    Command command{*this, context, out};
    const Approval* approval = state_.approvals.find(n);
    if (approval == nullptr) return unknown(id_, n);
    HEADWAY_TRY(const bool open, check_ruling(state_.approvals, *approval, ruling, context.now));
    if (!open) return false;
    if (state_.ended()) return ended("decide");
    if (ruling.decision == Decision::kApprove) HEADWAY_CHECK(check_extends(command, *approval));
    const bool wide = ruling.scope != GrantScope::kOnce;
    const auto live = std::count_if(state_.approvals.grants.begin(), state_.approvals.grants.end(),
                                    [&](const Grant& grant) { return grant.live(context.now); });
    if (wide && static_cast<std::size_t>(live) >= limits::kGrantsMax) {
        return Error{ErrorCode::kTooManyApprovals,
                     "the session has the maximum of grants; revoke one, or approve it once",
                     "/scope"};
    }
    credit_pause(command);
    HEADWAY_ASSERT(approval->pending());
    add_decision(command, n, ruling);
    if (wide) {  // pending requests that are covered now
        std::vector<std::uint64_t> waiting;
        for (const Approval& other : state_.approvals.requests) {
            if (other.pending()) waiting.push_back(other.n);
        }
        for (const std::uint64_t other : waiting)
            settle(command, other);
    }
    add_verdict(command);
    return true;
}

Result<bool> Session::redeem(std::uint64_t n, std::string_view args_digest, std::string_view key,
                             const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    const Approval* approval = state_.approvals.find(n);
    if (approval == nullptr) return unknown(id_, n);
    HEADWAY_TRY(const bool open, check_redeem(*approval, args_digest, key));
    if (!open) return false;
    if (state_.ended()) return ended("redeem");
    const Timestamp end = state_.approvals.lapses_at(*approval);
    if (end != kNever && end <= context.now)
        return Error{ErrorCode::kNotApproved, "its grant has ended; request another approval", {}};
    if (state_.paused() || state_.cancel_requested || state_.stopped)
        return Error{ErrorCode::kNotApproved,
                     state_.paused() ? "the session is paused; redeem it after that"
                                     : "a person has stopped the session",
                     {}};
    credit_pause(command);
    ApprovalRedeemed redeemed;
    redeemed.id = approval_id(id_, n);
    HEADWAY_ASSERT(approval->kind == ApprovalKind::kTool && approval->open());
    redeemed.args_digest = args_digest;
    redeemed.key = key;
    command.add(std::move(redeemed));
    add_verdict(command);
    return true;
}

Result<> Session::revoke(std::uint64_t n, std::string by, std::string reason,
                         const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    const auto& grants = state_.approvals.grants;
    const auto grant = std::find_if(grants.begin(), grants.end(), [&](const Grant& g) {
        return g.n == n && g.live(context.now);
    });
    if (grant == grants.end()) {
        if (state_.ended()) return ended("revoke");
        return Error{ErrorCode::kNoGrant,
                     "it was approved once only, or its grant is over; there is nothing to revoke",
                     {}};
    }
    const std::string tool = grant->tool;
    credit_pause(command);
    ApprovalRevoked revoked;
    revoked.id = approval_id(id_, n);
    revoked.by = by;
    revoked.reason = reason;
    command.add(std::move(revoked));
    close_lapsed(command);
    direct(command, DirectiveKind::kWaitApproval,
           with_reason("Permission for further calls of " + tool +
                           " was withdrawn; ask before the next one",
                       reason),
           std::move(by));
    return {};
}

void ask(Command& command, ApprovalRequested request) {
    const SessionState& state = command.state();
    Event event = make_event(std::move(request), command.now());
    note_state(state, event);
    command.append(std::move(event));
    settle(command, state.n);
}

void ask_for_call(Command& command, std::size_t place) {
    const SessionState& state = command.state();
    if (command.context().asks.empty() || state.ended()) return;
    for (const CallToAllow& call : command.context().asks) {
        // A held call of a stopped session is refused at once: no person has to decide about it.
        if (call.place != place || (call.held && must_stop(state))) continue;
        if (asks_anew(state, call, command.now())) ask(command, call.request);
    }
}

void settle(Command& command, std::uint64_t n) {
    const SessionState& state = command.state();
    const Approval* approval = state.approvals.find(n);
    if (approval == nullptr || !approval->pending()) return;
    ApprovalRequested like;
    like.kind = approval->kind;
    like.tool = approval->tool;
    like.args_digest = approval->args_digest;
    const Grant* grant = person_rejected(command, *approval)
                             ? nullptr
                             : state.approvals.grant_for(like, command.now());
    if (grant != nullptr) add_decision(command, n, by_grant(command.id(), *grant));
}

void add_overdue(Command& command) {
    const SessionState& state = command.state();
    if (state.approvals.requests.empty()) return;
    close_lapsed(command);
    const Attendance there = attendance(state, command.context().watch);
    const std::vector<Approval> before = state.approvals.requests;  // folding changes the list
    for (const Approval& approval : before) {
        const Timestamp left = dialog_ends_at(approval, there.watch.started());
        if (left != kNever && left <= command.now())
            close_dialog(command, approval.n, ApprovalClosing::kLeftToAgent);
        const bool expires = approval.pending() && !approval.of_dialog() && !approval.overdue &&
                             approval.expires_at != kNever &&
                             expiry_of(approval, there.watch) <= command.now();
        if (expires) {
            // Today's rules, not those at the time of the request.
            const bool approves =
                approval.on_expiry == OnExpiry::kApprove &&
                command.context().approvals != nullptr &&
                command.context().approvals->time_may_approve(*state.policy, approval) &&
                !person_rejected(command, approval) &&
                !command.context().approvals->must_ask(command.context().policies_above,
                                                       approval.tool);
            const bool held = approval.on_expiry == OnExpiry::kApprove && !approves;
            ApprovalExpired expired;
            expired.id = approval_id(command.id(), approval.n);
            expired.action = held ? OnExpiry::kHold : approval.on_expiry;
            command.add(std::move(expired));
            Ruling ruling;
            ruling.decision = approves ? Decision::kApprove : Decision::kReject;
            ruling.by = "policy";
            ruling.channel = "expiry";
            const bool decides = approves || approval.on_expiry == OnExpiry::kReject;
            if (decides) add_decision(command, approval.n, ruling);
        }
        const Timestamp overdue = overdue_at(approval, there);
        if (overdue == kNever || overdue > command.now()) continue;
        ApprovalAlarm alarm;
        alarm.alarm = ApprovalAlarmKind::kNeverExecuted;
        alarm.id = approval_id(command.id(), approval.n);
        alarm.tool = approval.tool;
        alarm.evidence = {approval.decided_n};
        command.add(std::move(alarm));
    }
}

/// After each event, because the list drops its oldest.
void Session::note_changed_approvals() {
    for (const Approval& approval : state_.approvals.requests) {
        if (approval.changed_n != state_.n) continue;
        std::erase_if(changed_approvals_, [&](const Approval& a) { return a.n == approval.n; });
        changed_approvals_.push_back(approval);
    }
}

std::vector<Approval> Session::take_changed_approvals() {
    return std::exchange(changed_approvals_, {});
}

Attendance attendance(const SessionState& state, const Watch& watch) {
    Attendance there{watch.since(state.asked_interval), 2 * state.asked_interval, watch};
    if (!state.call_in_flight()) return there;
    const auto runs = [&state](const Approval& approval) {
        const auto& open = state.open_calls;
        const auto is_its = [&approval](const std::string& call_id) {
            return kept_call_id(call_id) == approval.call_id;
        };
        return (state.in_flight_beat && is_its(state.in_flight_beat->call_id)) ||
               std::any_of(open.begin(), open.end(),
                           [&](const OpenCall& call) { return is_its(call.call_id); });
    };
    for (const Approval& approval : state.approvals.requests) {
        if (approval.taken() && runs(approval)) there.running.push_back(approval.n);
    }
    return there;
}

}  // namespace headway::core

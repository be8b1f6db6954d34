// SPDX-License-Identifier: Apache-2.0
#include "core/session/approval_asks.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/hooks/hook_answer.hpp"

namespace headway::core {
namespace {

/// True if a call with that id already ran. Then no other call's approval applies to it.
bool ran_before(const Approvals& approvals, const ApprovalRequested& call) {
    if (call.call_id.empty()) return false;
    return std::any_of(approvals.requests.begin(), approvals.requests.end(),
                       [&](const Approval& a) {
                           return a.tool == call.tool && a.call_id == call.call_id && a.spent();
                       });
}

bool is_free(const SessionState& state, const Approval& approval, const ApprovalRequested& call,
             bool again, bool held) {
    if (!approval.open() || approval.of_dialog() || approval.tool != call.tool ||
        approval.run_digest != call.args_digest)
        return false;
    if (approval.call_id == call.call_id && !call.call_id.empty()) return !approval.let_go;
    // A redeemed one has let its call go; an agent without hooks reports that call now.
    if (held && approval.redeemed_at != kNever) return false;
    if (approval.taken() || again || other_unnamed_in_flight(state, call.tool, call.call_id))
        return false;
    return approval.call_id.empty() || !in_flight(state, approval.call_id);
}

/// True if a request for an equal call waits, that call is over (the agent received the advice to
/// try again later), and no other call may have come to wait for the same.
bool waits_already(const SessionState& state, const ApprovalRequested& call) {
    if (other_unnamed_in_flight(state, call.tool, call.call_id)) return false;
    const auto& requests = state.approvals.requests;
    return std::any_of(requests.begin(), requests.end(), [&](const Approval& a) {
        return a.pending() && !a.of_dialog() && a.kind == ApprovalKind::kTool &&
               a.tool == call.tool && a.args_digest == call.args_digest && !a.call_id.empty() &&
               !in_flight(state, a.call_id);
    });
}

}  // namespace

bool asks_anew(const SessionState& state, const CallToAllow& ask, Timestamp now) {
    const ApprovalRequested& call = ask.request;
    const Approvals& approvals = state.approvals;
    if (waits_already(state, call)) return false;
    const bool granted = !ask.rejected_elsewhere && approvals.grant_for(call, now) != nullptr;
    if (granted || approvals.asked_before(call) != nullptr) return false;
    if (approvals.open_for(call) == nullptr) return true;
    const bool again = ran_before(approvals, call);
    return std::none_of(
        approvals.requests.begin(), approvals.requests.end(),
        [&](const Approval& a) { return is_free(state, a, call, again, ask.held); });
}

bool asks_anew(const SessionState& state, std::span<const CallToAllow> asks, std::size_t place,
               Timestamp now) {
    return std::any_of(asks.begin(), asks.end(), [&](const CallToAllow& call) {
        return call.place == place && asks_anew(state, call, now);
    });
}

}  // namespace headway::core

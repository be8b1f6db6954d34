// SPDX-License-Identifier: Apache-2.0
#include "core/state/person_time.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/calls/tool_names.hpp"

namespace headway::core {
namespace {

bool names(const Approval& approval, std::string_view call_id) {
    return !approval.call_id.empty() && approval.call_id == kept_call_id(call_id);
}

/// True if the approval is about this open call.
bool concerns(const SessionState& state, const Approval& approval, const OpenCall& call) {
    if (names(approval, call.call_id)) return true;
    const auto& open = state.open_calls;
    const bool of_another = std::any_of(open.begin(), open.end(), [&](const OpenCall& other) {
        return names(approval, other.call_id);
    });
    if (of_another) return false;
    if (approval.kind == ApprovalKind::kTool) return approval.tool == call.tool;
    // Any call may be the one that asks. An agent that works on beside its question does not wait.
    return state.calls_while_asked <= limits::kCallsBesideQuestion;
}

}  // namespace

bool held_by_person(const SessionState& state, const OpenCall& call) {
    if (state.paused() || asks_a_person(call.tool)) return true;
    if (!state.waits_for_human()) return state.agent_state == AgentState::kAwaitingPermission;
    const auto& requests = state.approvals.requests;
    return std::any_of(requests.begin(), requests.end(), [&](const Approval& approval) {
        return approval.pending() && concerns(state, approval, call);
    });
}

void hold_calls(SessionState& state, Timestamp at) {
    const Timestamp before = state.budget.clock_at;
    if (state.open_calls.empty() || at <= before) return;
    for (OpenCall& call : state.open_calls) {
        // A tool that asks a person has no time of its own; how long it took is still of interest.
        if (asks_a_person(call.tool) || !held_by_person(state, call)) continue;
        call.since += at - std::max(before, call.since);
        HEADWAY_ASSERT(call.since <= at);
    }
}

void let_run(SessionState& state, const Approval& approval, Timestamp at) {
    for (OpenCall& call : state.open_calls) {
        if (concerns(state, approval, call)) call.since = std::max(call.since, at);
    }
}

Millis running_for(const SessionState& state, const OpenCall& call, Timestamp now) {
    if (asks_a_person(call.tool)) return Millis{0};
    const Timestamp until = held_by_person(state, call) ? state.budget.clock_at : now;
    return std::max(until - call.since, Millis{0});
}

Timestamp allowed_at(const SessionState& state, const ToolFinished& call, Timestamp since,
                     std::uint64_t n) {
    Timestamp allowed = kNever;
    const bool held = state.paused() || state.agent_state == AgentState::kAwaitingPermission;
    if (held) allowed = since;
    for (const Approval& approval : state.approvals.requests) {
        const bool dialog =
            approval.pending() && approval.of_dialog() && approval.tool == call.tool;
        if (!names(approval, call.call_id) && approval.executed_n != n && !dialog) continue;
        const Timestamp decided = std::max(approval.decided_at, approval.redeemed_at);
        allowed = std::max({allowed, since, decided});
    }
    return allowed;
}

Millis time_of_person(const SessionState& state, Timestamp now) {
    const BudgetMeter& meter = state.budget;
    const bool waits = meter.running == BudgetClock::kHuman && now > meter.clock_at;
    return meter.human + (waits ? now - meter.clock_at : Millis{0});
}

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/events/state_machine.hpp"
#include "core/fold/fold_call.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"

// Alarms of sessions: calls that ran against a decision.

namespace headway::core {
namespace {

/// Time at which Headway received the start of the call; `now` if it did not. A call that began
/// under a grant may end after it.
Timestamp began_at(const SessionState& state, const ToolFinished& call, Timestamp now) {
    const auto& open = state.open_calls;
    const auto found = std::find_if(open.begin(), open.end(), [&call](const OpenCall& one) {
        return one.call_id == call.call_id && one.tool == call.tool;
    });
    return call.call_id.empty() || found == open.end() ? now : found->since;
}

/// True if a call that needed approval, and reports no arguments now, was checked when it started:
/// it needed no request then, so a grant of its tool covered it.
bool let_go_by_grant(const SessionState& state, const ToolFinished& call, Timestamp began) {
    if (!call.args.empty() || !call.args_digest.empty() || call.call_id.empty()) return false;
    const auto& grants = state.approvals.grants;
    const bool granted = std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) {
        return grant.kind == ApprovalKind::kTool && grant.tool == call.tool && grant.live(began);
    });
    const std::string id = kept_call_id(call.call_id);
    const auto& asked = state.approvals.requests;
    const bool named = std::any_of(asked.begin(), asked.end(),
                                   [&id](const Approval& a) { return a.call_id == id; });
    // A heartbeat names a call, too, and no tool.
    const bool started = std::any_of(
        state.open_calls.begin(), state.open_calls.end(), [&call](const OpenCall& open) {
            return open.call_id == call.call_id && open.tool == call.tool;
        });
    return granted && !named && started;
}

}  // namespace

Result<> Session::acknowledge_alarms(const AlarmRange& range, std::string by, std::string reason,
                                     const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    AlarmAcknowledged seen;
    for (const RaisedAlarm& raised : state_.approvals.alarms) {
        if (range.has(raised.n)) seen.alarms.push_back(raised.n);
    }
    if (seen.alarms.empty() && range != AlarmRange{}) {
        return Error{ErrorCode::kInvalidField,
                     "no alarm of this session has this number, or it was raised again or "
                     "acknowledged since; `alarms` of GET /v1/sessions/" +
                         id_ + " lists them",
                     range.first == range.last ? "/n" : "/up_to"};
    }
    if (seen.alarms.empty() && state_.approvals.alarms_more == 0) return {};
    credit_pause(command);
    HEADWAY_ASSERT(seen.alarms.size() <= limits::kAlarmsMax);
    seen.by = std::move(by);
    seen.reason = std::move(reason);
    command.add(std::move(seen));
    return {};
}

std::optional<ApprovalAlarm> alarm_before(const Command& command, const Event& event) {
    const SessionState& state = command.state();
    if (const auto* start = std::get_if<ToolStarted>(&event.payload))
        return alarm_of(state.approvals, command.id(), *start);
    const auto* call = std::get_if<ToolFinished>(&event.payload);
    if (call == nullptr) return std::nullopt;
    const ApprovalRules none;
    const Context& context = command.context();
    const ApprovalRules& rules = context.approvals != nullptr ? *context.approvals : none;
    const bool must_ask = rules.must_ask(*state.policy, call->tool) ||
                          rules.must_ask(context.policies_above, call->tool);
    const auto fingerprint_of_call = [call] {
        return call->fingerprint ? *call->fingerprint : plain_fingerprint(*call);
    };
    if (!context.rejected_elsewhere.empty()) {
        auto rejected = alarm_of_rejected(state.approvals, context.rejected_elsewhere, *call,
                                          fingerprint_of_call());
        if (rejected) return rejected;
    }
    if (!must_ask && state.approvals.requests.empty()) return std::nullopt;
    const Timestamp began = began_at(state, *call, command.now());
    if (must_ask && let_go_by_grant(state, *call, began)) return std::nullopt;
    const CallFingerprint fingerprint = fingerprint_of_call();
    auto alarm = alarm_of(state.approvals, command.id(), *call, fingerprint, must_ask, began);
    // It was Headway that refused this one.
    const bool refused = alarm && alarm->alarm == ApprovalAlarmKind::kApprovedButRefused;
    if (refused && must_stop(state)) alarm.reset();
    return alarm;
}

void add_alarm(Command& command, ApprovalAlarm alarm, std::uint64_t cause) {
    const SessionState& state = command.state();
    alarm.evidence.push_back(cause);
    const auto about = parse_approval_id(alarm.id);
    const Approval* asked = about ? state.approvals.find(about->n) : nullptr;
    const bool last = asked != nullptr && asked->pending() && state.approvals.pending() == 1;
    Event event = make_event(std::move(alarm), command.now());
    if (last && state.agent_state == AgentState::kAwaitingPermission) {
        move_to(state, AgentState::kProcessingPrompt,
                event);  // the call ran: nothing to decide any more
    }
    command.append(std::move(event));
}

}  // namespace headway::core

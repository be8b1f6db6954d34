// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/assert.hpp"
#include "core/fold/fold_call.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"

// Requests that end without a decision. Most stand beside an agent's own permission dialog: the
// first answer counts, and one given at the agent shows by what comes next.

namespace headway::core {

std::uint64_t dialog_before(const Command& command, const Event& event) {
    const auto* call = std::get_if<ToolFinished>(&event.payload);
    const Approvals& approvals = command.state().approvals;
    if (call == nullptr || approvals.oldest_pending() == nullptr) return 0;
    return dialog_answered_by(approvals, *call,
                              call->fingerprint ? *call->fingerprint : plain_fingerprint(*call));
}

void close_dialog(Command& command, std::uint64_t n, ApprovalClosing how) {
    const SessionState& state = command.state();
    const Approval* asked = state.approvals.find(n);
    if (asked != nullptr && asked->of_dialog()) close_pending(command, n, how);
}

void close_pending(Command& command, std::uint64_t n, ApprovalClosing how) {
    const SessionState& state = command.state();
    const Approval* asked = state.approvals.find(n);
    if (asked == nullptr || !asked->pending()) return;
    Event event = make_event(ApprovalClosed{approval_id(command.id(), n), how}, command.now());
    // Left to the agent, its own dialog still waits for a person.
    const bool waits = how == ApprovalClosing::kLeftToAgent || state.approvals.pending() > 1;
    if (!waits && state.agent_state == AgentState::kAwaitingPermission)
        move_to(state, AgentState::kProcessingPrompt, event);
    command.append(std::move(event));
    HEADWAY_ASSERT(state.approvals.find(n) == nullptr || !state.approvals.find(n)->pending());
}

void close_lapsed(Command& command) {
    const Approvals& approvals = command.state().approvals;
    std::vector<std::uint64_t> lapsed;
    for (const Approval& approval : approvals.requests) {
        const Timestamp end = approvals.lapses_at(approval);
        if (end != kNever && end <= command.now()) lapsed.push_back(approval.n);
    }
    if (!lapsed.empty()) credit_pause(command);
    for (const std::uint64_t n : lapsed)
        command.add(ApprovalClosed{approval_id(command.id(), n), ApprovalClosing::kGrantEnded});
}

void Session::end_lapsed(const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (!state_.ended() && !state_.about.recorded) close_lapsed(command);
}

std::uint64_t Session::ask_beside_dialog(ApprovalRequested asked, const Context& context,
                                         std::vector<Event>& out) {
    HEADWAY_ASSERT(!state_.ended() && check_room(state_, 1));
    Command command{*this, context, out};
    credit_pause(command);
    asked.source = kDialogSource;
    const std::uint64_t n = state_.n + 1;
    ask(command, std::move(asked));
    HEADWAY_ASSERT(state_.approvals.find(n) != nullptr);
    add_verdict(command);
    return n;
}

void Session::close_dialogs(std::uint64_t n, ApprovalClosing how, const Context& context,
                            std::vector<Event>& out) {
    Command command{*this, context, out};
    std::vector<std::uint64_t> open;
    for (const Approval& asked : state_.approvals.requests) {
        const bool named = n == 0 || asked.n == n;
        if (named && asked.pending() && asked.of_dialog()) open.push_back(asked.n);
    }
    if (open.empty() || state_.ended()) return;
    credit_pause(command);
    for (const std::uint64_t asked : open)
        close_dialog(command, asked, how);
    add_verdict(command);
}

void Session::close_request(std::uint64_t n, ApprovalClosing how, const Context& context,
                            std::vector<Event>& out) {
    const Approval* asked = state_.approvals.find(n);
    if (state_.ended() || asked == nullptr || !asked->pending()) return;
    Command command{*this, context, out};
    credit_pause(command);
    close_pending(command, n, how);
    add_verdict(command);
}

void close_all_pending(Command& command, ApprovalClosing how) {
    std::vector<std::uint64_t> open;
    for (const Approval& asked : command.state().approvals.requests) {
        if (asked.pending()) open.push_back(asked.n);
    }
    for (const std::uint64_t asked : open)
        close_pending(command, asked, how);
}

}  // namespace headway::core

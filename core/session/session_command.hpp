// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/judgement/failure.hpp"
#include "core/session/session.hpp"

// Building blocks of Session's commands. Internal to the session*.cpp files.

namespace headway::core {

/// An event made by Headway itself; Session::append() numbers it. Pure.
inline Event make_event(Payload payload, Timestamp now) {
    Event event;
    event.at = now;
    event.payload = std::move(payload);
    return event;
}

/// The error for a command to an ended session. Pure.
inline Error ended_error(const SessionState& state) {
    if (!state.ended()) {
        return {ErrorCode::kSessionEnded, "no event may follow session.ended in a report", {}};
    }
    return {ErrorCode::kSessionEnded,
            "the session has ended (" + std::string{name_of(*state.outcome)} +
                "); open a new session to report more",
            {}};
}

/// A command that is being carried out: its context, and the session to which it appends events.
/// Lives on the stack of a function of Session.
class Command {
public:
    /// All three arguments must outlive the command.
    Command(Session& session, const Context& context, std::vector<Event>& out)
        : session_(session), context_(context), out_(out) {}

    const std::string& id() const { return session_.id(); }
    /// The state, with all appended events.
    const SessionState& state() const { return session_.state(); }
    const Context& context() const { return context_; }
    Timestamp now() const { return context_.now; }
    /// Appends an event with the command's time.
    void add(Payload payload) { append(make_event(std::move(payload), context_.now)); }
    void append(Event event) { session_.append(std::move(event), out_); }

private:
    Session& session_;
    const Context& context_;
    std::vector<Event>& out_;
};

// session_command.cpp

/// Appends the verdict, if it has changed; `tier` is the proof in the event before the verdict.
void add_verdict(Command& command, Tier tier = Tier::kNone);
/// Appends the next recovery step, if one is due.
void add_advice(Command& command);
/// Ends the session if a failure condition or the policy requires this. Called after a report, when
/// all its events are appended.
void end_itself(Command& command, Failure failure);
/// Ends a session whose agent has claimed completion and has been quiet since then.
void complete_as_said(Command& command);
/// A directive whose id is valid only if the directive is the next event added to the session.
DirectiveIssued next_directive(const Command& command, DirectiveKind kind, std::string reason);
/// Issues a directive. `by` is the person who issues the directive, or empty.
void direct(Command& command, DirectiveKind kind, std::string reason, std::string by);
/// Appends progress.stats if the number of tool calls is a multiple of Policy::stats_every. Called
/// when that number has grown.
void add_stats(Command& command);
/// Sets `event.state` to the agent's state that the event reports or implies.
void note_state(const SessionState& state, Event& event);
/// Sets `event.state` to `next`, unless the agent is already in that state.
void move_to(const SessionState& state, AgentState next, Event& event);
/// Sets the heartbeat interval in the event, if the interval has changed.
void ask_interval(const SessionState& state, const Context& context, Event& event);

// session_budget.cpp

/// Credits the time in which Headway did not listen. Called before the first event of a command,
/// because that event charges the time up to itself.
void credit_pause(Command& command);
/// Appends budget.level if the level has changed.
void add_budget_level(Command& command);
/// Appends budget.updated for a step, if BudgetRules::updates is set and the session has a limit.
void add_budget_update(Command& command);
/// Acts on the budget level, after everything else: issues directives, grants extra time for a call
/// in flight, or ends the session. `asked`: the agent has sent a report, and its reply carries the
/// directives. `stepped`: the agent took a step after a directive to stop.
void follow_budget(Command& command, bool asked, bool stepped);
/// Adds to existing limits; precondition: the session is open and each added amount has a limit.
void add_extension(Command& command, BudgetExtended extended);
/// Checks that approving this request would extend the budget; otherwise the approver would wrongly
/// believe in an extension. Error: kInvalidField.
Result<> check_extends(const Command& command, const Approval& asked);
/// Extends the budget by the approved amounts. No other function does this.
void grant_extension(Command& command, const Approval& approved);

// session_approvals.cpp

/// Checks that `requests` more approvals fit. Error: kTooManyApprovals.
Result<> check_room(const SessionState& state, std::size_t requests);
/// Called before `event` is folded. Returns an alarm if the started or finished call lacked
/// approval. Only a report with the same event_id is a repetition. Any other report is checked like
/// the first report of a call, because an agent can choose all other fields freely.
std::optional<ApprovalAlarm> alarm_before(const Command& command, const Event& event);
/// Appends `alarm` after the call that caused it, event `cause`.
void add_alarm(Command& command, ApprovalAlarm alarm, std::uint64_t cause);
/// Appends the approval request, and its decision if a grant covers it.
void ask(Command& command, ApprovalRequested request);
/// Requests approval for the tool.started at this index of the report, unless the call is already
/// allowed or asked about.
void ask_for_call(Command& command, std::size_t place);
/// Decides request `n` at once, if a grant covers it.
void settle(Command& command, std::uint64_t n);
/// Closes lapsed approvals, and appends the events that are due by now: the expiry of requests, the
/// end of dialogs, and alarms about approved calls that were not executed in time.
void add_overdue(Command& command);
/// Closes the unused approvals of grants that have ended.
void close_lapsed(Command& command);
/// The times and running calls for overdue_at() and next_deadline().
Attendance attendance(const SessionState& state, const Watch& watch);

// session_dialogs.cpp

/// Called before `event` is folded: the number of the dialog request that, according to `event`,
/// was answered at the agent; 0 = none.
std::uint64_t dialog_before(const Command& command, const Event& event);
/// Ends the request `n` of a dialog without a decision, if it is pending.
void close_dialog(Command& command, std::uint64_t n, ApprovalClosing how);
/// The same for a request of any kind. The verdict is the caller's.
void close_pending(Command& command, std::uint64_t n, ApprovalClosing how);
/// The same for all pending requests of the session.
void close_all_pending(Command& command, ApprovalClosing how);

// session_checks.cpp

/// Appends the start of a status check. Precondition: the context has a judge.
void add_check(Command& command, CheckCause cause, std::string check_id, std::string by);
/// Appends the start of a status check if check_due() names a cause and there is a judge.
void add_due_check(Command& command);

}  // namespace headway::core

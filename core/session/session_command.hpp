// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/judgement/failure.hpp"
#include "core/session/session.hpp"

// The parts that the commands of Session are made of. Internal to the session*.cpp files.

namespace headway::core {

/// An event of Headway's own; Session::append numbers it. Pure.
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

/// One command while it is carried out: its context, and the session that it appends events to.
/// Lives on the stack of a function of Session.
class Command {
public:
    /// All three outlive it.
    Command(Session& session, const Context& context, std::vector<Event>& out)
        : session_(session), context_(context), out_(out) {}

    const std::string& id() const { return session_.id(); }
    const SessionState& state() const { return session_.state(); }  ///< with all that was appended
    const Context& context() const { return context_; }
    Timestamp now() const { return context_.now; }
    /// Appends an event of the time of the command.
    void add(Payload payload) { append(make_event(std::move(payload), context_.now)); }
    void append(Event event) { session_.append(std::move(event), out_); }

private:
    Session& session_;
    const Context& context_;
    std::vector<Event>& out_;
};

// session_command.cpp

/// The verdict, if it is another than before; `tier` is what the event before it proves.
void add_verdict(Command& command, Tier tier = Tier::kNone);
/// The next recovery step, if one is due.
void add_advice(Command& command);
/// After a report, when every event of it is stored: the end that a failure condition or the policy
/// requires.
void end_itself(Command& command, Failure failure);
/// The end of a session whose agent claimed completion and was quiet since.
void complete_as_said(Command& command);
void direct(Command& command, DirectiveKind kind, std::string reason, std::string by);
void add_stats(Command& command);
/// Sets the agent's state that `event` says or implies.
void note_state(const SessionState& state, Event& event);
/// Sets the state on the event, unless the agent is already in it.
void move_to(const SessionState& state, AgentState next, Event& event);
/// Sets the interval of heartbeats on the event, if it is another than before.
void ask_interval(const SessionState& state, const Context& context, Event& event);

// session_budget.cpp

/// Before the first event of a command: each event charges the time up to it, but time in which
/// Headway was down or stopped is credited.
void credit_pause(Command& command);
void add_budget_level(Command& command);
void add_budget_update(Command& command);
/// Acts on the budget level, after everything else: directives, extra time for a call in flight,
/// the end. `asked`: the agent reported and its reply carries the directives; `stepped`: it took a
/// step after a directive to stop.
void follow_budget(Command& command, bool asked, bool stepped);
/// Adds to limits that exist; precondition: the session is open and each of them has a limit.
void add_extension(Command& command, BudgetExtended extended);
/// Error: kInvalidField if approving this request would add nothing, because the approver would
/// believe that it was granted.
Result<> check_extends(const Command& command, const Approval& asked);
/// The one place where an approval becomes budget.
void grant_extension(Command& command, const Approval& approved);

// session_approvals.cpp

/// Error: kTooManyApprovals.
Result<> check_room(const SessionState& state, std::size_t requests);
/// Before `event` is folded: the alarm if the started or finished call lacked approval. A repeated
/// report is checked like the first: only the same event_id makes it the same report, because an
/// agent chooses everything else.
std::optional<ApprovalAlarm> alarm_before(const Command& command, const Event& event);
/// Appended after the call that caused it, event `cause`.
void add_alarm(Command& command, ApprovalAlarm alarm, std::uint64_t cause);
void ask(Command& command, ApprovalRequested request);
/// Requests approval for the tool.started at this index of the report, unless the call is already
/// allowed or asked about.
void ask_for_call(Command& command, std::size_t place);
/// Decides request `n` at once if a grant covers it.
void settle(Command& command, std::uint64_t n);
void add_overdue(Command& command);
Attendance attendance(const SessionState& state, const Watch& watch);

// session_dialogs.cpp

/// Before `event` is folded: number of the dialog's request that it shows to be answered at the
/// agent; 0 = none.
std::uint64_t dialog_before(const Command& command, const Event& event);
/// Ends the request `n` of a dialog without a decision, if it is pending.
void close_dialog(Command& command, std::uint64_t n, ApprovalClosing how);

// session_checks.cpp

/// Precondition: the context has a judge.
void add_check(Command& command, CheckCause cause, std::string check_id, std::string by);
void add_due_check(Command& command);

}  // namespace headway::core

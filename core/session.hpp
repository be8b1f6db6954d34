// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget_settings.hpp"
#include "core/failure.hpp"
#include "core/policy_floor.hpp"
#include "core/result.hpp"
#include "core/session_state.hpp"
#include "core/verdict.hpp"
#include "core/watch.hpp"

namespace headway::core {

/// A call of a report that needs a person's permission, as the edge has made the request of it.
struct CallToAllow {
    std::size_t place = 0;  ///< of its tool.started in the report
    ApprovalRequested request;
};

/// The daemon's own rules of approval: they hold whatever a session's policy or a report says.
struct ApprovalRules {
    std::vector<std::string> require_tools;           ///< calls of these need approval
    Millis execute_within{std::chrono::minutes{10}};  ///< of an approved call; 0 = no alarm

    /// Tools whose calls may be approved by nothing but time, if the agent asks for it; never those
    /// that a person has to allow.
    std::vector<std::string> approve_on_expiry;
    /// Of such a request, the least time that a person has to say no.
    Millis approve_on_expiry_after{std::chrono::minutes{5}};

    /// Whether a person has to allow this tool's calls.
    bool must_ask(const Policy& policy, std::string_view tool) const;
    /// Whether time alone may approve a request: never a critical one, nor one that hides anything.
    bool time_may_approve(const Policy& policy, const Approval& asked) const;
    /// Whether an agent may ask so. Errors: kInvalidField.
    Result<> check_request(const Policy& policy, const ApprovalRequested& asked) const;
};

/// What surrounds a command: time and attention enter as data.
struct Context {
    Timestamp now = kNever;
    Watch watch;                        ///< since when Headway has been listening, and its own gaps
    bool watched = false;               ///< somebody waits for or watches this session
    std::uint32_t load = 1;             ///< factor on the heartbeat interval, 1..8
    bool children_work = false;         ///< a session that this one opened is alive
    const JudgeRules* judge = nullptr;  ///< null = nobody to ask
    const ApprovalRules* approvals = nullptr;  ///< null = no tool needs approval, no alarms
    const PolicyFloor* floor = nullptr;    ///< of whoever opens a session; null = may control it
    const BudgetBounds* bounds = nullptr;  ///< of what an extension comes to; null = none
    std::span<const CallToAllow> asks;     ///< calls of the report in work, by place
};

/// One supervised session: decides what a command means, as events, and folds events into its
/// state.
///
/// The deciding functions append their events to `out`, numbered and already folded into this
/// object. The caller makes them durable before it shows anything of them; when that fails it drops
/// this object and loads the session again, so memory is never ahead of disk. Supervisor thread
/// only (a plain value, no locking).
class Session {
public:
    explicit Session(std::string id);
    /// A session as a snapshot left it.
    Session(std::string id, SessionState state);

    /// Opens the session; precondition: nothing happened yet. `defaults` fill what `about` leaves
    /// open.
    void open(SessionStarted about, const Policy& defaults, const Context& context,
              std::vector<Event>& out);

    /// Gives a session that a report opened the opening of whoever works in it. Without the scope
    /// `control` (a floor in the context) it may only tighten. Errors: kForbidden, naming the
    /// field; kSessionEnded.
    Result<> amend(SessionStarted again, const Policy& defaults, const Context& context,
                   std::vector<Event>& out);

    /// Whether these events can be stored, all of them; changes nothing.
    /// Errors: kStaleAttempt, kSessionEnded; kInvalidField for an end with `budget_exhausted` while
    /// there is a budget and it is not.
    Result<> admit(std::span<const Event> events) const;

    /// Takes admitted events, in order, each followed by what it caused. `events` is moved from.
    void report(std::span<Event> events, const Context& context, std::vector<Event>& out);

    /// Asks the agent to stop: `session.cancel_requested` and a `stop` directive. Repeating it
    /// changes nothing. Error: kSessionEnded.
    Result<> cancel(std::string reason, const Context& context, std::vector<Event>& out);

    /// Tells the agent to pause until resume(); meanwhile it is `waiting`. Repeating either changes
    /// nothing. `by` is whoever said so, as far as known. Error: kSessionEnded.
    Result<> pause(std::string reason, std::string by, const Context& context,
                   std::vector<Event>& out);
    Result<> resume(std::string reason, std::string by, const Context& context,
                    std::vector<Event>& out);
    /// Gives the agent a person's words, as a directive to change its approach. Error:
    /// kSessionEnded.
    Result<> nudge(std::string text, std::string by, const Context& context,
                   std::vector<Event>& out);

    /// Takes back and forth with another session of its run over one file (RunFiles). Changes
    /// nothing in a session that has ended.
    void note_conflict(RunConflict conflict, const Context& context, std::vector<Event>& out);

    /// Gives the session these limits in place of what it had; none at all ends its budget.
    /// Error: kSessionEnded.
    Result<> set_budget(BudgetSet set, const Context& context, std::vector<Event>& out);

    /// Adds to the limits that are set; `approval` is the request that was approved, or empty.
    /// Errors: kSessionEnded; kInvalidField (`/extend/..`) for a dimension without a limit.
    Result<> extend_budget(const BudgetLimits& added, std::string by, std::string reason,
                           std::string approval, const Context& context, std::vector<Event>& out);

    /// What a session that this one opened has used by now. Nothing when this one has ended or
    /// knows it already.
    void child_progress(ChildProgress progress, const Context& context, std::vector<Event>& out);

    /// The budget of `parent`, a session above this one whose limits this one's use counts for, is
    /// at this level: the agent gets its directives when that is news. Changes nothing in a session
    /// that has ended.
    void heed_parent(const std::string& parent, BudgetLevel level, const Context& context,
                     std::vector<Event>& out);

    /// Whether so many more approvals can be asked for. Error: kTooManyApprovals.
    Result<> admit_requests(std::size_t count) const;

    /// Decides approval `n`; true when it was decided now, false when the same was decided before.
    /// A rejection directs the agent to stop or to change its approach, an approved extension
    /// extends the budget, an approval with a scope answers equal requests of the session too.
    /// Errors: kUnknownApproval, kAlreadyDecided, kInvalidField, kSessionEnded, kTooManyApprovals
    /// (as many grants as a session may have).
    Result<bool> decide(std::uint64_t n, Ruling ruling, const Context& context,
                        std::vector<Event>& out);

    /// Takes the one use of approval `n`; true when it was taken now, false when `key` took it
    /// before. Errors: kUnknownApproval, kNotApproved, kDigestMismatch, kAlreadyRedeemed,
    /// kSessionEnded.
    Result<bool> redeem(std::uint64_t n, std::string_view args_digest, std::string_view key,
                        const Context& context, std::vector<Event>& out);

    /// Ends the grant that approval `n` made, and tells the agent. Errors: kNoGrant, kSessionEnded.
    Result<> revoke(std::uint64_t n, std::string by, std::string reason, const Context& context,
                    std::vector<Event>& out);

    /// A person has seen alarm `n` (a number of an approval.alarm event), or all of them for 0.
    /// Changes nothing when there are none. Also of a session that has ended: what went wrong in it
    /// asks for attention until somebody saw it. Error: kInvalidField for an `n` that is no alarm
    /// (any more).
    Result<> acknowledge_alarms(std::uint64_t n, std::string by, std::string reason,
                                const Context& context, std::vector<Event>& out);

    /// Asks a judge for its opinion; false when this check is under way already. The question
    /// itself is the caller's to send, as the check.requested event says. Errors: kSessionEnded,
    /// kNoJudge, kTooManyChecks.
    Result<bool> request_check(std::string check_id, std::string by, const Context& context,
                               std::vector<Event>& out);

    /// How a check ended. Changes nothing when it is not under way or the session has ended.
    void complete_check(CheckCompleted completed, const Context& context, std::vector<Event>& out);

    /// A judge's estimate of how far the session has come. Changes nothing in one that has ended.
    void note_estimate(ProgressEstimated said, const Context& context, std::vector<Event>& out);

    /// Time passed: appends what requests and approved calls that are overdue lead to, the verdict
    /// that silence deserves, and what the time used of the budget asks for, if anything.
    void tick(const Context& context, std::vector<Event>& out);

    /// Folds an event from the journal.
    void apply(const Event& event);

    /// When tick() is due next, later than `past`; kNever when time alone changes nothing.
    Timestamp next_deadline(const Watch& watch, Timestamp past = kNever) const;

    /// Approvals as events that were decided here left them, each once, and forgets that they
    /// changed: what the index over all sessions has to follow.
    std::vector<Approval> take_changed_approvals();

    const std::string& id() const noexcept { return id_; }
    const SessionState& state() const noexcept { return state_; }
    const JudgementPtr& judgement() const noexcept { return judgement_; }
    /// The newest estimate of progress, or null.
    const EstimatePtr& estimate() const noexcept { return estimate_; }

private:
    void add(Event event, std::vector<Event>& out);
    void add_verdict(const Context& context, std::vector<Event>& out, Tier tier = Tier::kNone);
    void add_advice(const Context& context, std::vector<Event>& out);
    /// After a report, so that every event of it is stored: the end that a failure condition or the
    /// policy asks for.
    void end_itself(Failure failure, const Context& context, std::vector<Event>& out);
    bool may_stop(const Context& context, std::vector<Event>& out);
    void complete_as_said(const Context& context, std::vector<Event>& out);
    void direct(DirectiveKind kind, std::string reason, std::string by, const Context& context,
                std::vector<Event>& out);
    // session_budget.cpp
    /// Before the first event of whatever is decided: each event charges the time up to it.
    void credit_pause(const Context& context, std::vector<Event>& out);
    void add_budget_level(const Context& context, std::vector<Event>& out);
    void add_budget_update(const Context& context, std::vector<Event>& out);
    /// What the level asks for, after everything else: directives, more time for a call in flight,
    /// the end. `asked`: the agent reported and its reply carries the directives; `stepped`: it
    /// took a step although it had been told to stop.
    void follow_budget(bool asked, bool stepped, const Context& context, std::vector<Event>& out);
    bool extend_for_calls(const Context& context, std::vector<Event>& out);
    BudgetLimits extension_of(const Approval& asked, const Context& context) const;
    Result<> check_extends(const Approval& asked, const Context& context) const;
    void grant_extension(const Approval& approved, const Context& context, std::vector<Event>& out);
    void end_by_budget(bool stepped, const Context& context, std::vector<Event>& out);
    void add_stats(const Context& context, std::vector<Event>& out);
    void note_state(Event& event) const;
    void move_to(AgentState state, Event& event) const;
    void ask_interval(const Context& context, Event& event) const;

    // session_approvals.cpp
    std::optional<ApprovalAlarm> alarm_before(const Event& event, const Context& context) const;
    void add_alarm(ApprovalAlarm alarm, std::uint64_t cause, const Context& context,
                   std::vector<Event>& out);
    void ask(ApprovalRequested request, const Context& context, std::vector<Event>& out);
    void ask_for_call(std::size_t place, const Context& context, std::vector<Event>& out);
    void settle(std::uint64_t n, const Context& context, std::vector<Event>& out);
    void add_decision(std::uint64_t n, const Ruling& ruling, const Context& context,
                      std::vector<Event>& out);
    void add_overdue(const Context& context, std::vector<Event>& out);
    void note_changed_approvals();

    // session_checks.cpp
    void add_check(CheckCause cause, std::string check_id, std::string by, const Context& context,
                   std::vector<Event>& out);
    void add_due_check(const Context& context, std::vector<Event>& out);

    Attendance attendance(const Watch& watch) const;

    std::string id_;
    SessionState state_;
    JudgementPtr judgement_;  ///< state_.judgement, shared with views
    EstimatePtr estimate_;    ///< Estimates::current, shared with them too
    std::vector<Approval> changed_approvals_;
};

}  // namespace headway::core

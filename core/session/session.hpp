// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/judgement/failure.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/meters/fan_out.hpp"
#include "core/policies/policy_floor.hpp"
#include "core/state/session_state.hpp"
#include "core/values/verdict.hpp"
#include "core/values/watch.hpp"

namespace headway::core {

/// A call in a report that needs a person's approval, with the request that the decoder made for
/// it.
struct CallToAllow {
    std::size_t place = 0;  ///< index of its tool.started in the report
    ApprovalRequested request;
    bool held = false;  ///< it waits for the reply to its hook
};

/// The daemon's own approval rules. They hold regardless of a session's policy or a report.
struct ApprovalRules {
    std::vector<std::string> require_tools;           ///< calls of these need approval
    Millis execute_within{std::chrono::minutes{10}};  ///< of an approved call; 0 = no alarm

    /// Tools whose requests may be approved by expiry, if the agent asks for it; never tools that
    /// need a person.
    std::vector<std::string> approve_on_expiry;
    /// Minimum time that a person has to reject such a request.
    Millis approve_on_expiry_after{std::chrono::minutes{5}};

    /// How long a person is asked beside an agent's own dialog before that decides alone; 0 = not
    /// at all.
    Millis agent_dialog_wait{std::chrono::hours{1}};
    /// Also of agents that ask their hook about calls which their own rules allow.
    bool copilot_dialogs = false;

    /// True if a person must allow this tool's calls.
    bool must_ask(const Policy& policy, std::string_view tool) const;
    /// True if expiry may approve the request: never a critical one, nor one with hidden parts.
    bool time_may_approve(const Policy& policy, const Approval& asked) const;
    /// Whether an agent may make this request. Errors: kInvalidField.
    Result<> check_request(const Policy& policy, const ApprovalRequested& asked) const;
};

/// SessionEnded::code when the process of the agent has ended in its turn.
inline constexpr std::string_view kAgentGone = "agent_gone";
/// The same of a session that a person has ended.
inline constexpr std::string_view kEndedByPerson = "ended_by_person";
/// The same of a session that has ended with the one that opened it.
inline constexpr std::string_view kParentEnded = "parent_ended";

/// The context of a command: time and attention enter as data.
struct Context {
    Timestamp now = kNever;
    Watch watch;                               ///< attention gaps
    bool watched = false;                      ///< a client waits for or watches this session
    std::uint32_t load = 1;                    ///< factor on the heartbeat interval, 1..8
    bool children_work = false;                ///< a session that this one opened is alive
    bool agent_runs = false;                   ///< the process of the agent is alive
    const JudgeRules* judge = nullptr;         ///< null = no judge
    const ApprovalRules* approvals = nullptr;  ///< null = no tool needs approval, no alarms
    const PolicyFloor* floor = nullptr;    ///< for an opening without `control`; null = no floor
    const BudgetBounds* bounds = nullptr;  ///< for the limits after an extension; null = none
    std::span<const CallToAllow> asks;     ///< calls of the current report, by index
    const FanOutRules* fan_out = nullptr;  ///< null = sub-agents without limit
    bool agent_works = false;              ///< that process, or one that it started, computes
    bool of_daemon = false;                ///< a report of the daemon's own: it asks by itself
};

/// One supervised session: decides which events a command causes, and folds events into its state.
///
/// The deciding functions append their events to `out`, numbered and already folded into this
/// object. The caller makes them durable before showing any of them. If that fails, it drops this
/// object and reloads the session, so memory is never ahead of disk. Supervisor thread only (a
/// plain value, no locking).
class Session {
public:
    explicit Session(std::string id);
    /// Restores a session from a snapshot.
    Session(std::string id, SessionState state);

    // Compiled once: the state has all detectors.
    Session(const Session& other);
    Session(Session&& other) noexcept;
    Session& operator=(const Session& other);
    Session& operator=(Session&& other) noexcept;
    ~Session();

    /// Opens the session; precondition: no events yet. `defaults` fill what `about` leaves open.
    void open(SessionStarted about, const Policy& defaults, const Context& context,
              std::vector<Event>& out);

    /// Applies an opening to a session that a report opened implicitly. Without the scope `control`
    /// (a floor in the context) it may only tighten. Errors: kForbidden, naming the field;
    /// kSessionEnded.
    Result<> amend(SessionStarted again, const Policy& defaults, const Context& context,
                   std::vector<Event>& out);

    /// Checks that all these events can be stored; changes nothing. Errors: kStaleAttempt,
    /// kSessionEnded; kInvalidField for an end with `budget_exhausted` while the budget is not
    /// exhausted.
    Result<> admit(std::span<const Event> events) const;

    /// Takes admitted events, in order, each followed by its consequences. `events` is moved from.
    void report(std::span<Event> events, const Context& context, std::vector<Event>& out);

    /// Asks the agent to stop: `session.cancel_requested` and a `stop` directive. Repeating it
    /// changes nothing. Error: kSessionEnded.
    Result<> cancel(std::string reason, const Context& context, std::vector<Event>& out);

    /// Tells the agent to pause until resume(); meanwhile it is `waiting`. Repeating either changes
    /// nothing. `by` is the person, if known. Error: kSessionEnded.
    Result<> pause(std::string reason, std::string by, const Context& context,
                   std::vector<Event>& out);
    Result<> resume(std::string reason, std::string by, const Context& context,
                    std::vector<Event>& out);
    /// Sends a person's words to the agent, as a directive to change its approach. Error:
    /// kSessionEnded.
    Result<> nudge(std::string text, std::string by, const Context& context,
                   std::vector<Event>& out);

    /// Records a conflict with another session of its run over one file (RunFiles). Changes nothing
    /// in an ended session.
    void note_conflict(RunConflict conflict, const Context& context, std::vector<Event>& out);

    /// Replaces the session's limits; no limits at all end its budget. Error: kSessionEnded.
    Result<> set_budget(BudgetSet set, const Context& context, std::vector<Event>& out);

    /// Adds to existing limits; `approval` is the approved request, or empty. Errors:
    /// kSessionEnded; kInvalidField (`/extend/..`) for a dimension without a limit.
    Result<> extend_budget(const BudgetLimits& added, std::string by, std::string reason,
                           std::string approval, const Context& context, std::vector<Event>& out);

    /// Use of a child session so far, and its own children: more of them than the context allows
    /// raise an alarm. Changes nothing if this session has ended or already knows it.
    void child_progress(ChildProgress progress, const Context& context, std::vector<Event>& out);

    /// The budget of the ancestor `parent`, which this session's use counts for, is at this level.
    /// A changed level causes directives. Changes nothing in an ended session.
    void heed_parent(const std::string& parent, BudgetLevel level, const Context& context,
                     std::vector<Event>& out);

    /// The session that opened this one has ended, and so does this one: at once if it lives in the
    /// same process (`within`) or does not report, else once it has not reported for long; until
    /// then it gets a directive to stop. Changes nothing in an ended session.
    void parent_ended(bool within, const Context& context, std::vector<Event>& out);

    /// Whether this many more approvals can be requested. Error: kTooManyApprovals.
    Result<> admit_requests(std::size_t count) const;

    /// Asks a person beside the agent's own dialog, which the request names as its source; a grant
    /// may answer it at once. Returns the number of the approval. Precondition: open, and
    /// admit_requests(1).
    std::uint64_t ask_beside_dialog(ApprovalRequested asked, const Context& context,
                                    std::vector<Event>& out);

    /// Ends pending requests of dialogs without a decision: `n`, or all of them for 0. Changes
    /// nothing if there are none.
    void close_dialogs(std::uint64_t n, ApprovalClosing how, const Context& context,
                       std::vector<Event>& out);

    /// Ends the pending request `n` for a daily cap, which has room again, without a decision.
    /// Changes nothing if it is not pending.
    void close_extension(std::uint64_t n, const Context& context, std::vector<Event>& out);

    /// Decides approval `n`; true if decided now, false if the same was decided before. A rejection
    /// directs the agent to stop or to change its approach, an approved extension extends the
    /// budget, and an approval with a scope also answers equal requests of the session. Errors:
    /// kUnknownApproval, kAlreadyDecided, kInvalidField, kSessionEnded, kTooManyApprovals (the
    /// maximum of grants is reached).
    Result<bool> decide(std::uint64_t n, Ruling ruling, const Context& context,
                        std::vector<Event>& out);

    /// Redeems approval `n`; true if redeemed now, false if `key` redeemed it before. Errors:
    /// kUnknownApproval, kNotApproved, kDigestMismatch, kAlreadyRedeemed, kSessionEnded.
    Result<bool> redeem(std::uint64_t n, std::string_view args_digest, std::string_view key,
                        const Context& context, std::vector<Event>& out);

    /// Ends the grant made by approval `n`, and tells the agent. Errors: kNoGrant, kSessionEnded.
    Result<> revoke(std::uint64_t n, std::string by, std::string reason, const Context& context,
                    std::vector<Event>& out);

    /// A person has seen alarm `n` (the number of an approval.alarm event), or all alarms for 0.
    /// Changes nothing if there are none. Also for ended sessions, whose alarms need attention
    /// until a person has seen them. Error: kInvalidField if `n` is not an open alarm.
    Result<> acknowledge_alarms(std::uint64_t n, std::string by, std::string reason,
                                const Context& context, std::vector<Event>& out);

    /// Requests a judge's opinion; false if this check is already in flight. The caller sends the
    /// question described by the check.requested event. Errors: kSessionEnded, kNoJudge,
    /// kTooManyChecks, kInvalidId for a new id of the form of Headway's own.
    Result<bool> request_check(std::string check_id, std::string by, const Context& context,
                               std::vector<Event>& out);

    /// Ends a check. Changes nothing if it is not in flight or the session has ended.
    void complete_check(CheckCompleted completed, const Context& context, std::vector<Event>& out);

    /// Records a judge's estimate of progress. Changes nothing in an ended session.
    void note_estimate(ProgressEstimated estimate, const Context& context, std::vector<Event>& out);

    /// Time passed: appends expiries of requests and approved calls, the verdict for silence, and
    /// the consequences of the time budget.
    void tick(const Context& context, std::vector<Event>& out);

    /// The process of the agent has ended: so has the session, as completed when its turn was over,
    /// else as failed with the code `agent_gone`. Changes nothing in an ended session.
    void agent_gone(const Context& context, std::vector<Event>& out);

    /// Folds an event from the journal.
    void apply(const Event& event);

    /// When tick() is next due, later than `past`; kNever if time alone changes nothing.
    Timestamp next_deadline(const Watch& watch, Timestamp past = kNever,
                            bool agent_runs = false) const;

    /// Returns approvals that changed since the last call, each once, for the index over all
    /// sessions.
    std::vector<Approval> take_changed_approvals();

    const std::string& id() const noexcept { return id_; }
    const SessionState& state() const noexcept { return state_; }
    /// Shared with views; never null.
    const JudgementPtr& judgement() const noexcept { return state_.judgement.pointer(); }
    /// The newest estimate of progress, or null.
    const EstimatePtr& estimate() const noexcept { return estimate_; }

private:
    friend class Command;
    void append(Event event, std::vector<Event>& out);
    void note_changed_approvals();

    std::string id_;
    SessionState state_;
    EstimatePtr estimate_;  ///< Estimates::current, shared with views
    std::vector<Approval> changed_approvals_;
};

}  // namespace headway::core

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

/// A call in a report that needs a person's approval, with the request that the decoder made.
struct CallToAllow {
    std::size_t place = 0;  ///< index of the call's tool.started in the report
    ApprovalRequested request;
    bool held = false;  ///< the call waits for the reply to its hook
    /// A person rejected the call in another session of the family: no grant of its tool covers it.
    bool rejected_elsewhere = false;
};

/// The daemon's own approval rules. They apply whatever a session's policy or a report says.
struct ApprovalRules {
    std::vector<std::string> require_tools;           ///< tools whose calls need approval
    Millis execute_within{std::chrono::minutes{10}};  ///< time to run an approved call; 0 = no
                                                      ///< alarm

    /// Tools whose requests may be approved when they expire, if the agent asks for this; never
    /// tools that need a person.
    std::vector<std::string> approve_on_expiry;
    /// The least time that a person has to reject such a request.
    Millis approve_on_expiry_after{std::chrono::minutes{5}};

    /// How long a person is asked in addition to the agent's own dialog; after that, the dialog
    /// decides alone. 0 = not at all.
    Millis agent_dialog_wait{std::chrono::hours{1}};
    /// Whether agent_dialog_wait also applies to agents that call their permission hook even if
    /// their own rules allow the call.
    bool copilot_dialogs = false;

    /// True if a person must allow this tool's calls.
    bool must_ask(const Policy& policy, std::string_view tool) const;
    /// True if an ancestor's policy (`above`) requires that a person allows this tool's calls.
    bool must_ask(std::span<const Policy* const> above, std::string_view tool) const;
    /// True if the request may be approved when it expires; false for a critical request and for
    /// one with hidden parts.
    bool time_may_approve(const Policy& policy, const Approval& asked) const;
    /// Checks that an agent may make this request. Errors: kInvalidField.
    Result<> check_request(const Policy& policy, const ApprovalRequested& asked) const;
};

/// SessionEnded::code of a job whose ping did not arrive in time.
inline constexpr std::string_view kMissing = "missing";
/// SessionEnded::code when the agent's process ended before the agent's turn was over.
inline constexpr std::string_view kAgentGone = "agent_gone";
/// SessionEnded::code of a session that a person has ended.
inline constexpr std::string_view kEndedByPerson = "ended_by_person";
/// SessionEnded::code of a session that was ended because its parent had ended.
inline constexpr std::string_view kParentEnded = "parent_ended";

/// The context of a command: the time and all other facts about the environment, as data.
struct Context {
    Timestamp now = kNever;
    Watch watch;                        ///< when Headway listened
    bool watched = false;               ///< a client waits for or watches this session
    std::uint32_t load = 1;             ///< factor on the heartbeat interval, 1..8
    bool children_work = false;         ///< a child session is alive
    bool agent_runs = false;            ///< the process of the agent is alive
    const JudgeRules* judge = nullptr;  ///< rules for asking a judge; null = no judge
    /// Approval rules; null = no tool needs approval, and there are no alarms.
    const ApprovalRules* approvals = nullptr;
    /// Policies of the ancestor sessions, which also bind this session.
    std::span<const Policy* const> policies_above;
    /// Floor for an opening without the scope `control`; null = none.
    const PolicyFloor* floor = nullptr;
    /// Bounds of the limits after an extension; null = no bounds.
    const BudgetBounds* bounds = nullptr;
    /// Calls of the current report, as call_digest(), that a person rejected in another session of
    /// the family and has not allowed in this one.
    std::span<const std::uint64_t> rejected_elsewhere;
    /// Calls of the current report that need approval, in the order of the report.
    std::span<const CallToAllow> asks;
    const FanOutRules* fan_out = nullptr;  ///< limits of sub-agents; null = no limits
    bool agent_works = false;              ///< the agent's process or one of its children uses the
                                           ///< CPU
    bool of_hook = false;                  ///< the calls of the report wait for the reply to a hook
    bool of_daemon = false;  ///< the daemon itself makes the report and its approval request
};

/// One supervised session. It decides which events a command causes, and folds events into its
/// state.
///
/// The deciding functions append their events to `out`, numbered and already folded into this
/// object. The caller makes the events durable before it publishes any of them. If this fails, the
/// caller drops the object and reloads the session, so memory is never ahead of disk. Engine thread
/// only: a plain value without locks.
class Session {
public:
    explicit Session(std::string id);
    /// Restores a session from a snapshot.
    Session(std::string id, SessionState state);

    // Defined in the .cpp, so that they are compiled once: the state includes all detectors.
    Session(const Session& other);
    Session(Session&& other) noexcept;
    Session& operator=(const Session& other);
    Session& operator=(Session&& other) noexcept;
    ~Session();

    /// Opens the session; precondition: no events yet. `defaults` fill the fields that `about`
    /// leaves open.
    void open(SessionStarted about, const Policy& defaults, const Context& context,
              std::vector<Event>& out);

    /// Applies an opening to a session that a report opened implicitly. Without the scope `control`
    /// (then the context has a floor) the opening may only tighten the policy. Errors: kForbidden,
    /// with the field; kSessionEnded.
    Result<> amend(SessionStarted again, const Policy& defaults, const Context& context,
                   std::vector<Event>& out);

    /// Checks that all these events can be stored; changes nothing. Errors: kStaleAttempt,
    /// kSessionEnded, kTooManyApprovals; kInvalidField for an end with `budget_exhausted` while the
    /// session's budget is not exhausted.
    Result<> admit(std::span<const Event> events) const;

    /// Appends admitted events, in order, each followed by its consequences. The events are moved
    /// out of `events`.
    void report(std::span<Event> events, const Context& context, std::vector<Event>& out);

    /// Asks the agent to stop: `session.cancel_requested` and a `stop` directive. A repetition
    /// changes nothing, except that it issues a new directive if the agent has acknowledged the
    /// last one. Pending requests end as kStopped. Error: kSessionEnded.
    Result<> cancel(std::string reason, const Context& context, std::vector<Event>& out);

    /// Directs the agent to pause until resume(); the session is `waiting` meanwhile. Repeating
    /// pause() or resume() changes nothing, but a person's pause replaces that of a daily cap. In a
    /// session that is not paused, resume() lifts a stop due to a person's rejection, a loop or too
    /// many sub-agents, but does not lift a cancellation. `by` is the person, if known. Error:
    /// kSessionEnded.
    Result<> pause(std::string reason, std::string by, const Context& context,
                   std::vector<Event>& out);
    Result<> resume(std::string reason, std::string by, const Context& context,
                    std::vector<Event>& out);
    /// True if resume() can lift a stop, now or after the end of a pause.
    bool is_stopped() const;
    /// Stops this session because a person's rejection had stopped `before`, the session that this
    /// session continues. resume() lifts the stop. Changes nothing in an ended session.
    void stay_stopped(const Session& before, const Context& context, std::vector<Event>& out);
    /// Sends a person's text to the agent, as a directive to change its approach. Error:
    /// kSessionEnded.
    Result<> nudge(std::string text, std::string by, const Context& context,
                   std::vector<Event>& out);

    /// Records that a person rejected a call in a descendant session; `no` has the call and the
    /// reason. An open session issues the directive; an ended session only keeps the call for its
    /// next generation.
    void note_rejection(DirectiveIssued no, const Context& context, std::vector<Event>& out);

    /// Records a conflict with another session of the same run over one file (RunFiles). Changes
    /// nothing in an ended session.
    void note_conflict(RunConflict conflict, const Context& context, std::vector<Event>& out);

    /// Replaces the session's limits; a `set` without any limit ends the budget. Error:
    /// kSessionEnded.
    Result<> set_budget(BudgetSet set, const Context& context, std::vector<Event>& out);

    /// Adds to existing limits; `approval` is the id of the approved request, or empty. Errors:
    /// kSessionEnded; kInvalidField (`/extend/..`) for a dimension without a limit.
    Result<> extend_budget(const BudgetLimits& added, std::string by, std::string reason,
                           std::string approval, const Context& context, std::vector<Event>& out);

    /// Records the tokens and cost of a child session so far, and the number of its own children.
    /// If there are more sub-agents than the context allows, this raises an alarm. Changes nothing
    /// if this session has ended or the figures are unchanged.
    void child_progress(ChildProgress progress, const Context& context, std::vector<Event>& out);

    /// Records that the budget of the ancestor `parent` is at `level`. This session is charged to
    /// that budget too. A changed level causes a directive. Changes nothing in an ended session.
    void heed_parent(const std::string& parent, BudgetLevel level, const Context& context,
                     std::vector<Event>& out);

    /// Ends this session after its parent: at once if both run in the same process (`within`) or if
    /// this session is silent and not waiting, else after a long time without a report. Until then
    /// the session has a directive to stop. Changes nothing in an ended session.
    void parent_ended(bool within, const Context& context, std::vector<Event>& out);

    /// Checks that `count` more approvals can be requested. Error: kTooManyApprovals.
    Result<> admit_requests(std::size_t count) const;

    /// Asks a person in addition to the agent's own dialog, which is the `source` of the request. A
    /// grant may answer the request at once. Returns the number of the approval. Precondition: an
    /// open session, and admit_requests(1).
    std::uint64_t ask_beside_dialog(ApprovalRequested asked, const Context& context,
                                    std::vector<Event>& out);

    /// Ends the pending dialog request `n` without a decision; if `n` is 0, all pending dialog
    /// requests. Changes nothing if there is none.
    void close_dialogs(std::uint64_t n, ApprovalClosing how, const Context& context,
                       std::vector<Event>& out);

    /// Ends, without a decision, the pending request `n` about a daily cap that has room again
    /// (kNotNeeded), or about a held call that was taken back at the agent (kTakenBack) or refused
    /// by a stop (kStopped). Changes nothing if `n` is not pending.
    void close_request(std::uint64_t n, ApprovalClosing how, const Context& context,
                       std::vector<Event>& out);

    /// Ends the unused approvals of grants that have ended. tick() does so too, but it may come
    /// after a call that looks for an approval. Changes nothing if there is none.
    void end_lapsed(const Context& context, std::vector<Event>& out);

    /// Decides approval `n`; true if decided now, false if the same decision was made before. After
    /// a rejection, the agent is directed to stop or to change its approach; an approved extension
    /// extends the budget; an approval with a scope also answers equal requests of the session.
    /// Errors: kUnknownApproval, kAlreadyDecided, kInvalidField, kSessionEnded, kTooManyApprovals
    /// (the maximum number of grants is reached).
    Result<bool> decide(std::uint64_t n, Ruling ruling, const Context& context,
                        std::vector<Event>& out);

    /// Redeems approval `n`; true if redeemed now, false if `key` redeemed it before. Errors:
    /// kUnknownApproval, kNotApproved (also while the session is paused, stopped or cancelled),
    /// kDigestMismatch, kAlreadyRedeemed, kSessionEnded.
    Result<bool> redeem(std::uint64_t n, std::string_view args_digest, std::string_view key,
                        const Context& context, std::vector<Event>& out);

    /// Ends the grant made by approval `n`, and notifies the agent. Errors: kNoGrant,
    /// kSessionEnded.
    Result<> revoke(std::uint64_t n, std::string by, std::string reason, const Context& context,
                    std::vector<Event>& out);

    /// Records that a person has seen the alarms of this range. Changes nothing if there is no
    /// alarm. Works in an ended session too, whose alarms need attention until a person has seen
    /// them. Error: kInvalidField if `range` is not the default (all alarms) and contains no open
    /// alarm.
    Result<> acknowledge_alarms(const AlarmRange& range, std::string by, std::string reason,
                                const Context& context, std::vector<Event>& out);

    /// Requests a judge's opinion; false if this check is already in flight. The caller sends the
    /// question described by the check.requested event. Errors: kSessionEnded, kNoJudge,
    /// kTooManyChecks, kInvalidId for a new id that looks like an id made by Headway.
    Result<bool> request_check(std::string check_id, std::string by, const Context& context,
                               std::vector<Event>& out);

    /// Ends a check. Changes nothing if the check is not in flight or the session has ended.
    void complete_check(CheckCompleted completed, const Context& context, std::vector<Event>& out);

    /// Records a judge's estimate of progress. Changes nothing in an ended session.
    void note_estimate(ProgressEstimated estimate, const Context& context, std::vector<Event>& out);

    /// Handles the passage of time: appends the expiry of requests and of approved calls, the
    /// verdict for silence, and the consequences of the time budget.
    void tick(const Context& context, std::vector<Event>& out);

    /// Ends the session because the agent's process has ended. The outcome is cancelled after a
    /// cancellation, or if a person had stopped the agent and its turn was over. Otherwise it is
    /// completed if the agent's turn was over, else failed with the code `agent_gone`. Changes
    /// nothing in an ended session.
    void agent_gone(const Context& context, std::vector<Event>& out);

    /// Folds an event that was read from the journal.
    void apply(const Event& event);

    /// When tick() is next due, always later than `past`; kNever if time alone changes nothing.
    Timestamp next_deadline(const Watch& watch, Timestamp past = kNever,
                            bool agent_runs = false) const;

    /// Returns the approvals that changed since this function was last called, each once, for the
    /// index over all sessions.
    std::vector<Approval> take_changed_approvals();

    const std::string& id() const noexcept { return id_; }
    const SessionState& state() const noexcept { return state_; }
    /// The current judgement, shared with views; never null.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/work_payloads.hpp"

// Approvals in a session's state, and the rules of their lifecycle (api/API.md, "Approvals"). Pure:
// the enter() functions fold events, all others only read.

namespace headway::core {

/// Values are stored: append only.
enum class ApprovalStatus : std::uint8_t {
    kPending,
    kApproved,
    kEdited,  ///< approved, with other arguments
    kRejected,
    kResponded,  ///< a question was answered
    kIgnored,    ///< the approver declines to decide
    kExpired,    ///< no decision in time; treated as a rejection
    kCancelled,  ///< needs no decision any more, because the session ended, the call ran, or for
                 ///< the reason in `closed`
    kRedeemed,   ///< used for its one execution
    kExecuted,
    kNeverExecuted,  ///< approved, but not executed in time; the call may still run
};
template <>
struct EnumNames<ApprovalStatus> {
    static constexpr std::array<std::string_view, 11> kNames{
        "pending", "approved",  "edited",   "rejected", "responded",     "ignored",
        "expired", "cancelled", "redeemed", "executed", "never_executed"};
};

/// The one transition table of an approval. Pure.
bool may_become(ApprovalStatus from, ApprovalStatus to) noexcept;

/// The call id that a request keeps. A long id is cut and gets its digest at the end, so that
/// different calls keep different ids.
std::string kept_call_id(std::string_view call_id);

/// Identifies a call by its tool and arguments. Pure.
std::uint64_t call_digest(std::string_view tool, std::string_view args_digest);

/// The redeem key of an approval delivered to an agent that reports no calls. No agent sends this
/// key.
inline constexpr std::string_view kDeliveredKey = "delivered";
/// The first part of a redeem key whose second part is a call's id. It shows that the reply to a
/// hook gave the approval to this call. No agent sends such a key.
inline constexpr std::string_view kHookKey = "hook ";
/// Takes the place of kHookKey for a call that no hook has announced. No alarm is raised if the end
/// of such a call is not reported.
inline constexpr std::string_view kAskedKey = "hook \t";
inline std::string hook_key(std::string_view call_id, bool announced) {
    return std::string{announced ? kHookKey : kAskedKey}.append(call_id);
}

/// `source` of a request that Headway makes for the agent's own dialog. A person may also answer
/// that dialog at the agent, so such a request can end without a decision (ApprovalClosed).
inline constexpr std::string_view kDialogSource = "dialog";

/// `source` of a request that Headway makes by itself: about a loop, sub-agents or a daily cap.
inline constexpr std::string_view kOwnSource = "headway";

/// A request and its outcome. Arguments, response and full texts stay in the journal.
struct Approval {
    std::uint64_t n = 0;  ///< number of its approval.requested event: the id is `<session>.a<n>`
    ApprovalKind kind = ApprovalKind::kTool;
    std::string tool;
    std::string call_id;
    std::string summary;  ///< start of the summary
    Risk risk = Risk::kUnknown;
    std::string source;
    ApprovalStatus status = ApprovalStatus::kPending;
    Timestamp requested_at = kNever;
    Timestamp expires_at = kNever;
    OnExpiry on_expiry = OnExpiry::kHold;
    bool overdue = false;    ///< expires_at has passed without a decision
    bool escalated = false;  ///< its risk was raised when it expired
    std::optional<BudgetLimits> extend;
    std::string args_digest;     ///< digest of the arguments shown
    std::uint64_t identity = 0;  ///< start of identity_digest; the request's key in an index
    std::string run_digest;      ///< digest of the arguments that may run; empty until approved
    std::optional<Decision> decision;
    std::uint64_t decided_n = 0;
    Timestamp decided_at = kNever;
    std::string by;
    std::string channel;
    std::string reason;  ///< start of the reason
    Digest response;     ///< digest of the answer to a question
    GrantScope scope = GrantScope::kOnce;
    GrantMatch match = GrantMatch::kArgs;
    Timestamp until = kNever;
    bool stop = false;
    Timestamp execute_by = kNever;
    Timestamp redeemed_at = kNever;
    Digest redeem_key;
    std::uint64_t executed_n = 0;  ///< the tool.finished event that used it
    std::optional<ApprovalAlarmKind> alarm;
    bool acknowledged = false;    ///< the agent knows the decision
    std::uint64_t changed_n = 0;  ///< the event that last changed it
    /// Digest of the request's content (identity_of()). Only equal requests have equal digests.
    std::string identity_digest;
    bool alarm_seen = false;  ///< a person has acknowledged `alarm`; an equal later alarm is new
    bool unverified = false;  ///< the call that used it did not report its arguments
    bool unseen = false;      ///< parts of the request were not shown to the approver
    std::optional<ApprovalClosing> closed;  ///< why the request ended without a decision
    /// The reply to a hook of the request's call let this call run. A later call with the same id
    /// is another call.
    bool let_go = false;
    bool end_assumed = false;  ///< Headway closed its call; the agent may still report the real end
    bool revoked = false;      ///< a person has taken its grant back

    bool pending() const noexcept { return status == ApprovalStatus::kPending; }
    bool of_dialog() const noexcept { return source == kDialogSource; }
    bool of_headway() const noexcept { return source == kOwnSource; }
    /// True if a person decided it. Expiries and decisions by a grant are not counted, because an
    /// agent can cause any number of these.
    bool by_person() const noexcept;
    /// True if approved and unused: the call may run.
    bool open() const noexcept;
    /// True if the approval is redeemed, or if a reply to its call's hook let the call run: no
    /// other call may use it.
    bool taken() const noexcept;
    /// True if the approval is decided but neither acknowledged, redeemed nor executed: the agent
    /// has not received the decision yet.
    bool undelivered() const noexcept;
    /// True if the request's call ran, allowed or not. Another equal call needs a new approval.
    bool spent() const noexcept;
    bool operator==(const Approval&) const = default;
    static constexpr auto fields();
};

/// `channel` of a decision made by a grant.
inline constexpr std::string_view kGrantChannel = "grant";

/// An approval that covers more than its own request.
struct Grant {
    std::uint64_t n = 0;  ///< number of the approval that made this grant
    ApprovalKind kind = ApprovalKind::kTool;
    std::string tool;
    std::string args_digest;
    GrantMatch match = GrantMatch::kArgs;
    Timestamp until = kNever;  ///< end of the grant; kNever = the end of the session
    bool live(Timestamp now) const noexcept { return until == kNever || now < until; }
    bool operator==(const Grant&) const = default;
    static constexpr auto fields() {
        return field_list(field("n", &Grant::n), field("kind", &Grant::kind),
                          field("tool", &Grant::tool), field("args_digest", &Grant::args_digest),
                          field("match", &Grant::match), field("until", &Grant::until));
    }
};

/// An alarm that no person has acknowledged. Equal alarms (kind, approval and tool) are merged.
struct RaisedAlarm {
    ApprovalAlarmKind kind = ApprovalAlarmKind::kNeverExecuted;
    std::uint64_t approval = 0;  ///< number of its request; 0 = there was no request
    std::string tool;
    Timestamp at = kNever;    ///< time of the last equal alarm
    std::uint64_t n = 0;      ///< event of the last equal alarm
    std::uint64_t times = 1;  ///< number of equal alarms
    std::string detail;       ///< detail of the last equal alarm
    bool operator==(const RaisedAlarm&) const = default;
    static constexpr auto fields() {
        using R = RaisedAlarm;
        return field_list(field("kind", &R::kind), field("approval", &R::approval),
                          field("tool", &R::tool), field("at", &R::at), field("n", &R::n),
                          field("times", &R::times), field("detail", &R::detail));
    }
};

/// Alarms by the numbers of their last events; without change: all.
struct AlarmRange {
    std::uint64_t first = 0;
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    bool operator==(const AlarmRange&) const = default;
    bool has(std::uint64_t n) const noexcept { return n >= first && n <= last; }
};

/// Urgency of an alarm. From high to low: a forbidden call was executed; a call was executed
/// without an approval; a forbidden call was started. All other alarms are equally urgent: approved
/// but not executed, refused by the agent, too many sub-agents. Pure.
int urgency_of(ApprovalAlarmKind kind) noexcept;

/// What a person has decided last about a call.
struct NewestRuling {
    bool rejects = false;
    Timestamp at = kNever;  ///< kNever: not known any more
};

/// The approvals of one session; part of its state.
struct Approvals {
    /// At most limits::kApprovalsPendingMax pending requests and kApprovalsKeptMax others, oldest
    /// first.
    std::vector<Approval> requests;
    std::vector<Grant> grants;        ///< at most limits::kGrantsMax
    Timestamp waited_until = kNever;  ///< end of the agent's last wait for a person
    /// At most limits::kAlarmsMax, oldest first. Only a person's acknowledgement removes an alarm;
    /// the agent's reports and the end of the session do not.
    std::vector<RaisedAlarm> alarms;
    std::uint64_t alarms_more = 0;  ///< number of alarms dropped for lack of room
    /// Calls that a person rejected in a session below, or here if the request was dropped, as
    /// call_digest(); at most limits::kRejectedCallsMax, oldest first.
    std::vector<std::uint64_t> rejected;

    /// A person's newest approval or rejection of this call, under any call id; nothing if there is
    /// none. An approval of one execution counts until that is over.
    std::optional<NewestRuling> newest_ruling(std::string_view tool,
                                              std::string_view args_digest) const;
    /// True if newest_ruling() is a rejection; nothing if there is none.
    std::optional<bool> newest_decision(std::string_view tool, std::string_view args_digest) const;
    bool is_rejected(std::string_view tool, std::string_view args_digest) const {
        return newest_decision(tool, args_digest).value_or(false);
    }
    const Approval* find(std::uint64_t n) const noexcept;
    std::size_t pending() const noexcept;
    /// Number of pending requests that Headway made by itself.
    std::size_t pending_own() const noexcept;
    /// True if Headway may make another one by itself.
    bool has_own_room() const noexcept { return pending_own() < limits::kApprovalsOwnMax; }
    const Approval* oldest_pending() const noexcept;
    /// The earlier request for the same call with the same content, or null. It is a pending
    /// request or, if a call_id identifies the call, a decided request that the agent has not used
    /// yet. Never the request of a dialog: an answer in a dialog neither answers nor blocks a
    /// request of another kind.
    const Approval* asked_before(const ApprovalRequested& asked) const;
    /// A live grant that answers the request, or null.
    const Grant* grant_for(const ApprovalRequested& asked, Timestamp now) const;
    /// The time at which an unused approval that makes a grant until a time, or was made by a
    /// grant, lapses: the end of the last grant that covers the approval. If every such grant has
    /// ended, this time is in the past. kNever for other approvals.
    Timestamp lapses_at(const Approval& approval) const;
    /// Cancels the approval if the grants that cover it have ended. `n`: the event at which this is
    /// done.
    void lapse(Approval& approval, std::uint64_t n) const;
    /// True if a person had decided about the request of this alarm.
    bool against_person(const RaisedAlarm& alarm) const noexcept;
    /// The most urgent alarm, or null. Among equally urgent alarms, one that contradicts a person's
    /// decision comes first, then the oldest.
    const RaisedAlarm* worst_alarm() const noexcept;
    /// All alarms, the most urgent first, of equals the oldest.
    std::vector<const RaisedAlarm*> alarms_by_urgency() const;
    /// An unused approval of exactly this call, or null. Never the approval of a dialog.
    const Approval* open_for(const ApprovalRequested& asked) const;

    bool operator==(const Approvals&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("requests", &Approvals::requests), field("grants", &Approvals::grants),
            field("waited_until", &Approvals::waited_until), field("alarms", &Approvals::alarms),
            field("alarms_more", &Approvals::alarms_more), field("rejected", &Approvals::rejected));
    }
};

// Ids.

std::string approval_id(std::string_view session, std::uint64_t n);
struct ApprovalRef {
    std::string session;
    std::uint64_t n = 0;
};
/// Reads an approval id; nothing if the text is not one. The session's name is not checked.
std::optional<ApprovalRef> parse_approval_id(std::string_view id);

/// Identity of a request, whichever agent sends it: the SHA-256, in hexadecimal, of its kind, tool,
/// arguments and requested extension. Summary and options are included unless the request is for a
/// tool call with arguments. One decision may answer all requests with the same identity, so an
/// agent must not be able to construct a collision. Pure.
std::string identity_of(const ApprovalRequested& asked);
/// The index key of an identity digest. Pure.
std::uint64_t identity_start(std::string_view digest);

// Folding.

void enter(Approvals& approvals, const ApprovalRequested& asked, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalDecided& decided, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalRedeemed& redeemed, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalExpired& expired, std::uint64_t n);
void enter(Approvals& approvals, const ApprovalRevoked& revoked, std::uint64_t n);
void enter(Approvals& approvals, const ApprovalClosed& closed, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalAlarm& alarm, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const AlarmAcknowledged& seen, std::uint64_t n);
/// A finished call uses up the approval that covers it, if there is one, even if the loop rules
/// treat the call as a replay.
void enter(Approvals& approvals, const ToolFinished& call, const CallFingerprint& fingerprint,
           std::uint64_t n);
/// Remembers a call (call_digest()) as rejected by a person in Approvals::rejected.
void add_rejected(Approvals& approvals, std::uint64_t call);
/// A person has rejected this call: approvals of equal calls that no call has used yet end.
void end_unused(Approvals& approvals, std::string_view tool, std::string_view args_digest,
                std::uint64_t n);
/// The agent has read the decision. `let_go`: the reply to the hook of the call contained the
/// decision.
void acknowledge(Approvals& approvals, std::string_view id, bool let_go, std::uint64_t n);
/// The session ended: requests need no decision any more, and grants end.
void close(Approvals& approvals, std::uint64_t n, Timestamp at);

// Deciding.

/// A person's decision. The members `edited_*` are only for kEdit.
struct Ruling {
    /// The directive that follows a rejection; kByReason: chosen from the reason.
    enum class Then : std::uint8_t { kByReason, kStop, kChangeApproach };

    Decision decision = Decision::kReject;
    std::string reason;
    std::string by;
    std::string channel;
    ExactJson edited_args;
    std::string edited_digest;
    Text response;
    GrantScope scope = GrantScope::kOnce;
    GrantMatch match = GrantMatch::kArgs;
    Timestamp until = kNever;
    Then then = Then::kByReason;
};

/// Checks that `ruling` can decide `approval`: true if it can, false if the same decision was made
/// before. Errors: kInvalidField (wrong kind of decision), kAlreadyDecided. Pure.
Result<bool> check_ruling(const Approval& approval, const Ruling& ruling, Timestamp now);

/// Checks that a call with this digest of its arguments may use the approval: true if it may, false
/// if `key` has already used it. Errors: kNotApproved, kAlreadyRedeemed, kDigestMismatch. Pure.
Result<bool> check_redeem(const Approval& approval, std::string_view args_digest,
                          std::string_view key);

/// True if the reason of a rejection asks the agent to try something else rather than to stop.
/// Pure.
bool asks_for_another_way(std::string_view reason);

/// The alarm for a call that has just finished, in view of earlier decisions; nothing if the call
/// was allowed or needed no approval. `must_ask`: the tool needs approval. Pure.
std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolFinished& call, const CallFingerprint& fingerprint,
                                      bool must_ask, Timestamp now);
/// The digest of a finished call's arguments as a request for approval names it. Pure.
std::string asked_digest_of(const ToolFinished& call, const CallFingerprint& fingerprint);

/// The alarm for a call that has just finished although it is among these calls, given as
/// call_digest(), that a person rejected in another session; nothing if an approval of this session
/// covers the call, or the agent reports that it was refused. Pure.
std::optional<ApprovalAlarm> alarm_of_rejected(const Approvals& approvals,
                                               std::span<const std::uint64_t> rejected,
                                               const ToolFinished& call,
                                               const CallFingerprint& fingerprint);

/// The alarm for a call that has just started although a call with this id was rejected. Pure.
std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolStarted& call);

/// The number of the pending dialog request about this finished call; 0 = none. Since the call ran,
/// the dialog must have been answered at the agent. If several requests are equal, the oldest is
/// taken. Pure.
std::uint64_t dialog_answered_by(const Approvals& approvals, const ToolFinished& call,
                                 const CallFingerprint& fingerprint);

/// A decided approval of exactly this call, for the agent's own dialog about the call, so that no
/// person is asked again. No other call has taken it. `call_id` may be empty. Null if there is
/// none. Pure.
const Approval* ready_for_dialog(const Approvals& approvals, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// The time at which a pending request of a dialog ends without a decision: its expiry or, if the
/// daemon has started later than the request, that start (`started`). The agent waits no longer.
/// kNever for all other requests. Pure.
Timestamp dialog_ends_at(const Approval& approval, Timestamp started);

/// When Headway began to listen, and how much time an agent gets after a pause.
struct Attendance {
    Timestamp listening_since = kNever;  ///< start of the time in which Headway has listened
                                         ///< without a gap
    /// Time that an agent gets to report the work that it did while Headway was not listening.
    Millis grace{0};
    Timestamp started = kNever;  ///< start of the daemon
    /// Numbers of approvals whose calls are running.
    std::vector<std::uint64_t> running = {};
};

/// The time at which an approved call raises its alarm if it has not been executed until then.
/// kNever for a running call. Pure.
Timestamp overdue_at(const Approval& approval, const Attendance& attendance);

/// The next time at which a request expires, an execution is overdue or an approval lapses; kNever
/// if there is none. Pure.
Timestamp next_deadline(const Approvals& approvals, const Attendance& attendance);

constexpr auto Approval::fields() {
    using A = Approval;
    return field_list(
        field("n", &A::n), field("kind", &A::kind), field("tool", &A::tool),
        field("call_id", &A::call_id), field("summary", &A::summary), field("risk", &A::risk),
        field("source", &A::source), field("status", &A::status),
        field("requested_at", &A::requested_at), field("expires_at", &A::expires_at),
        field("on_expiry", &A::on_expiry), field("overdue", &A::overdue),
        field("escalated", &A::escalated), field("extend", &A::extend),
        field("args_digest", &A::args_digest), field("identity", &A::identity),
        field("run_digest", &A::run_digest), field("decision", &A::decision),
        field("decided_n", &A::decided_n), field("decided_at", &A::decided_at), field("by", &A::by),
        field("channel", &A::channel), field("reason", &A::reason), field("response", &A::response),
        field("scope", &A::scope), field("match", &A::match), field("until", &A::until),
        field("stop", &A::stop), field("execute_by", &A::execute_by),
        field("redeemed_at", &A::redeemed_at), field("redeem_key", &A::redeem_key),
        field("executed_n", &A::executed_n), field("alarm", &A::alarm),
        field("acknowledged", &A::acknowledged), field("changed_n", &A::changed_n),
        field("identity_digest", &A::identity_digest), field("alarm_seen", &A::alarm_seen),
        field("unverified", &A::unverified), field("unseen", &A::unseen),
        field("closed", &A::closed), field("let_go", &A::let_go),
        field("end_assumed", &A::end_assumed), field("revoked", &A::revoked));
}

}  // namespace headway::core

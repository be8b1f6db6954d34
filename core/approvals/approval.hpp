// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/events/approval_payloads.hpp"

// One approval, its grants and alarms, and rulings about calls.

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
    /// Needs no decision any more: the session ended, the call ran, or for the reason in `closed`.
    kCancelled,
    kRedeemed,  ///< used for its one execution
    kExecuted,
    /// Approved, but not executed in time; the approval stays usable, so the call can still run
    /// later.
    kNeverExecuted,
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
/// Used in place of kDeliveredKey if the hook that took the approval had another call id than the
/// request. A call with the id of the request then needs another approval.
inline constexpr std::string_view kDeliveredOtherKey = "delivered \tother";
/// The first part of a redeem key whose second part is a call's id. It shows that the reply to a
/// hook gave the approval to this call. No agent sends such a key.
inline constexpr std::string_view kHookKey = "hook ";
/// Replaces kHookKey for a call that no hook has announced. No alarm is raised if the end of such a
/// call is not reported.
inline constexpr std::string_view kAskedKey = "hook \t";
/// The redeem key for a call to which the reply to a hook gave an approval. `announced`: an earlier
/// hook has announced the call.
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
    bool escalated = false;  ///< the request's risk was raised when the request expired
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
    std::uint64_t executed_n = 0;  ///< the tool.finished event that used the approval
    std::optional<ApprovalAlarmKind> alarm;
    bool acknowledged = false;    ///< the agent knows the decision
    std::uint64_t changed_n = 0;  ///< the event that last changed the approval
    /// Digest of the request's content (identity_of()). Only equal requests have equal digests.
    std::string identity_digest;
    bool alarm_seen = false;  ///< a person has acknowledged `alarm`; an equal later alarm is new
    bool unverified = false;  ///< the call that used the approval did not report its arguments
    bool unseen = false;      ///< parts of the request were not shown to the approver
    std::optional<ApprovalClosing> closed;  ///< why the request ended without a decision
    /// The reply to a hook let the request's call run, or another call in its place
    /// (kDeliveredOtherKey). A later call with the id of the request is another call.
    bool let_go = false;
    bool end_assumed = false;  ///< Headway closed the call; the agent may still report its real end

    bool pending() const noexcept { return status == ApprovalStatus::kPending; }
    bool of_dialog() const noexcept { return source == kDialogSource; }
    bool of_headway() const noexcept { return source == kOwnSource; }
    /// True if a person decided it. Expiries and decisions by a grant are not counted, because an
    /// agent can cause any number of these.
    bool by_person() const noexcept;
    /// True if the request is for a tool call that is approved and has not been executed: the call
    /// may run.
    bool open() const noexcept;
    /// True if no other call may use the approval: it is open and names a call, and it is redeemed
    /// or the agent knows the decision.
    bool taken() const noexcept;
    /// True if the approval is decided but neither acknowledged, redeemed nor executed: the agent
    /// has not received the decision yet.
    bool undelivered() const noexcept;
    /// True if the request is approved, no call has redeemed the approval, and no reply to a hook
    /// has let its call run.
    bool unused() const noexcept;
    /// True if the request's call ran, with or without permission. Another equal call needs a new
    /// approval.
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
    Timestamp decided_at = kNever;
    bool live(Timestamp now) const noexcept { return until == kNever || now < until; }
    bool operator==(const Grant&) const = default;
    static constexpr auto fields() {
        return field_list(field("n", &Grant::n), field("kind", &Grant::kind),
                          field("tool", &Grant::tool), field("args_digest", &Grant::args_digest),
                          field("match", &Grant::match), field("until", &Grant::until),
                          field("decided_at", &Grant::decided_at));
    }
};

/// An alarm that no person has acknowledged. Equal alarms (kind, approval and tool) are merged.
struct RaisedAlarm {
    ApprovalAlarmKind kind = ApprovalAlarmKind::kNeverExecuted;
    std::uint64_t approval = 0;  ///< number of the request; 0 = there was no request
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

/// A person's rejection of a call. Kept where the request itself is not: for a descendant's
/// request, or for one that was dropped.
struct RejectedCall {
    std::uint64_t call = 0;  ///< call_digest()
    Timestamp at = kNever;   ///< time of the decision
    bool operator==(const RejectedCall&) const = default;
    static constexpr auto fields() {
        return field_list(field("call", &RejectedCall::call), field("at", &RejectedCall::at));
    }
};

/// A range of alarms, by RaisedAlarm::n. The default is all alarms.
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

/// Which rulings about a call newest_ruling() considers.
struct RulingFor {
    Timestamp now = kNever;  ///< kNever: grants that have an end are included, whatever their end
    bool own = true;         ///< false: the call is one of another session
    std::string_view call_id = {};  ///< empty: any
    bool runs = false;  ///< the reply to a hook let this call run, and the call has not ended
};

/// The newest decision that a person made about a call.
struct NewestRuling {
    bool rejects = false;
    Timestamp at = kNever;
};

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
        field("end_assumed", &A::end_assumed));
}

}  // namespace headway::core

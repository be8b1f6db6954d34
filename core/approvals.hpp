// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/approval_payloads.hpp"
#include "core/call_print.hpp"
#include "core/limits.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "core/work_payloads.hpp"

// What a session remembers of its approvals, and the rules of their life (DESIGN 6). Pure: events
// are folded by the enter() functions, everything else only looks.

namespace headway::core {

/// Values are stored: append only.
enum class ApprovalStatus : std::uint8_t {
    kPending,
    kApproved,
    kEdited,  ///< approved with other arguments
    kRejected,
    kResponded,  ///< a question was answered
    kIgnored,    ///< whoever was asked does not want to decide it
    kExpired,    ///< nobody decided in time, which counts as a rejection
    kCancelled,  ///< nothing is left to decide: the session ended, or the call ran already
    kRedeemed,   ///< the one use was taken
    kExecuted,
    kNeverExecuted,  ///< approved, and it did not run in time; it still may
};
template <>
struct EnumNames<ApprovalStatus> {
    static constexpr std::array<std::string_view, 11> kNames{
        "pending", "approved",  "edited",   "rejected", "responded",     "ignored",
        "expired", "cancelled", "redeemed", "executed", "never_executed"};
};

/// The one table of an approval's life. Pure.
bool may_become(ApprovalStatus from, ApprovalStatus to) noexcept;

/// A request and what came of it. Arguments, response and the whole texts stay in the journal.
struct Approval {
    std::uint64_t n = 0;  ///< of its approval.requested event: the id is `<session>.a<n>`
    ApprovalKind kind = ApprovalKind::kTool;
    std::string tool;
    std::string call_id;
    std::string summary;  ///< its start
    Risk risk = Risk::kUnknown;
    std::string source;
    ApprovalStatus status = ApprovalStatus::kPending;
    Timestamp requested_at = kNever;
    Timestamp expires_at = kNever;
    OnExpiry on_expiry = OnExpiry::kHold;
    bool overdue = false;    ///< expires_at has passed and it still waits
    bool escalated = false;  ///< and that raised its risk
    std::optional<BudgetLimits> extend;
    std::string args_digest;     ///< of the arguments shown
    std::uint64_t identity = 0;  ///< start of identity_digest, to find it by in an index
    std::uint64_t question = 0;  ///< print of the call that may run (or may not)
    std::string run_digest;      ///< of the arguments that may run; empty until approved
    std::optional<Decision> decision;
    std::uint64_t decided_n = 0;
    Timestamp decided_at = kNever;
    std::string by;
    std::string channel;
    std::string reason;  ///< its start
    Digest response;     ///< of the answer to a question
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
    /// Of kind, tool and arguments (identity_of): equal requests share it, others never.
    std::string identity_digest;
    bool alarm_seen = false;  ///< a person has acknowledged `alarm`: the same again is news
    bool unverified = false;  ///< the call that used it did not tell its arguments
    bool unseen = false;      ///< there is more to it than whoever decides is shown

    bool pending() const noexcept { return status == ApprovalStatus::kPending; }
    /// Approved and not used up: the call may run.
    bool open() const noexcept;
    /// The decision still has to reach the agent: until it is redeemed, or acknowledged where there
    /// is nothing to redeem.
    bool undelivered() const noexcept;
    /// Its one call ran, allowed or not: another of the same needs an approval of its own.
    bool spent() const noexcept;
    bool operator==(const Approval&) const = default;
    static constexpr auto fields();
};

/// An approval that reaches further than its own request.
struct Grant {
    std::uint64_t n = 0;  ///< of the approval that made it
    ApprovalKind kind = ApprovalKind::kTool;
    std::string tool;
    std::string args_digest;
    std::uint64_t question = 0;
    GrantMatch match = GrantMatch::kArgs;
    Timestamp until = kNever;  ///< kNever = as long as the session
    bool live(Timestamp now) const noexcept { return until == kNever || now < until; }
    bool operator==(const Grant&) const = default;
    static constexpr auto fields() {
        return field_list(field("n", &Grant::n), field("kind", &Grant::kind),
                          field("tool", &Grant::tool), field("args_digest", &Grant::args_digest),
                          field("question", &Grant::question), field("match", &Grant::match),
                          field("until", &Grant::until));
    }
};

/// An alarm that no person has acknowledged. Equal ones (kind, approval and tool) are one.
struct RaisedAlarm {
    ApprovalAlarmKind kind = ApprovalAlarmKind::kNeverExecuted;
    std::uint64_t approval = 0;  ///< number of its request; 0 = nobody had been asked
    std::string tool;
    Timestamp at = kNever;    ///< of the last one
    std::uint64_t n = 0;      ///< event of the last one
    std::uint64_t times = 1;  ///< how often it was raised
    bool operator==(const RaisedAlarm&) const = default;
    static constexpr auto fields() {
        using R = RaisedAlarm;
        return field_list(field("kind", &R::kind), field("approval", &R::approval),
                          field("tool", &R::tool), field("at", &R::at), field("n", &R::n),
                          field("times", &R::times));
    }
};

/// How urgent an alarm is, more first: what was forbidden and done, what was never asked for, what
/// was forbidden and begun, what was allowed and left undone. Pure.
int urgency_of(ApprovalAlarmKind kind) noexcept;

/// The approvals of one session; part of its state.
struct Approvals {
    /// At most limits::kApprovalsPendingMax pending and kApprovalsKeptMax others, oldest first.
    std::vector<Approval> requests;
    std::vector<Grant> grants;        ///< at most limits::kGrantsMax
    Timestamp waited_until = kNever;  ///< when the agent last had to wait for a person
    /// At most limits::kAlarmsMax, oldest first. No report of the agent takes one away, nor does
    /// the end of the session.
    std::vector<RaisedAlarm> alarms;
    std::uint64_t alarms_more = 0;  ///< raised, and not kept here because there were too many

    const Approval* find(std::uint64_t n) const noexcept;
    std::size_t pending() const noexcept;
    const Approval* oldest_pending() const noexcept;
    /// The request that asked the very same for the same call and waits, or whose decision the
    /// agent has not taken up yet (where a call_id tells the call); or null.
    const Approval* asked_before(const ApprovalRequested& asked) const;
    /// A live grant that answers the request, or null.
    const Grant* grant_for(const ApprovalRequested& asked, Timestamp now) const;
    /// The most urgent alarm, the oldest of these; or null.
    const RaisedAlarm* worst_alarm() const noexcept;
    /// An unused approval of exactly this call, or null.
    const Approval* open_for(const ApprovalRequested& asked) const;

    bool operator==(const Approvals&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("requests", &Approvals::requests), field("grants", &Approvals::grants),
            field("waited_until", &Approvals::waited_until), field("alarms", &Approvals::alarms),
            field("alarms_more", &Approvals::alarms_more));
    }
};

// Ids.

std::string approval_id(std::string_view session, std::uint64_t n);
struct ApprovalRef {
    std::string session;
    std::uint64_t n = 0;
};
/// Nothing when the text is no id of an approval. The session's name is not checked.
std::optional<ApprovalRef> parse_approval_id(std::string_view id);

/// What makes two requests equal, whoever asks: the SHA-256, in hexadecimal, of kind, tool and
/// arguments; without arguments also of what the summary says and offers. One decision may answer
/// all that share it, so no agent may be able to choose two that do. Pure.
std::string identity_of(const ApprovalRequested& asked);
/// The number that an index finds such a digest by. Pure.
std::uint64_t identity_start(std::string_view digest);

// Folding.

void enter(Approvals& approvals, const ApprovalRequested& asked, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalDecided& decided, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalRedeemed& redeemed, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const ApprovalExpired& expired, std::uint64_t n);
void enter(Approvals& approvals, const ApprovalRevoked& revoked, std::uint64_t n);
void enter(Approvals& approvals, const ApprovalAlarm& alarm, std::uint64_t n, Timestamp at);
void enter(Approvals& approvals, const AlarmAcknowledged& seen, std::uint64_t n);
/// A call finished: it uses up the approval that covers it, if any. `replayed`: the rules of loops
/// take it for an earlier finish that came again; an approval is used up by it all the same.
void enter(Approvals& approvals, const ToolFinished& call, const CallPrint& print, std::uint64_t n,
           bool replayed);
/// The agent has read the decision.
void acknowledge(Approvals& approvals, std::string_view id, std::uint64_t n);
/// The session ended: nobody has to decide any more, and nothing is granted.
void close(Approvals& approvals, std::uint64_t n, Timestamp at);

// Deciding.

/// What a person says. `edited_*` go with kEdit.
struct Ruling {
    /// What a rejection leads to.
    enum class Then : std::uint8_t { kByReason, kStop, kChangeApproach };

    Decision decision = Decision::kReject;
    std::string reason;
    std::string by;
    std::string channel;
    ExactJson edited_args;
    std::string edited_digest;
    std::uint64_t edited_question = 0;
    Text response;
    GrantScope scope = GrantScope::kOnce;
    GrantMatch match = GrantMatch::kArgs;
    Timestamp until = kNever;
    Then then = Then::kByReason;
};

/// Whether `ruling` can decide `approval`: true = yes, false = that is what was decided already.
/// Errors: kInvalidField (this kind is not decided so), kAlreadyDecided. Pure.
Result<bool> check_ruling(const Approval& approval, const Ruling& ruling, Timestamp now);

/// Whether the one use may be taken with these bytes: true = yes, false = it was, by this key.
/// Errors: kNotApproved, kAlreadyRedeemed, kDigestMismatch. Pure.
Result<bool> check_redeem(const Approval& approval, std::string_view args_digest,
                          std::string_view key);

/// Whether a reason asks the agent to go on differently rather than to stop. Pure.
bool asks_for_another_way(std::string_view reason);

/// The alarm that a call deserves which just finished, judged by what was decided before; nothing
/// when it was allowed or nobody had to be asked. `must_ask`: the tool needs approval. Pure.
std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolFinished& call, const CallPrint& print,
                                      bool must_ask, Timestamp now);
/// The one that a call deserves which just began: by its id it was rejected. Pure.
std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolStarted& call);

/// Since when somebody has been there to hear of calls.
struct Attendance {
    Timestamp listening_since = kNever;  ///< since when Headway has been listening
    /// What an agent gets to report what it did while we were not listening.
    Millis grace{0};
};

/// When an approved call that has not run raises its alarm. Pure.
Timestamp overdue_at(const Approval& approval, const Attendance& attendance);

/// When something happens by itself next: a request expires, or an approved call is overdue;
/// kNever = nothing. Pure.
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
        field("question", &A::question), field("run_digest", &A::run_digest),
        field("decision", &A::decision), field("decided_n", &A::decided_n),
        field("decided_at", &A::decided_at), field("by", &A::by), field("channel", &A::channel),
        field("reason", &A::reason), field("response", &A::response), field("scope", &A::scope),
        field("match", &A::match), field("until", &A::until), field("stop", &A::stop),
        field("execute_by", &A::execute_by), field("redeemed_at", &A::redeemed_at),
        field("redeem_key", &A::redeem_key), field("executed_n", &A::executed_n),
        field("alarm", &A::alarm), field("acknowledged", &A::acknowledged),
        field("changed_n", &A::changed_n), field("identity_digest", &A::identity_digest),
        field("alarm_seen", &A::alarm_seen), field("unverified", &A::unverified),
        field("unseen", &A::unseen));
}

}  // namespace headway::core

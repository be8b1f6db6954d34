// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/approvals/approval.hpp"
#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/work_payloads.hpp"
#include "core/values/watch.hpp"

// Approvals in a session's state, and the rules of their lifecycle (api/API.md, "Approvals"). Pure:
// the enter() functions fold events, all others only read.

namespace headway::core {

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
    /// Calls that a person rejected in a descendant session, or in this session if the request was
    /// dropped; at most limits::kRejectedCallsMax, oldest first.
    std::vector<RejectedCall> rejected;

    /// A person's newest approval or rejection of this call, under any call id, that is in force;
    /// nothing if there is none. A grant of exactly this call is in force until it ends. An
    /// approval of one execution is in force until a call has used it, and only for calls of this
    /// session.
    std::optional<NewestRuling> newest_ruling(std::string_view tool, std::string_view args_digest,
                                              const RulingFor& call) const;
    /// True if newest_ruling() is a rejection.
    bool is_rejected(std::string_view tool, std::string_view args_digest,
                     const RulingFor& call) const {
        const auto newest = newest_ruling(tool, args_digest, call);
        return newest && newest->rejects;
    }
    const Approval* find(std::uint64_t n) const noexcept;
    std::size_t pending() const noexcept;
    /// Number of pending requests that Headway made by itself.
    std::size_t pending_own() const noexcept;
    /// True if Headway may make another request by itself.
    bool has_own_room() const noexcept { return pending_own() < limits::kApprovalsOwnMax; }
    const Approval* oldest_pending() const noexcept;
    /// The earlier request for the same call with the same content, or null. It is a pending
    /// request or, if a call_id identifies the call, a decided request whose decision the agent has
    /// not received yet. Never the request of a dialog: an answer in a dialog neither answers nor
    /// blocks a request of another kind.
    const Approval* asked_before(const ApprovalRequested& asked) const;
    /// A live grant that answers the request, or null. Null too if a person has rejected exactly
    /// this call.
    const Grant* grant_for(const ApprovalRequested& asked, Timestamp now) const;
    /// The time at which an unused approval lapses, if it makes a grant with an end or was made by
    /// a grant: the end of the last grant that covers it. If every such grant has ended, this time
    /// is in the past. kNever for other approvals.
    Timestamp lapses_at(const Approval& approval) const;
    /// Cancels the approval if the grants that cover it have ended. `n` is the event that causes
    /// this.
    void lapse(Approval& approval, std::uint64_t n) const;
    /// True if a person had decided about the request of this alarm.
    bool against_person(const RaisedAlarm& alarm) const noexcept;
    /// The most urgent alarm, or null. Among equally urgent alarms, one that contradicts a person's
    /// decision comes first, then the oldest.
    const RaisedAlarm* worst_alarm() const noexcept;
    /// All alarms, the most urgent first; among equally urgent alarms, the oldest first.
    std::vector<const RaisedAlarm*> alarms_by_urgency() const;
    /// An approval of exactly this call that is open(), or null. Never the approval of a dialog.
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
void add_rejected(Approvals& approvals, std::uint64_t call, Timestamp at);
/// Called when a person rejects this call: removes grants of exactly this call, and cancels unused
/// approvals of equal calls.
void end_unused(Approvals& approvals, std::string_view tool, std::string_view args_digest,
                std::uint64_t n);
/// Records that the agent has received the decision. `let_go`: the reply to the hook of the call
/// let the call run.
void acknowledge(Approvals& approvals, std::string_view id, bool let_go, std::uint64_t n);
/// Called when the session ends: requests need no decision any more, and grants end.
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

/// True if this is a rejection that stops the agent until a person resumes it. A rejected extension
/// of the budget never does: the agent is to end with the budget that it has. Pure.
bool stops_agent(const Ruling& ruling, ApprovalKind kind);

/// Checks that `ruling` can decide `approval`: true if it can, false if a person made the same
/// decision before and its grant, if it made one, is in force. `approvals`: those of its session.
/// Errors: kInvalidField (wrong kind of decision), kAlreadyDecided. Pure.
Result<bool> check_ruling(const Approvals& approvals, const Approval& approval,
                          const Ruling& ruling, Timestamp now);

/// Checks that a call with this digest of its arguments may use the approval: true if it may, false
/// if `key` has already used it. Errors: kNotApproved, kAlreadyRedeemed, kDigestMismatch. Pure.
Result<bool> check_redeem(const Approval& approval, std::string_view args_digest,
                          std::string_view key);

/// True if the reason of a rejection asks the agent to try something else rather than to stop.
/// Pure.
bool asks_for_another_way(std::string_view reason);

/// The alarm for a call that has just finished, judged by earlier decisions; nothing if the call
/// was allowed or needed no approval. `must_ask`: calls of the tool need approval. `began`: grants
/// that were in force then count. Pure.
std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolFinished& call, const CallFingerprint& fingerprint,
                                      bool must_ask, Timestamp began);
/// The digest of a finished call's arguments, in the form that approval requests use. Pure.
std::string asked_digest_of(const ToolFinished& call, const CallFingerprint& fingerprint);

/// The alarm for a call that has just finished although a person rejected it in another session.
/// `rejected` has the call_digest() of each call rejected there. Nothing if the call is not among
/// them, if an approval of this session covers it, or if the agent reports that it was refused.
/// Pure.
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

/// A decided approval of exactly this call that no other call has taken; null if there is none.
/// With it, the agent's own dialog about the call is answered without asking a person again.
/// `call_id` may be empty. Pure.
const Approval* ready_for_dialog(const Approvals& approvals, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest);

/// The time at which a pending request of a dialog ends without a decision. This is its expiry or,
/// if the daemon has started later than the request, that start (`started`): the agent does not
/// wait any longer. kNever for all other requests. Pure.
Timestamp dialog_ends_at(const Approval& approval, Timestamp started);

/// When Headway began to listen, and how much time an agent gets after a pause.
struct Attendance {
    Timestamp listening_since = kNever;  ///< start of the time in which Headway has listened
                                         ///< without a gap
    /// Time that an agent gets to report the work that it did while Headway was not listening.
    Millis grace{0};
    Watch watch;  ///< when Headway listened, and the start of the daemon
    /// Numbers of approvals whose calls are running.
    std::vector<std::uint64_t> running = {};
};

/// The time at which an alarm is raised about an approved call that has not been executed by then.
/// kNever for a running call. Pure.
Timestamp overdue_at(const Approval& approval, const Attendance& attendance);

/// The next time at which a request expires, an execution is overdue or an approval lapses; kNever
/// if there is none. Pure.
Timestamp next_deadline(const Approvals& approvals, const Attendance& attendance);

}  // namespace headway::core

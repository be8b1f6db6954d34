#include <algorithm>
#include <string_view>

#include "core/approvals.hpp"

// Calls that finished, as approvals see them: which one is used up, and what deserves an alarm.

namespace headway::core {
namespace {

using S = ApprovalStatus;

constexpr std::string_view kDigestStart = "sha256:";

/// How a finished call is recognised, by the best of what it says about itself.
struct FinishedCall {
    const ToolFinished& call;
    const CallPrint& print;

    bool same_id(const Approval& approval) const {
        return approval.kind == ApprovalKind::kTool && approval.tool == call.tool &&
               !call.call_id.empty() && approval.call_id == call.call_id;
    }
    /// Tool and arguments are those of the approval, as far as the call tells them; `if_silent`
    /// when it tells nothing at all.
    bool same_call(const Approval& approval, bool if_silent) const {
        if (approval.kind != ApprovalKind::kTool || approval.tool != call.tool) return false;
        if (!call.args.empty()) return print.question.low == approval.question;
        if (call.args_digest.starts_with(kDigestStart)) {
            return call.args_digest ==
                   (approval.run_digest.empty() ? approval.args_digest : approval.run_digest);
        }
        if (!call.call_id.empty()) return call.call_id == approval.call_id;
        return if_silent;
    }
    bool granted(const Grant& grant, Timestamp now) const {
        if (grant.kind != ApprovalKind::kTool || grant.tool != call.tool || !grant.live(now))
            return false;
        if (grant.match == GrantMatch::kTool) return true;
        return print.question.low == grant.question ||
               (call.args.empty() && call.args_digest == grant.args_digest);
    }
};

/// The place of the approval that a finished call uses up: a redeemed one before one that is not.
std::optional<std::size_t> covering(const Approvals& approvals, const FinishedCall& call) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < approvals.requests.size(); ++i) {
        const Approval& approval = approvals.requests[i];
        if (!approval.open() || !call.same_call(approval, true)) continue;
        if (approval.redeemed_at != kNever) return i;
        if (!found) found = i;
    }
    return found;
}

bool refused(const Approval& approval) {
    return approval.status == S::kRejected || approval.status == S::kExpired ||
           approval.status == S::kIgnored;
}

}  // namespace

void enter(Approvals& approvals, const ToolFinished& call, const CallPrint& print,
           std::uint64_t n) {
    const auto place = covering(approvals, {call, print});
    if (!place) return;
    Approval& approval = approvals.requests[*place];
    approval.status = ApprovalStatus::kExecuted;
    approval.executed_n = n;
    approval.changed_n = n;
}

std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolFinished& call, const CallPrint& print,
                                      bool must_ask, Timestamp now) {
    if (!must_ask && approvals.requests.empty()) return std::nullopt;
    const FinishedCall finished{call, print};
    if (covering(approvals, finished)) return std::nullopt;
    const bool granted = std::any_of(approvals.grants.begin(), approvals.grants.end(),
                                     [&](const Grant& g) { return finished.granted(g, now); });
    if (granted) return std::nullopt;
    ApprovalAlarm alarm;
    alarm.tool = call.tool;
    const Approval* about = nullptr;
    for (const Approval& approval : approvals.requests) {  // the newest that speaks of the call
        const bool named = finished.same_id(approval);
        const bool seen = named || finished.same_call(approval, false);
        const bool open = named && approval.open();  // approved, but not these arguments
        if (seen && (refused(approval) || approval.pending() || open)) about = &approval;
    }
    if (about == nullptr && !must_ask) return std::nullopt;
    alarm.alarm = ApprovalAlarmKind::kExecutedUnapproved;
    if (about == nullptr) return alarm;
    if (refused(*about)) alarm.alarm = ApprovalAlarmKind::kExecutedThoughRejected;
    const bool said = about->alarm == alarm.alarm && !about->alarm_seen;
    if (said && !must_ask) return std::nullopt;
    alarm.id = approval_id(session, about->n);
    alarm.evidence.push_back(about->decided_n != 0 ? about->decided_n : about->n);
    return alarm;
}

Timestamp overdue_at(const Approval& approval, const Attendance& attendance) {
    if (!approval.open() || approval.alarm || approval.execute_by == kNever) return kNever;
    const bool away = attendance.listening_since > approval.decided_at;
    if (!away) return approval.execute_by;
    return std::max(approval.execute_by, attendance.listening_since + attendance.grace);
}

Timestamp next_deadline(const Approvals& approvals, const Attendance& attendance) {
    Timestamp next = kNever;
    const auto consider = [&next](Timestamp at) {
        if (at != kNever && (next == kNever || at < next)) next = at;
    };
    for (const Approval& approval : approvals.requests) {
        if (approval.pending() && !approval.overdue) consider(approval.expires_at);
        consider(overdue_at(approval, attendance));
    }
    return next;
}

}  // namespace headway::core

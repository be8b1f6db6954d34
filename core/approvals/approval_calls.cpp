// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

// Started and finished calls from the view of approvals: which approval they use up, and which
// alarm they raise. One approval is one execution: the same report again is another execution.

namespace headway::core {
namespace {

using S = ApprovalStatus;

/// Arguments that a call reports, compared with those that were allowed.
enum class ArgumentsMatch : std::uint8_t { kSame, kOther, kNothing };

bool same_id(std::string_view call_id, const Approval& approval) {
    return !call_id.empty() && approval.kind == ApprovalKind::kTool &&
           approval.call_id == kept_call_id(call_id);
}

/// Recognises a finished call by the strongest identification that it carries.
class FinishedCall {
public:
    FinishedCall(const ToolFinished& call, const CallFingerprint& fingerprint)
        : call_(call),
          exact_(args_of(fingerprint)),
          exact_said_(is_args_digest(call.args_digest)),
          bound_(call.args_digest.empty() ? std::string{} : bound_digest(call.args_digest)) {}

    bool same_tool(const Approval& approval) const {
        return approval.kind == ApprovalKind::kTool && approval.tool == call_.tool;
    }
    bool named(const Approval& approval) const { return same_id(call_.call_id, approval); }

    ArgumentsMatch match_of(const Approval& approval) const {
        return match_of(approval.run_digest.empty() ? approval.args_digest : approval.run_digest);
    }
    ArgumentsMatch match_of(const Grant& grant) const { return match_of(grant.args_digest); }
    /// Whether it has the arguments that were asked for, whatever may run now.
    bool as_asked(const Approval& approval) const {
        return match_of(approval.args_digest) == ArgumentsMatch::kSame;
    }
    bool tells_arguments() const { return !call_.args.empty() || !call_.args_digest.empty(); }

    /// Whether the call uses up this approval if that is open. A call without arguments is known by
    /// its id only.
    bool uses(const Approval& approval) const {
        if (!same_tool(approval)) return false;
        const ArgumentsMatch says = match_of(approval);
        if (says != ArgumentsMatch::kNothing) return says == ArgumentsMatch::kSame;
        return call_.call_id.empty() ? approval.call_id.empty() : named(approval);
    }

    /// The same for a call that was approved here: by a rule of the agent, its own dialog or a
    /// hook. Only the class that says just that, since `permission_denied` may be a file's.
    bool refused_by_agent() const {
        return !call_.ok && call_.error && lower(call_.error->error_class) == "denied";
    }

    /// Another report about the end of a call that was given up.
    bool given_up(const Approval& approval) const {
        return approval.closed == ApprovalClosing::kTakenBack && named(approval) && !call_.ok &&
               call_.error && lower(call_.error->error_class) == "cancelled";
    }

    /// The agent reports that the call was refused before it ran. It may lie, so this excuses the
    /// call only where a person was asked and has not approved: then no allowed execution is
    /// gained.
    bool refused() const {
        static constexpr std::array<std::string_view, 3> kClasses{"permission", "permissiondenied",
                                                                  "denied"};
        if (call_.ok || !call_.error) return false;
        std::string name = lower(call_.error->error_class);
        std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
        return contains(kClasses, std::string_view{name});
    }

private:
    ArgumentsMatch match_of(const std::string& digest) const {
        const std::string& text = call_.args_digest;
        const bool nothing = call_.args.empty() && text.empty();
        if (nothing) return exact_ == digest ? ArgumentsMatch::kSame : ArgumentsMatch::kNothing;
        if (!call_.args.empty() && exact_ == digest) return ArgumentsMatch::kSame;
        // A digest of the client's own kind identifies arguments only when it repeats.
        if (!text.empty() && !exact_said_ && bound_ == digest) return ArgumentsMatch::kSame;
        if (!call_.args.empty()) return ArgumentsMatch::kOther;
        if (!exact_said_) return ArgumentsMatch::kNothing;
        return text == digest ? ArgumentsMatch::kSame : ArgumentsMatch::kOther;
    }

    const ToolFinished& call_;
    std::string exact_;
    bool exact_said_;
    std::string bound_;  ///< computed once: a call is compared with every request
};

/// True if the call with this id already ran. Then no other call's approval applies to it.
bool ran_before(const Approvals& approvals, const FinishedCall& call) {
    return std::any_of(
        approvals.requests.begin(), approvals.requests.end(), [&](const Approval& approval) {
            return call.same_tool(approval) && call.named(approval) && approval.spent();
        });
}

bool refused(const Approval& approval) {
    // A person who declines to decide about a dialog leaves it to the one at the agent's terminal.
    return approval.status == S::kRejected || approval.status == S::kExpired ||
           (approval.status == S::kIgnored && !approval.of_dialog());
}

/// True if this very call was refused: an equal call that was approved is another one.
bool was_refused(const Approvals& approvals, const FinishedCall& call) {
    return std::any_of(
        approvals.requests.begin(), approvals.requests.end(), [&](const Approval& approval) {
            return refused(approval) && call.same_tool(approval) && call.named(approval) &&
                   call.match_of(approval) != ArgumentsMatch::kOther;
        });
}

/// Position of the approval that a finished call uses up: the one of its own id before others with
/// the same arguments, and redeemed ones before the rest.
std::optional<std::size_t> covering(const Approvals& approvals, const FinishedCall& call) {
    const bool own_only = ran_before(approvals, call) || was_refused(approvals, call);
    std::optional<std::size_t> found;
    int best = -1;
    for (std::size_t i = 0; i < approvals.requests.size(); ++i) {
        const Approval& approval = approvals.requests[i];
        if (!approval.open() || !call.uses(approval)) continue;
        const bool own = call.named(approval);
        if (own_only && !own) continue;
        const int rank = (own ? 2 : 0) + (approval.redeemed_at != kNever ? 1 : 0);
        if (rank <= best) continue;
        best = rank;
        found = i;
    }
    HEADWAY_ASSERT(!found || approvals.requests[*found].open());
    HEADWAY_ASSERT(found.has_value() == (best >= 0));
    return found;
}

/// The executed approval whose call Headway closed itself, if this is a report about that call.
template <class List>
auto* closed_before(List& approvals, const FinishedCall& call) {
    auto& requests = approvals.requests;
    const auto found = std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& one) {
        return one.end_assumed && call.same_tool(one) && call.named(one) &&
               call.match_of(one) != ArgumentsMatch::kOther;
    });
    return found == requests.rend() ? nullptr : &*found;
}

bool granted(const Approvals& approvals, const ToolFinished& call, const FinishedCall& finished,
             Timestamp now) {
    return std::any_of(approvals.grants.begin(), approvals.grants.end(), [&](const Grant& grant) {
        if (grant.kind != ApprovalKind::kTool || grant.tool != call.tool || !grant.live(now))
            return false;
        return grant.match == GrantMatch::kTool ||
               finished.match_of(grant) == ArgumentsMatch::kSame;
    });
}

/// True if no person has decided, or none has to because the call was given up or refused.
bool undecided(const Approval& approval) {
    const bool stopped = approval.closed == ApprovalClosing::kStopped && !approval.of_dialog();
    return approval.pending() || stopped || approval.closed == ApprovalClosing::kTakenBack;
}

/// Requests of dialogs, from the newest on. A call that a later dialog was about may have been
/// allowed there, whatever was said to an earlier one, and how the open one was answered is not
/// known. This excuses no call from what else was decided about it.
class NewestDialog {
public:
    explicit NewestDialog(const FinishedCall& call) : call_(call) {}

    /// True if this request does not describe the call.
    bool excuses(const Approval& approval) {
        if (!approval.of_dialog() || !call_.same_tool(approval)) return false;
        if (!call_.as_asked(approval)) return approval.pending();
        const bool newest = !std::exchange(seen_, true);
        return !newest || !(refused(approval) || approval.decision == Decision::kEdit);
    }

private:
    const FinishedCall& call_;
    bool seen_ = false;
};

/// True if the call violates this request.
bool against(const Approval& approval, const FinishedCall& call) {
    const bool named = call.named(approval);
    // An id that a person has allowed belongs to one tool only, and what a person has refused does
    // not become another call by the name of another tool.
    if (!call.same_tool(approval)) {
        // No arguments are equal to no arguments: an id that is used again each turn.
        const bool disguised =
            refused(approval) && call.tells_arguments() && approval.args_digest != kNoArgsDigest;
        return named && (approval.open() || (disguised && call.as_asked(approval)));
    }
    const ArgumentsMatch says = call.match_of(approval);
    // A person has changed the arguments: those that were asked for may not run.
    const bool edited = !approval.run_digest.empty() && approval.run_digest != approval.args_digest;
    if (edited && says != ArgumentsMatch::kSame && call.as_asked(approval)) return true;
    const bool seen = named || says == ArgumentsMatch::kSame;
    if (refused(approval) || undecided(approval)) return seen;
    if (approval.open()) return named;  // approved, but not these arguments
    return approval.spent() && named && says != ArgumentsMatch::kOther;
}

}  // namespace

void enter(Approvals& approvals, const ToolFinished& call, const CallFingerprint& fingerprint,
           std::uint64_t n) {
    const FinishedCall finished{call, fingerprint};
    const auto place = call.refused_here ? std::nullopt : covering(approvals, finished);
    if (!place) {
        Approval* const closed = closed_before(approvals, finished);
        if (closed == nullptr) return;
        // Its real end, or another call under its id, which was refused.
        closed->end_assumed = false;
        closed->changed_n = n;
        return;
    }
    Approval& approval = approvals.requests[*place];
    HEADWAY_ASSERT(may_become(approval.status, S::kExecuted) && approval.executed_n == 0);
    HEADWAY_ASSERT(approval.n < n && approval.changed_n < n);
    approval.end_assumed = call.end_assumed;
    approval.unverified = finished.match_of(approval) == ArgumentsMatch::kNothing;
    if (finished.refused_by_agent() && approval.decision == Decision::kApprove) {
        // Used up all the same: the agent's word must not gain a second execution.
        approval.status = S::kCancelled;
        approval.changed_n = n;
        return;
    }
    approval.status = S::kExecuted;
    approval.executed_n = n;
    approval.changed_n = n;
    HEADWAY_ASSERT(approval.status == S::kExecuted && approval.spent() && !approval.open());
}

namespace {

/// Approved here, refused there.
ApprovalAlarm refusal_alarm(const Approval& approval, std::string_view session,
                            const ToolFinished& call) {
    ApprovalAlarm alarm;
    alarm.alarm = ApprovalAlarmKind::kApprovedButRefused;
    alarm.tool = call.tool;
    alarm.id = approval_id(session, approval.n);
    alarm.evidence.push_back(approval.decided_n != 0 ? approval.decided_n : approval.n);
    return alarm;
}

}  // namespace

std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolFinished& call, const CallFingerprint& fingerprint,
                                      bool must_ask, Timestamp began) {
    if (call.refused_here || (!must_ask && approvals.requests.empty())) return std::nullopt;
    const FinishedCall finished{call, fingerprint};
    if (const auto place = covering(approvals, finished)) {
        // Other arguments than those of the call were approved by an edit.
        const Approval& approval = approvals.requests[*place];
        const bool refused = finished.refused_by_agent() && approval.decision == Decision::kApprove;
        if (!refused) return std::nullopt;
        return refusal_alarm(approval, session, call);
    }
    const std::string call_id = kept_call_id(call.call_id);
    const bool rejected = approvals.is_rejected(call.tool, asked_digest_of(call, fingerprint),
                                                {.now = began, .call_id = call_id});
    if (!rejected && granted(approvals, call, finished, began)) return std::nullopt;
    if (closed_before(approvals, finished) != nullptr) return std::nullopt;
    ApprovalAlarm alarm;
    alarm.alarm = ApprovalAlarmKind::kExecutedUnapproved;
    alarm.tool = call.tool;
    const auto& requests = approvals.requests;  // the newest that concerns the call
    NewestDialog dialogs{finished};
    const auto about =
        std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& approval) {
            return !dialogs.excuses(approval) && against(approval, finished);
        });
    if (about == requests.rend()) {
        if (rejected) alarm.alarm = ApprovalAlarmKind::kExecutedThoughRejected;
        // A client refuses a call that no person could see. It could as well not report it.
        const bool raised =
            (must_ask && !finished.refused_by_agent()) || (rejected && !finished.refused());
        return raised ? std::optional{alarm} : std::nullopt;
    }
    const bool edited = about->decision == Decision::kEdit && finished.as_asked(*about);
    if (finished.given_up(*about)) return std::nullopt;
    if (finished.refused() && (undecided(*about) || refused(*about) || edited)) return std::nullopt;
    if (refused(*about)) alarm.alarm = ApprovalAlarmKind::kExecutedThoughRejected;
    alarm.id = approval_id(session, about->n);
    alarm.evidence.push_back(about->decided_n != 0 ? about->decided_n : about->n);
    HEADWAY_ASSERT(!about->open() || !finished.uses(*about));
    return alarm;
}

std::string asked_digest_of(const ToolFinished& call, const CallFingerprint& fingerprint) {
    if (call.args.empty() && is_args_digest(call.args_digest)) return call.args_digest;
    if (call.args.empty() && !call.args_digest.empty()) return bound_digest(call.args_digest);
    return args_of(fingerprint);
}

std::optional<ApprovalAlarm> alarm_of_rejected(const Approvals& approvals,
                                               std::span<const std::uint64_t> rejected,
                                               const ToolFinished& call,
                                               const CallFingerprint& fingerprint) {
    if (call.refused_here) return std::nullopt;
    const std::uint64_t digest = call_digest(call.tool, asked_digest_of(call, fingerprint));
    const FinishedCall finished{call, fingerprint};
    if (std::find(rejected.begin(), rejected.end(), digest) == rejected.end() || finished.refused())
        return std::nullopt;
    // An approval of before that has let the call go; an unused one holds no more.
    if (const auto place = covering(approvals, finished);
        place && !approvals.requests[*place].unused())
        return std::nullopt;
    ApprovalAlarm alarm;
    alarm.alarm = ApprovalAlarmKind::kExecutedThoughRejected;
    alarm.tool = call.tool;
    alarm.detail = "a person rejected it before, or in another session of the family";
    return alarm;
}

std::optional<ApprovalAlarm> alarm_of(const Approvals& approvals, std::string_view session,
                                      const ToolStarted& call) {
    const auto& requests = approvals.requests;
    const auto last =
        std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& approval) {
            return approval.tool == call.tool && same_id(call.call_id, approval);
        });
    if (last == requests.rend() || !refused(*last)) return std::nullopt;
    // Ids may be reused each turn with other arguments. The arguments are compared when the call
    // finishes.
    const bool other =
        !call.args_digest.empty() && bound_digest(call.args_digest) != last->args_digest;
    if (other) return std::nullopt;
    ApprovalAlarm alarm;
    alarm.alarm = ApprovalAlarmKind::kStartedAfterRejection;
    alarm.tool = call.tool;
    HEADWAY_ASSERT(!last->pending() && !last->open());
    alarm.id = approval_id(session, last->n);
    alarm.evidence.push_back(last->decided_n);
    return alarm;
}

std::uint64_t dialog_answered_by(const Approvals& approvals, const ToolFinished& call,
                                 const CallFingerprint& fingerprint) {
    const FinishedCall finished{call, fingerprint};
    // A call that a person has allowed is no answer to another dialog.
    if (approvals.requests.empty() || covering(approvals, finished)) return 0;
    const auto& requests = approvals.requests;
    const auto found = std::find_if(requests.begin(), requests.end(), [&](const Approval& a) {
        return a.pending() && a.of_dialog() && finished.uses(a);
    });
    return found == requests.end() ? 0 : found->n;
}

const Approval* ready_for_dialog(const Approvals& approvals, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest) {
    const auto& requests = approvals.requests;
    const auto found = std::find_if(requests.begin(), requests.end(), [&](const Approval& a) {
        const bool approved = a.status == S::kApproved || a.status == S::kEdited;
        // The dialog that made a request gets its decision; an edit is for the next one.
        const bool free = !a.of_dialog() || a.run_digest != a.args_digest;
        const bool given = a.taken() && !same_id(call_id, a);
        return approved && free && !given && a.kind == ApprovalKind::kTool && a.tool == tool &&
               !args_digest.empty() && a.run_digest == args_digest;
    });
    return found == requests.end() ? nullptr : &*found;
}

}  // namespace headway::core

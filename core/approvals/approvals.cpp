// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approvals.hpp"

#include <algorithm>
#include <array>

#include "core/base/assert.hpp"
#include "core/calls/exact_args.hpp"

namespace headway::core {
namespace {

using S = ApprovalStatus;

constexpr std::uint16_t to(std::initializer_list<S> states) {
    std::uint16_t set = 0;
    for (S state : states)
        set = static_cast<std::uint16_t>(set | (1U << static_cast<unsigned>(state)));
    return set;
}

/// Allowed next states by status.
constexpr std::array<std::uint16_t, EnumNames<S>::kNames.size()> kTransitions{
    /* pending */
    to({S::kApproved, S::kEdited, S::kRejected, S::kResponded, S::kIgnored, S::kExpired,
        S::kCancelled}),
    /* approved */ to({S::kRedeemed, S::kExecuted, S::kNeverExecuted}),
    /* edited */ to({S::kRedeemed, S::kExecuted, S::kNeverExecuted}),
    /* rejected */ to({}),
    /* responded */ to({}),
    /* ignored */ to({}),
    /* expired */ to({}),
    /* cancelled */ to({}),
    /* redeemed */ to({S::kExecuted, S::kNeverExecuted}),
    /* executed */ to({}),
    /* never_executed */ to({S::kRedeemed, S::kExecuted}),
};

static_assert(kTransitions.size() <= 16, "a set of states has 16 bits");
static_assert(limits::kApprovalTextBytesMax >= limits::kApproverBytesMax);

Approval* find_mutable(Approvals& approvals, std::string_view id) {
    const auto ref = parse_approval_id(id);
    if (!ref) return nullptr;
    const auto found = std::find_if(approvals.requests.begin(), approvals.requests.end(),
                                    [&](const Approval& a) { return a.n == ref->n; });
    return found == approvals.requests.end() ? nullptr : &*found;
}

/// Returns false and changes nothing if the table does not allow it.
bool become(Approvals& approvals, Approval& approval, S status, std::uint64_t n, Timestamp at) {
    if (!may_become(approval.status, status)) return false;
    HEADWAY_ASSERT(approval.n <= n && approval.changed_n <= n);
    HEADWAY_ASSERT(approval.status != status && approval.executed_n == 0);
    if (approval.pending()) approvals.waited_until = at;
    approval.status = status;
    approval.changed_n = n;
    HEADWAY_ASSERT(!approval.pending());
    return true;
}

S status_after(const ApprovalDecided& decided) {
    switch (decided.decision) {
        case Decision::kApprove:
            return S::kApproved;
        case Decision::kEdit:
            return S::kEdited;
        case Decision::kRespond:
            return S::kResponded;
        case Decision::kIgnore:
            return S::kIgnored;
        case Decision::kReject:
            break;
    }
    return decided.channel == "expiry" ? S::kExpired : S::kRejected;
}

std::string start_of(std::string_view text, std::size_t bytes = limits::kApprovalTextBytesMax) {
    return std::string{cut_text(text, bytes)};
}

/// An alarm against a person's decision comes before others of its kind.
auto by_rank(const Approvals& approvals) {
    const auto rank = [&approvals](const RaisedAlarm& alarm) {
        return 2 * urgency_of(alarm.kind) + (approvals.against_person(alarm) ? 1 : 0);
    };
    return [rank](const auto& a, const auto& b) { return rank(a) < rank(b); };
}

/// Order in which a session may drop requests: first those that need nothing more. A person's
/// decision stays until it is used or read, and then before those that an agent causes: a call that
/// runs raises the alarm by its rejection, or none by its approval. Some agents never report the
/// ends of calls, so used approvals come before those that are not.
int worth(const Approval& approval) {
    if (approval.pending()) return 6;
    if (!approval.by_person()) return approval.open() ? 1 : 0;
    if (approval.unused() && !approval.taken()) return 5;
    if (approval.undelivered()) return 4;
    if (approval.open()) return 3;
    return approval.decision == Decision::kReject ? 2 : 0;
}

/// A person's rejection of a call outlives its request.
void keep_rejection(Approvals& approvals, const Approval& decided) {
    if (decided.kind != ApprovalKind::kTool || decided.of_dialog()) return;
    if (decided.decision != Decision::kReject) return;
    add_rejected(approvals, call_digest(decided.tool, decided.args_digest), decided.decided_at);
}

void trim(Approvals& approvals) {
    auto& requests = approvals.requests;
    while (requests.size() - approvals.pending() > limits::kApprovalsKeptMax) {
        const auto least = std::ranges::min_element(requests, {}, worth);
        HEADWAY_ASSERT(!least->pending());
        if (least->by_person()) keep_rejection(approvals, *least);
        requests.erase(least);
    }
    HEADWAY_ASSERT(requests.size() <= limits::kApprovalsMax);
}

/// The agent reported only a digest of the arguments, so the approver sees none.
bool shows_nothing(const ApprovalRequested& asked) {
    return asked.kind == ApprovalKind::kTool && asked.args.empty() && !asked.args_digest.empty() &&
           asked.args_digest != kNoArgsDigest;
}

void add_grant(Approvals& approvals, const Approval& approval, Timestamp at) {
    auto& grants = approvals.grants;
    std::erase_if(grants, [at](const Grant& grant) { return !grant.live(at); });
    HEADWAY_ASSERT(approval.scope != GrantScope::kOnce && !approval.pending());
    if (grants.size() == limits::kGrantsMax) grants.erase(grants.begin());
    grants.push_back({approval.n, approval.kind, approval.tool, approval.args_digest,
                      approval.match, approval.until, approval.decided_at});
    HEADWAY_ASSERT(grants.size() <= limits::kGrantsMax);
}

/// Records an alarm. When the list is full, a more urgent alarm replaces the least urgent, so that
/// a flood of minor ones hides nothing.
void raise(Approvals& approvals, const ApprovalAlarm& alarm, std::uint64_t n, Timestamp at) {
    const auto ref = parse_approval_id(alarm.id);
    RaisedAlarm raised{alarm.alarm, ref ? ref->n : 0,      start_of(alarm.tool), at, n,
                       1,           start_of(alarm.detail)};
    auto& alarms = approvals.alarms;
    const auto same = std::find_if(alarms.begin(), alarms.end(), [&](const RaisedAlarm& other) {
        return other.kind == raised.kind && other.approval == raised.approval &&
               other.tool == raised.tool;
    });
    HEADWAY_ASSERT(alarms.size() <= limits::kAlarmsMax);
    if (same != alarms.end()) {
        HEADWAY_ASSERT(same->n < n && same->times > 0);
        same->at = at;
        same->n = n;
        ++same->times;
        same->detail = std::move(raised.detail);
        return;
    }
    if (alarms.size() == limits::kAlarmsMax) {
        ++approvals.alarms_more;
        const auto least = std::min_element(alarms.begin(), alarms.end(), by_rank(approvals));
        if (!by_rank(approvals)(*least, raised)) return;
        alarms.erase(least);
    }
    alarms.push_back(std::move(raised));
    HEADWAY_ASSERT(alarms.size() <= limits::kAlarmsMax);
}

}  // namespace

int urgency_of(ApprovalAlarmKind kind) noexcept {
    switch (kind) {
        case ApprovalAlarmKind::kExecutedThoughRejected:
            return 3;
        case ApprovalAlarmKind::kExecutedUnapproved:
            return 2;
        case ApprovalAlarmKind::kStartedAfterRejection:
            return 1;
        case ApprovalAlarmKind::kApprovedButRefused:
        case ApprovalAlarmKind::kNeverExecuted:
        case ApprovalAlarmKind::kFanOut:
            break;
    }
    return 0;
}

bool may_become(ApprovalStatus from, ApprovalStatus to) noexcept {
    HEADWAY_ASSERT(static_cast<std::size_t>(from) < kTransitions.size());
    HEADWAY_ASSERT(static_cast<std::size_t>(to) < kTransitions.size());
    const unsigned allowed = kTransitions[static_cast<std::size_t>(from)];
    return ((allowed >> static_cast<unsigned>(to)) & 1U) != 0;
}

bool Approval::open() const noexcept {
    return kind == ApprovalKind::kTool && may_become(status, S::kExecuted);
}

std::size_t Approvals::pending() const noexcept {
    return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(),
                                                  [](const Approval& a) { return a.pending(); }));
}

const Approval* Approvals::oldest_pending() const noexcept {
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [](const Approval& a) { return a.pending(); });
    return found == requests.end() ? nullptr : &*found;
}

bool Approvals::against_person(const RaisedAlarm& alarm) const noexcept {
    const Approval* about = find(alarm.approval);
    return about != nullptr && about->by_person();
}

const RaisedAlarm* Approvals::worst_alarm() const noexcept {
    const auto worst = std::max_element(alarms.begin(), alarms.end(), by_rank(*this));
    return worst == alarms.end() ? nullptr : &*worst;
}

std::vector<const RaisedAlarm*> Approvals::alarms_by_urgency() const {
    std::vector<const RaisedAlarm*> sorted;
    for (const RaisedAlarm& alarm : alarms)
        sorted.push_back(&alarm);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [less = by_rank(*this)](const RaisedAlarm* a, const RaisedAlarm* b) {
                         return less(*b, *a);
                     });
    return sorted;
}

const Approval* Approvals::asked_before(const ApprovalRequested& asked) const {
    if (requests.empty()) return nullptr;
    const std::string identity = identity_of(asked);
    const auto found = std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& a) {
        const bool same = a.identity_digest == identity && a.call_id == asked.call_id;
        return same && !a.of_dialog() && (a.pending() || (!a.call_id.empty() && a.undelivered()));
    });
    return found == requests.rend() ? nullptr : &*found;
}

void enter(Approvals& approvals, const ApprovalRequested& asked, std::uint64_t n, Timestamp at) {
    Approval approval;
    approval.n = n;
    approval.kind = asked.kind;
    approval.tool = asked.tool;
    approval.call_id = asked.call_id;
    approval.summary = start_of(asked.summary.kept);
    approval.risk = asked.risk;
    approval.source = asked.source;
    approval.requested_at = at;
    if (asked.expires_in_ms) {
        const auto max = static_cast<std::uint64_t>(Millis{limits::kApprovalExpiryMax}.count());
        const std::uint64_t ms = std::min(*asked.expires_in_ms, max);
        approval.expires_at = at + Millis{static_cast<std::int64_t>(ms)};
    }
    approval.on_expiry = asked.on_expiry;
    approval.extend = asked.extend;
    approval.args_digest = asked.args_digest;
    approval.identity_digest = identity_of(asked);
    approval.identity = identity_start(approval.identity_digest);
    approval.unseen = asked.hidden_bytes != 0 || shows_nothing(asked);
    approval.changed_n = n;
    HEADWAY_ASSERT(approvals.requests.empty() || approvals.requests.back().n < n);
    HEADWAY_ASSERT(approval.pending() && approval.identity_digest.size() == 64);
    approvals.requests.push_back(std::move(approval));
    if (approvals.pending() > limits::kApprovalsPendingMax) {  // refused earlier
        const auto oldest = std::find_if(approvals.requests.begin(), approvals.requests.end(),
                                         [](const Approval& a) { return a.pending(); });
        HEADWAY_ASSERT(oldest != approvals.requests.end());
        become(approvals, *oldest, S::kCancelled, n, at);
    }
    trim(approvals);
    HEADWAY_ASSERT(approvals.pending() <= limits::kApprovalsPendingMax);
}

void enter(Approvals& approvals, const ApprovalDecided& decided, std::uint64_t n, Timestamp at) {
    Approval* approval = find_mutable(approvals, decided.id);
    if (approval == nullptr) return;
    if (!become(approvals, *approval, status_after(decided), n, at)) return;
    HEADWAY_ASSERT(approval->decided_n == 0 && approval->redeemed_at == kNever);
    approval->decision = decided.decision;
    approval->decided_n = n;
    approval->decided_at = at;
    approval->by = start_of(decided.by, limits::kApproverBytesMax);
    approval->channel = start_of(decided.channel, limits::kApproverBytesMax);
    approval->reason = start_of(decided.reason);
    approval->response = digest_of(decided.response.kept);
    approval->run_digest = decided.args_digest;
    approval->scope = decided.scope;
    approval->match = decided.match;
    approval->until = decided.until;
    approval->stop = decided.stop;
    approval->execute_by = decided.execute_by;
    if (decided.scope != GrantScope::kOnce) add_grant(approvals, *approval, at);
}

void enter(Approvals& approvals, const ApprovalRedeemed& redeemed, std::uint64_t n, Timestamp at) {
    Approval* approval = find_mutable(approvals, redeemed.id);
    if (approval == nullptr || !become(approvals, *approval, S::kRedeemed, n, at)) return;
    approval->redeemed_at = at;
    approval->redeem_key = redeemed.key.empty() ? Digest{} : digest_of(redeemed.key);
    // This request does not say whether the call ran.
    const std::string_view key = redeemed.key;
    const bool asked = key.starts_with(kAskedKey);
    const bool other = key == kDeliveredOtherKey;
    if (asked || other || key == kDeliveredKey) approval->execute_by = kNever;
    if (other) approval->let_go = true;
    if (!key.starts_with(kHookKey)) return;
    approval->let_go = true;
    const std::string_view call = key.substr(asked ? kAskedKey.size() : kHookKey.size());
    if (!call.empty()) approval->call_id = kept_call_id(call);
}

void enter(Approvals& approvals, const ApprovalExpired& expired, std::uint64_t n) {
    Approval* approval = find_mutable(approvals, expired.id);
    if (approval == nullptr || !approval->pending()) return;
    approval->overdue = true;
    approval->changed_n = n;
    if (expired.action != OnExpiry::kEscalate) return;
    approval->escalated = true;
    if (approval->risk != Risk::kCritical) {
        approval->risk = static_cast<Risk>(static_cast<int>(approval->risk) + 1);
    }
    HEADWAY_ASSERT(static_cast<std::size_t>(approval->risk) < EnumNames<Risk>::kNames.size());
}

void enter(Approvals& approvals, const ApprovalRevoked& revoked, std::uint64_t n) {
    const auto ref = parse_approval_id(revoked.id);
    if (!ref) return;
    std::erase_if(approvals.grants, [&](const Grant& grant) { return grant.n == ref->n; });
    Approval* approval = find_mutable(approvals, revoked.id);
    if (approval == nullptr) return;
    approval->changed_n = n;
    if (!approval->unused()) return;
    approval->status = S::kCancelled;
    approval->closed = ApprovalClosing::kGrantEnded;
}

void enter(Approvals& approvals, const ApprovalClosed& closed, std::uint64_t n, Timestamp at) {
    Approval* approval = find_mutable(approvals, closed.id);
    if (approval == nullptr) return;
    if (closed.how == ApprovalClosing::kGrantEnded) return approvals.lapse(*approval, n);
    const bool of_day = closed.how == ApprovalClosing::kNotNeeded &&
                        approval->kind == ApprovalKind::kBudgetExtension;
    // Earlier journals have `answered_at_agent` for a held call that was taken back.
    const bool taken_back = closed.how == ApprovalClosing::kTakenBack ||
                            closed.how == ApprovalClosing::kAnsweredAtAgent;
    const bool stopped = closed.how == ApprovalClosing::kStopped;
    if (!of_day && !taken_back && !stopped && !approval->of_dialog()) return;
    if (become(approvals, *approval, S::kCancelled, n, at)) approval->closed = closed.how;
}

void enter(Approvals& approvals, const ApprovalAlarm& alarm, std::uint64_t n, Timestamp at) {
    raise(approvals, alarm, n, at);
    Approval* approval = find_mutable(approvals, alarm.id);
    if (approval == nullptr) return;
    const bool worse = !approval->alarm || approval->alarm_seen ||
                       urgency_of(alarm.alarm) >= urgency_of(*approval->alarm);
    if (worse) approval->alarm = alarm.alarm;
    approval->alarm_seen = false;
    approval->changed_n = n;
    // Another tool reported under its id: it may still run.
    if (alarm.tool != approval->tool) return;
    const bool late = alarm.alarm == ApprovalAlarmKind::kNeverExecuted;
    // A call that ran while its request was pending leaves nothing to decide.
    become(approvals, *approval, late ? S::kNeverExecuted : S::kCancelled, n, at);
}

void acknowledge(Approvals& approvals, std::string_view id, bool let_go, std::uint64_t n) {
    Approval* approval = find_mutable(approvals, id);
    if (approval == nullptr || approval->pending()) return;
    approval->acknowledged = true;
    approval->let_go = approval->let_go || let_go;
    approval->changed_n = n;
}

void close(Approvals& approvals, std::uint64_t n, Timestamp at) {
    for (Approval& approval : approvals.requests)
        become(approvals, approval, S::kCancelled, n, at);
    approvals.grants.clear();
    HEADWAY_ASSERT(approvals.oldest_pending() == nullptr);
}

}  // namespace headway::core

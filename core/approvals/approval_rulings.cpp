// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/text/words.hpp"

// Decisions and redemptions: first one wins, allowed kinds, which bytes, and the calls that they
// cover.

namespace headway::core {
namespace {

using S = ApprovalStatus;

Error not_so(std::string detail, std::string field) {
    return {ErrorCode::kInvalidField, std::move(detail), std::move(field)};
}

Result<> fits_kind(const Approval& approval, const Ruling& ruling, Timestamp now) {
    const bool tool = approval.kind == ApprovalKind::kTool;
    const bool question =
        approval.kind == ApprovalKind::kQuestion || approval.kind == ApprovalKind::kAuth;
    if (ruling.decision == Decision::kEdit && !tool) {
        return not_so("only the arguments of a tool can be edited; this is of kind " +
                          std::string{name_of(approval.kind)},
                      "/decision");
    }
    if (ruling.decision == Decision::kRespond && !question) {
        return not_so("only a question is answered with a response; use approve, reject or ignore",
                      "/decision");
    }
    // To a "yes or no?" and to a "which one?" alike, the agent would only hear that it has no
    // answer. A question of Headway's own asks for a yes.
    const bool of_agent = approval.kind == ApprovalKind::kQuestion && !approval.of_headway();
    if (ruling.decision == Decision::kApprove && of_agent) {
        return not_so(
            "a question needs an answer in words: headway answer ID \"...\", or the decision "
            "respond with response; else reject or ignore it",
            "/decision");
    }
    const bool wide = ruling.scope != GrantScope::kOnce;
    if (wide && (!tool || ruling.decision != Decision::kApprove)) {
        return not_so("only approve, for a call of a tool, takes a scope other than once",
                      "/scope");
    }
    if (ruling.scope == GrantScope::kUntil && ruling.until <= now) {
        return not_so("must be in the future", "/until");
    }
    return {};
}

/// True if a person decided it like this before, with the same consequences. Time and grants decide
/// less than a person: what they rejected may be asked for again, and what they approved may end.
bool same_ruling(const Approval& approval, const Ruling& ruling) {
    HEADWAY_ASSERT(!approval.pending());
    if (!approval.by_person() || approval.closed) return false;
    if (approval.decision != ruling.decision) return false;
    switch (ruling.decision) {
        case Decision::kEdit:
            return approval.run_digest == ruling.edited_digest;
        case Decision::kRespond:
            return approval.response == digest_of(ruling.response.kept);
        case Decision::kApprove:
            return approval.scope == ruling.scope && approval.until == ruling.until &&
                   (approval.scope == GrantScope::kOnce || approval.match == ruling.match);
        case Decision::kReject:
            return approval.stop == stops_agent(ruling, approval.kind);
        case Decision::kIgnore:
            break;
    }
    return true;
}

/// True if the approval made a grant that has ended.
bool grant_is_over(const Approvals& approvals, const Approval& approval, Timestamp now) {
    const auto& grants = approvals.grants;
    return approval.scope != GrantScope::kOnce &&
           std::none_of(grants.begin(), grants.end(), [&](const Grant& grant) {
               return grant.n == approval.n && grant.live(now);
           });
}

/// Why nothing is left to decide, for one who decides too late.
std::string_view how_it_ended(ApprovalClosing how) {
    switch (how) {
        case ApprovalClosing::kAnsweredAtAgent:
            return "it was answered at the agent itself; that answer stands";
        case ApprovalClosing::kStopped:
            return "the session had to stop, so nothing waits for it any more";
        case ApprovalClosing::kNotNeeded:
            return "the budget of the day has room again";
        case ApprovalClosing::kGrantEnded:
            return "a grant approved it, and has ended since";
        case ApprovalClosing::kRejected:
            return "it was approved, and a person has rejected an equal call since";
        case ApprovalClosing::kTakenBack:
            return "its call was given up at the agent before a decision";
        case ApprovalClosing::kLeftToAgent:
            break;
    }
    return "the agent does not wait for it any more; its own dialog decides";
}

}  // namespace

Timestamp Approvals::lapses_at(const Approval& approval) const {
    const bool unused = approval.unused() && !approval.taken();
    const bool by_grant = approval.channel == kGrantChannel;
    const bool timed = approval.scope == GrantScope::kUntil;
    if (!unused || (!by_grant && !timed)) return kNever;
    Timestamp last = by_grant ? approval.decided_at : approval.until;
    for (const Grant& grant : grants) {
        const bool covers =
            grant.kind == approval.kind && grant.tool == approval.tool &&
            (grant.match == GrantMatch::kTool || grant.args_digest == approval.args_digest);
        if (!covers) continue;
        if (grant.until == kNever) return kNever;
        last = std::max(last, grant.until);
    }
    return last;
}

void Approvals::lapse(Approval& approval, std::uint64_t n) const {
    if (lapses_at(approval) == kNever) return;
    approval.status = ApprovalStatus::kCancelled;
    approval.closed = ApprovalClosing::kGrantEnded;
    approval.changed_n = n;
}

bool stops_agent(const Ruling& ruling, ApprovalKind kind) {
    const bool rejects = ruling.decision == Decision::kReject;
    if (!rejects || kind == ApprovalKind::kBudgetExtension) return false;
    if (ruling.then != Ruling::Then::kByReason) return ruling.then == Ruling::Then::kStop;
    return ruling.channel != "expiry" && !asks_for_another_way(ruling.reason);
}

Result<bool> check_ruling(const Approvals& approvals, const Approval& approval,
                          const Ruling& ruling, Timestamp now) {
    if (approval.pending()) {
        HEADWAY_CHECK(fits_kind(approval, ruling, now));
        return true;
    }
    const bool same = same_ruling(approval, ruling);
    const bool over = same && grant_is_over(approvals, approval, now);
    if (same && !over) return false;
    std::string detail = "it is " + std::string{name_of(approval.status)};
    if (over) {
        detail = "approved before, and its grant has ended; approve the next request";
    } else if (approval.closed) {
        detail = how_it_ended(*approval.closed);
    } else if (approval.decision) {
        detail = "decided already: " + std::string{name_of(*approval.decision)} + " by " +
                 (approval.by.empty() ? std::string{"an unknown approver"} : approval.by) +
                 "; the first decision stands";
    }
    return Error{ErrorCode::kAlreadyDecided, std::move(detail), {}};
}

Result<bool> check_redeem(const Approval& approval, std::string_view args_digest,
                          std::string_view key) {
    if (approval.kind != ApprovalKind::kTool) {
        return Error{ErrorCode::kNotApproved,
                     "only calls of tools are redeemed; acknowledge it by its id instead",
                     {}};
    }
    if (approval.redeemed_at == kNever && !approval.open()) {
        const bool used = approval.status == S::kExecuted;
        return Error{used ? ErrorCode::kAlreadyRedeemed : ErrorCode::kNotApproved,
                     used ? "the approved call already ran; request another approval"
                          : "it is " + std::string{name_of(approval.status)} + ", not approved",
                     {}};
    }
    if (args_digest != approval.run_digest) {
        return Error{ErrorCode::kDigestMismatch,
                     "the arguments differ from the approved ones, whose digest is " +
                         approval.run_digest + "; request approval for others",
                     {}};
    }
    if (approval.redeemed_at == kNever) {
        HEADWAY_ASSERT(approval.open() && approval.executed_n == 0);
        return true;
    }
    if (!key.empty() && approval.redeem_key == digest_of(key)) return false;
    return Error{
        ErrorCode::kAlreadyRedeemed, "this approval is already used; request another one", {}};
}

bool asks_for_another_way(std::string_view reason) {
    static constexpr std::array<std::string_view, 7> kWords{
        "instead",   "another way", "another approach", "other way",
        "different", "alternative", "rather "};
    return mentions(lower(reason), kWords);
}

void enter(Approvals& approvals, const AlarmAcknowledged& seen, std::uint64_t n) {
    std::erase_if(approvals.alarms, [&](const RaisedAlarm& raised) {
        const auto& names = seen.alarms;
        if (std::find(names.begin(), names.end(), raised.n) == names.end()) return false;
        for (Approval& approval : approvals.requests) {
            if (approval.n != raised.approval) continue;
            approval.alarm_seen = true;
            approval.changed_n = n;
        }
        return true;
    });
    // Those that had no room were not among what was acknowledged.
    if (seen.alarms.empty()) approvals.alarms_more = 0;
}

const Grant* Approvals::grant_for(const ApprovalRequested& asked, Timestamp now) const {
    // A person has rejected this very call, which a grant of the whole tool does not take back.
    const bool tool = asked.kind == ApprovalKind::kTool;
    // An approval of one execution is for its own request alone.
    if (tool && is_rejected(asked.tool, asked.args_digest, {.now = now, .own = false}))
        return nullptr;
    const auto found = std::find_if(grants.begin(), grants.end(), [&](const Grant& grant) {
        return grant.kind == asked.kind && grant.tool == asked.tool && grant.live(now) &&
               (grant.match == GrantMatch::kTool || grant.args_digest == asked.args_digest);
    });
    return found == grants.end() ? nullptr : &*found;
}

const Approval* Approvals::open_for(const ApprovalRequested& asked) const {
    const auto found = std::find_if(requests.begin(), requests.end(), [&](const Approval& a) {
        return a.open() && !a.of_dialog() && a.tool == asked.tool &&
               a.run_digest == asked.args_digest;
    });
    return found == requests.end() ? nullptr : &*found;
}

bool Approval::by_person() const noexcept {
    return decision && channel != "expiry" && channel != "grant";
}

bool Approval::taken() const noexcept {
    return open() && !call_id.empty() && (redeemed_at != kNever || acknowledged);
}

bool Approval::unused() const noexcept {
    return open() && !let_go && redeemed_at == kNever;
}

bool Approval::spent() const noexcept {
    return executed_n != 0 || (status == ApprovalStatus::kCancelled && alarm.has_value());
}

bool Approval::undelivered() const noexcept {
    return !pending() && !acknowledged && status != ApprovalStatus::kCancelled &&
           redeemed_at == kNever && executed_n == 0;
}

const Approval* Approvals::find(std::uint64_t n) const noexcept {
    const auto found =
        std::find_if(requests.begin(), requests.end(), [n](const Approval& a) { return a.n == n; });
    return found == requests.end() ? nullptr : &*found;
}

std::size_t Approvals::pending_own() const noexcept {
    const auto own = [](const Approval& one) { return one.pending() && one.of_headway(); };
    return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(), own));
}

void add_rejected(Approvals& approvals, std::uint64_t call, Timestamp at) {
    auto& rejected = approvals.rejected;
    std::erase_if(rejected, [&](const RejectedCall& one) {
        if (one.call != call) return false;
        at = std::max(at, one.at);  // a request may be dropped after a later rejection
        return true;
    });
    if (rejected.size() == limits::kRejectedCallsMax) rejected.erase(rejected.begin());
    rejected.push_back({call, at});
}

namespace {

/// True if the approval stands for this call. The agent may acknowledge one, which is then for its
/// own call only; a reply to a hook has let its own call go, which may need more replies.
bool stands_for(const Approval& approval, std::string_view args_digest, const RulingFor& call) {
    if (!call.own || !approval.open() || approval.run_digest != args_digest) return false;
    const bool mine = !call.call_id.empty() && approval.call_id == call.call_id;
    if (!mine) return approval.unused() && !approval.taken();
    return !approval.let_go || call.runs;
}

std::optional<NewestRuling> noted_rejection(const Approvals& approvals, std::uint64_t call) {
    for (const RejectedCall& one : approvals.rejected) {
        if (one.call == call) return NewestRuling{true, one.at};
    }
    return std::nullopt;
}

}  // namespace

// A rejection ends the approvals and grants of its very call, so one that stands is newer. A grant
// of the whole tool says nothing about a call that was rejected.
std::optional<NewestRuling> Approvals::newest_ruling(std::string_view tool,
                                                     std::string_view args_digest,
                                                     const RulingFor& call) const {
    if (args_digest.empty()) return std::nullopt;
    const Approval* rejection = nullptr;
    for (const Approval& a : requests) {
        const bool about =
            a.kind == ApprovalKind::kTool && !a.of_dialog() && a.tool == tool && a.by_person();
        if (!about) continue;
        if (stands_for(a, args_digest, call)) return NewestRuling{false, a.decided_at};
        const bool rejects = a.decision == Decision::kReject && a.args_digest == args_digest;
        if (rejects && (rejection == nullptr || a.decided_n > rejection->decided_n)) rejection = &a;
    }
    for (const Grant& grant : grants) {
        const bool exact = grant.kind == ApprovalKind::kTool && grant.match == GrantMatch::kArgs &&
                           grant.tool == tool && grant.args_digest == args_digest;
        if (!exact || !grant.live(call.now)) continue;
        return NewestRuling{false, grant.decided_at};
    }
    const auto noted = noted_rejection(*this, call_digest(tool, args_digest));
    if (rejection == nullptr) return noted;
    const Timestamp at = noted ? std::max(noted->at, rejection->decided_at) : rejection->decided_at;
    return NewestRuling{true, at};
}

void end_unused(Approvals& approvals, std::string_view tool, std::string_view args_digest,
                std::uint64_t n) {
    if (args_digest.empty()) return;
    std::erase_if(approvals.grants, [&](const Grant& grant) {
        return grant.kind == ApprovalKind::kTool && grant.match == GrantMatch::kArgs &&
               grant.tool == tool && grant.args_digest == args_digest;
    });
    for (Approval& one : approvals.requests) {
        const bool same =
            one.tool == tool && (one.args_digest == args_digest || one.run_digest == args_digest);
        if (!same || one.of_dialog() || !one.unused()) continue;
        one.status = ApprovalStatus::kCancelled;
        one.closed = ApprovalClosing::kRejected;
        one.changed_n = n;
    }
}

}  // namespace headway::core

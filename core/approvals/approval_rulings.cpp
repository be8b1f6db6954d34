// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/text/words.hpp"

// Decisions and redemptions: first one wins, allowed kinds, and which bytes.

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

bool same_ruling(const Approval& approval, const Ruling& ruling) {
    HEADWAY_ASSERT(!approval.pending());
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
        case Decision::kIgnore:
            break;
    }
    return true;
}

/// Why nothing is left to decide, for one who decides too late.
std::string_view how_it_ended(ApprovalClosing how) {
    switch (how) {
        case ApprovalClosing::kAnsweredAtAgent:
            return "it was answered at the agent itself; that answer stands";
        case ApprovalClosing::kStopped:
            return "the session had to stop, so the call was refused";
        case ApprovalClosing::kNotNeeded:
            return "the budget of the day has room again";
        case ApprovalClosing::kGrantEnded:
            return "a grant approved it, and has ended since";
        case ApprovalClosing::kLeftToAgent:
            break;
    }
    return "the agent does not wait for it any more; its own dialog decides";
}

}  // namespace

Timestamp Approvals::lapses_at(const Approval& approval) const {
    const bool unused =
        approval.open() && !approval.taken() && !approval.let_go && approval.redeemed_at == kNever;
    if (!unused || approval.channel != kGrantChannel) return kNever;
    Timestamp last = approval.decided_at;
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

Result<bool> check_ruling(const Approval& approval, const Ruling& ruling, Timestamp now) {
    if (approval.pending()) {
        HEADWAY_CHECK(fits_kind(approval, ruling, now));
        return true;
    }
    if (same_ruling(approval, ruling)) return false;
    std::string detail = "it is " + std::string{name_of(approval.status)};
    if (approval.decision) {
        detail = "decided already: " + std::string{name_of(*approval.decision)} + " by " +
                 (approval.by.empty() ? std::string{"an unknown approver"} : approval.by) +
                 "; the first decision stands";
    } else if (approval.closed) {
        detail = how_it_ended(*approval.closed);
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

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulation/model.hpp"

#include "core/approvals/approvals.hpp"

namespace headway::tests {
namespace {

using namespace core;

std::uint64_t number_in(const std::string& approval) {
    const auto ref = parse_approval_id(approval);
    return ref ? ref->n : 0;
}

}  // namespace

void ModelSession::fault(const Event& event, std::string_view what) {
    broken.push_back("event " + std::to_string(event.n) + " (" +
                     std::string{name_of(type_of(event.payload))} + "): " + std::string{what});
}

void ModelSession::see(const Event& event) {
    if (event.n != journal_.size() + 1) fault(event, "its number does not follow the last");
    if (!journal_.empty() && event.at < journal_.back().at) fault(event, "its time runs backwards");
    if (!event.event_id.empty()) see_reported(event);
    if (const auto* change = std::get_if<VerdictChanged>(&event.payload)) {
        see_verdict(*change);
        if (change->from == change->to) fault(event, "no change");
    }
    see_approval(event);
    if (std::holds_alternative<SessionEnded>(event.payload)) {
        if (ended_) fault(event, "it had ended");
        ended_ = true;
        for (auto& [n, approval] : approvals_)
            approval.pending = false;  // cancelled
    }
    journal_.push_back(event);
}

void ModelSession::see_reported(const Event& event) {
    if (!ids_.emplace(event.event_id, event.n).second) fault(event, "counted twice");
    if (ended_) fault(event, "reported after the end");
    if (event.attempt != 0 && event.attempt < attempt_) fault(event, "of an attempt that was over");
    attempt_ = std::max(attempt_, event.attempt);
}

void ModelSession::see_verdict(const VerdictChanged& change) {
    if (change.from != verdict_) {
        broken.push_back("a verdict changed from " + std::string{name_of(change.from)} +
                         ", it was " + std::string{name_of(verdict_)});
    }
    verdict_ = change.to;
}

void ModelSession::see_approval(const Event& event) {
    if (std::holds_alternative<ApprovalRequested>(event.payload)) approvals_[event.n] = {};
    if (const auto* decided = std::get_if<ApprovalDecided>(&event.payload)) {
        const auto found = approvals_.find(number_in(decided->id));
        if (found == approvals_.end()) return fault(event, "of an unknown request");
        if (!found->second.pending) fault(event, "decided twice");
        found->second.pending = false;
        found->second.approved = decided->decision == Decision::kApprove;
    }
    if (const auto* used = std::get_if<ApprovalRedeemed>(&event.payload)) {
        const auto found = approvals_.find(number_in(used->id));
        if (found == approvals_.end()) return fault(event, "of an unknown request");
        if (!found->second.approved) fault(event, "used without approval");
        if (found->second.redeemed) fault(event, "used twice");
        found->second.redeemed = true;
    }
}

void ModelSession::acknowledged(const std::string& event_id, std::uint64_t n) {
    const auto found = ids_.find(event_id);
    if (found == ids_.end()) {
        broken.push_back(event_id + " was acknowledged and never published");
    } else if (found->second != n) {
        broken.push_back(event_id + " was acknowledged as " + std::to_string(n) + " and is " +
                         std::to_string(found->second));
    }
}

void ModelSession::refused(const std::string& event_id) {
    if (ids_.contains(event_id)) broken.push_back(event_id + " was refused and is in the journal");
}

bool ModelSession::was(Verdict verdict) const {
    for (const Event& event : journal_) {
        const auto* change = std::get_if<VerdictChanged>(&event.payload);
        if (change != nullptr && change->to == verdict) return true;
    }
    return false;
}

bool ModelSession::is_pending(std::uint64_t n) const {
    const auto found = approvals_.find(n);
    return found != approvals_.end() && found->second.pending;
}

bool ModelSession::is_approved(std::uint64_t n) const {
    const auto found = approvals_.find(n);
    return found != approvals_.end() && found->second.approved;
}

bool ModelSession::is_redeemed(std::uint64_t n) const {
    const auto found = approvals_.find(n);
    return found != approvals_.end() && found->second.redeemed;
}

}  // namespace headway::tests

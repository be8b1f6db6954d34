// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/projections.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/approvals/approval_alias.hpp"
#include "core/budgets/budget_history.hpp"
#include "core/judgement/estimate_scores.hpp"
#include "core/state/legacy_comparison.hpp"

namespace headway::server {
namespace {

using core::Result;

/// True for events that move the index of sessions. Most reports have no such event.
bool moves_index(const core::Event& event) {
    switch (core::type_of(event.payload)) {
        case core::EventType::kSessionStarted:
        case core::EventType::kSessionAmended:
        case core::EventType::kVerdictChanged:
        case core::EventType::kSessionEnded:
        case core::EventType::kBudgetSet:
        case core::EventType::kBudgetLevel:
        case core::EventType::kApprovalAlarm:
        case core::EventType::kAlarmAcknowledged:
            return true;
        default:
            return false;
    }
}

bool moves_alarms(const core::Event& event) {
    return std::holds_alternative<core::ApprovalAlarm>(event.payload) ||
           std::holds_alternative<core::AlarmAcknowledged>(event.payload);
}

bool ends(const core::Event& event) {
    return std::holds_alternative<core::SessionEnded>(event.payload);
}

void count(ApprovalStats& stats, const core::Event& event) {
    if (std::holds_alternative<core::ApprovalRequested>(event.payload)) ++stats.requested;
    if (std::holds_alternative<core::ApprovalExpired>(event.payload)) ++stats.expired;
    if (std::holds_alternative<core::ApprovalRedeemed>(event.payload)) ++stats.redeemed;
    if (const auto* decided = std::get_if<core::ApprovalDecided>(&event.payload)) {
        ++stats.decided[static_cast<std::size_t>(decided->decision)];
    }
    if (const auto* alarm = std::get_if<core::ApprovalAlarm>(&event.payload)) {
        ++stats.alarms[static_cast<std::size_t>(alarm->alarm)];
    }
}

core::EstimateMade made_of(const core::ProgressEstimated& estimate, std::uint64_t n) {
    core::EstimateMade scored;
    scored.n = n;
    scored.percent = estimate.percent;
    scored.calls = estimate.calls;
    scored.source = estimate.by_judge() ? "judge" : "agent";
    scored.model = estimate.model;
    return scored;
}

/// Adds to the totals of the old timers.
Result<> count_timers(storage::Store& store, const core::SessionState& state) {
    if (state.policy->legacy.mode == core::LegacyMode::kOff) return {};
    const core::Comparison comparison = core::compare(state, state.ended_at);
    HEADWAY_CHECK(store.history().add_to_counter("legacy.sessions", 1));
    if (comparison.kills.empty()) return {};
    HEADWAY_CHECK(store.history().add_to_counter("legacy.killed", 1));
    if (!comparison.saved) return {};
    const core::Millis after = state.ended_at - comparison.kills.front().at;
    HEADWAY_CHECK(store.history().add_to_counter("legacy.saved", 1));
    return store.history().add_to_counter("legacy.saved_ms", after.count());
}

}  // namespace

Result<> SessionProjection::apply(const Appended& appended) {
    const auto& events = appended.events;
    if (std::none_of(events.begin(), events.end(), moves_index)) return {};
    HEADWAY_CHECK(store_.index().index_session(appended.resident.key, appended.resident.session,
                                               events.back().at));
    if (std::none_of(events.begin(), events.end(), moves_alarms)) return {};
    HEADWAY_TRY(appended.stats.approvals.alarmed, store_.index().count_alarms());
    return {};
}

Result<> ApprovalProjection::apply(const Appended& appended) {
    core::Session& session = appended.resident.session;
    const std::vector<core::Approval> changed = session.take_changed_approvals();
    if (changed.empty()) return {};
    for (const core::Event& event : appended.events)
        count(appended.stats.approvals, event);
    const std::uint64_t first = appended.events.front().n;
    const auto cursor_of = [&](std::uint64_t n) {
        return n < first ? 0 : appended.cursor + static_cast<storage::Cursor>(n - first);
    };
    std::vector<std::string>& decided = appended.publication.decided;
    for (const core::Approval& approval : changed) {
        HEADWAY_CHECK(store_.approvals().save_approval(
            appended.resident.key, approval, cursor_of(approval.n), cursor_of(approval.decided_n)));
        if (approval.pending()) continue;
        decided.push_back(core::approval_id(session.id(), approval.n));
        HEADWAY_TRY(const auto stored,
                    store_.approvals().find_approval(appended.resident.key, approval.n));
        if (!stored) continue;  // clients may wait for it by its UUID
        decided.push_back(
            core::approval_alias(session.id(), approval.n, approval.requested_at, stored->cursor));
    }
    HEADWAY_TRY(appended.stats.approvals.pending, store_.approvals().count_pending());
    return {};
}

Result<> EstimateProjection::apply(const Appended& appended) {
    const core::SessionState& state = appended.resident.session.state();
    if (state.estimates->scored == 0) return {};
    for (const core::Event& event : appended.events) {
        if (const auto* estimate = std::get_if<core::ProgressEstimated>(&event.payload)) {
            if (estimate->fallback) continue;
            HEADWAY_CHECK(store_.estimates().add_estimate(appended.resident.key,
                                                          made_of(*estimate, event.n)));
        } else if (const auto* end = std::get_if<core::SessionEnded>(&event.payload)) {
            HEADWAY_TRY(const auto estimates,
                        store_.estimates().take_estimates(appended.resident.key));
            for (const auto& score :
                 core::score_estimates(estimates, state.tool_calls, end->outcome))
                HEADWAY_CHECK(store_.estimates().add_estimate_score(score));
        }
    }
    return {};
}

/// Not after the end: an alarm of an ended session may be acknowledged later.
Result<> UseProjection::apply(const Appended& appended) {
    const auto& events = appended.events;
    if (std::none_of(events.begin(), events.end(), ends)) return {};
    const core::SessionState& state = appended.resident.session.state();
    HEADWAY_CHECK(store_.history().add_use(core::use_record_of(state)));
    return count_timers(store_, state);
}

}  // namespace headway::server

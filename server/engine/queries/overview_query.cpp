// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "core/base/limits.hpp"
#include "server/engine/queries/queries.hpp"

// What a dashboard reads of all sessions.

namespace headway::server {
namespace {

using core::Result;
using core::limits::kNeedsShownMax;

/// An approval as a need, with the goal and the estimate of its session.
Result<api::Need> need_of_stored(const Reader& reader, const storage::StoredApproval& stored) {
    api::Need need = api::need_of(stored.session_id, stored.approval);
    HEADWAY_CHECK(reader.with(stored.session, [&](const core::Session& asking) {
        need.goal = api::goal_line(asking.state());
        need.estimate = asking.estimate();
    }));
    return need;
}

}  // namespace

Result<std::vector<api::Need>> needs_of(const Reader& reader) {
    std::vector<api::Need> needs;
    HEADWAY_TRY(const auto alarms, reader.store().index().alarms(kNeedsShownMax));
    for (const storage::SessionAlarm& alarm : alarms) {
        HEADWAY_CHECK(reader.with(alarm.session, [&](const core::Session& session) {
            needs.push_back(api::need_of_alarm(session));
        }));
    }
    storage::ApprovalPage page;
    page.pending = true;
    page.limit = kNeedsShownMax;
    HEADWAY_TRY(const auto approvals, reader.store().approvals().list_approvals(page));
    HEADWAY_TRY(const auto sessions, reader.store().index().needs(kNeedsShownMax));
    auto approval = approvals.begin();
    auto session = sessions.begin();
    while (needs.size() < kNeedsShownMax) {
        const bool no_session = session == sessions.end();
        if (approval == approvals.end() && no_session) break;
        const bool approval_first =
            approval != approvals.end() &&
            (no_session || approval->approval.requested_at <= session->since);
        if (approval_first) {
            if (!approval->damaged) {  // the inbox reports it
                HEADWAY_TRY(needs.emplace_back(), need_of_stored(reader, *approval));
            }
            ++approval;
            continue;
        }
        HEADWAY_CHECK(reader.with(session->session, [&](const core::Session& needing) {
            needs.push_back(
                api::need_of(needing, session->since, session->over_budget, reader.time()));
        }));
        ++session;
    }
    return needs;
}

Result<std::uint64_t> count_needs(const Reader& reader) {
    HEADWAY_TRY(const std::uint64_t sessions, reader.store().index().count_needs());
    return sessions + reader.stats().approvals.pending;
}

Result<api::Overview> OverviewQuery::operator()(Reader& reader) const {
    api::Overview overview;
    overview.cursor = reader.store().head();
    HEADWAY_TRY(overview.counts, reader.store().index().count_open());
    HEADWAY_TRY(overview.needs, needs_of(reader));
    if (!overview.needs.empty()) overview.alarm = overview.needs.front().alarm;
    HEADWAY_TRY(const storage::AlarmCounts alarmed, reader.store().index().count_alarms());
    for (const std::uint64_t sessions : alarmed)
        overview.alarms += sessions;
    HEADWAY_TRY(overview.needs_total, count_needs(reader));
    overview.channels = reader.channels().tally();
    return overview;
}

}  // namespace headway::server

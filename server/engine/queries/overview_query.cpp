// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/limits.hpp"
#include "server/engine/queries/queries.hpp"
#include "server/engine/queries/verdict_hour.hpp"

// Summary of all sessions for a dashboard.

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

/// The less, the sooner a person has to look: what ran against a decision, what may do harm or
/// waits for words, what burns money, what only stands.
int urgency_of(const api::Need& need) {
    switch (need.kind) {
        case api::NeedKind::kAlarm:
        case api::NeedKind::kFanOut:
            return 0;
        case api::NeedKind::kApproval:
            if (need.risk == core::Risk::kCritical) return 1;
            return need.risk == core::Risk::kHigh ? 2 : 3;
        case api::NeedKind::kQuestion:
            return 3;
        case api::NeedKind::kStuck:
            return 4;
        case api::NeedKind::kOverBudget:
            return 5;
        case api::NeedKind::kWaiting:
        case api::NeedKind::kBlocked:
            return 6;
        case api::NeedKind::kSilent:
            break;
    }
    return 7;
}

/// Adds the most urgent of the pending approvals: critical ones, then those of high risk, then all
/// others, each oldest first, however many there are.
Result<void> add_approvals(const Reader& reader, std::vector<api::Need>& needs) {
    storage::ApprovalPage page;
    page.pending = true;
    page.limit = kNeedsShownMax;
    std::vector<storage::Cursor> added;
    for (const auto risk : {std::optional{core::Risk::kCritical}, std::optional{core::Risk::kHigh},
                            std::optional<core::Risk>{}}) {
        page.risk = risk;
        HEADWAY_TRY(const auto approvals, reader.store().approvals().list_approvals(page));
        for (const storage::StoredApproval& stored : approvals) {
            const bool known = std::ranges::find(added, stored.cursor) != added.end();
            // The inbox reports damaged ones.
            if (stored.damaged || known || added.size() == kNeedsShownMax) continue;
            added.push_back(stored.cursor);
            HEADWAY_TRY(needs.emplace_back(), need_of_stored(reader, stored));
        }
    }
    return {};
}

/// By kind, those against a person's decision first. They are looked for among more than are shown,
/// since an agent can raise the others by itself.
Result<std::vector<api::Need>> alarms_of(const Reader& reader) {
    std::vector<api::Need> needs;
    HEADWAY_TRY(const auto alarms, reader.store().index().alarms(4 * kNeedsShownMax));
    for (const storage::SessionAlarm& alarm : alarms) {
        HEADWAY_CHECK(reader.with(alarm.session, [&](const core::Session& session) {
            needs.push_back(api::need_of_alarm(session));
        }));
    }
    std::ranges::stable_sort(needs, std::greater{}, [](const api::Need& need) {
        return std::pair{need.alarm ? core::urgency_of(*need.alarm) : 0, need.against_person};
    });
    return needs;
}

}  // namespace

Result<std::vector<api::Need>> needs_of(const Reader& reader) {
    std::vector<api::Need> needs;
    HEADWAY_TRY(std::vector<api::Need> alarms, alarms_of(reader));
    HEADWAY_CHECK(add_approvals(reader, needs));
    HEADWAY_TRY(const auto sessions, reader.store().index().needs(kNeedsShownMax));
    for (const storage::SessionNeed& session : sessions) {
        HEADWAY_CHECK(reader.with(session.session, [&](const core::Session& needing) {
            needs.push_back(
                api::need_of(needing, session.since, session.over_budget, reader.time()));
        }));
    }
    std::ranges::stable_sort(needs, {}, [](const api::Need& need) {
        return std::pair{urgency_of(need), need.since};
    });
    // An agent can raise alarms in many sessions: they leave half of the places to others.
    const std::size_t most =
        kNeedsShownMax - std::min<std::size_t>(needs.size(), kNeedsShownMax / 2);
    if (alarms.size() > most) alarms.resize(most);
    alarms.insert(alarms.end(), std::make_move_iterator(needs.begin()),
                  std::make_move_iterator(needs.end()));
    if (alarms.size() > kNeedsShownMax) alarms.resize(kNeedsShownMax);
    return alarms;
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
    overview.approvals_pending = reader.stats().approvals.pending;
    HEADWAY_TRY(overview.needs_total, count_needs(reader));
    overview.channels = reader.channels().tally();
    if (minutes > 0) {
        const auto& known = reader.hour().minutes();
        const auto shown = static_cast<std::ptrdiff_t>(std::min(minutes, known.size()));
        overview.past = {reader.hour().until(), {known.end() - shown, known.end()}};
    }
    return overview;
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/encode_overview.hpp"
#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// The index of sessions: updates, lists and the overview.

namespace headway::server {
namespace {

using core::Result;

/// True if the event changes the index of sessions. Most reports have no such event.
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

}  // namespace

/// Updates the index of sessions in the transaction of the events.
Result<> Supervisor::index_session(const Resident& resident, std::span<const core::Event> events) {
    if (std::none_of(events.begin(), events.end(), moves_index)) return {};
    HEADWAY_CHECK(store_.index_session(resident.key, resident.session, events.back().at));
    if (std::none_of(events.begin(), events.end(), moves_alarms)) return {};
    HEADWAY_TRY(stats_.approvals.alarmed, store_.count_alarms());
    return {};
}

/// Calls `use` with the session, from memory or from disk. Skips a damaged one.
template <class Use>
Result<> Supervisor::with_session(storage::SessionKey key, Use use) {
    if (const Resident* resident = residents_.find(key)) {
        use(resident->session);
        return {};
    }
    const auto stored = load(key);
    if (!stored && stored.error().code == core::ErrorCode::kInternal) return {};
    if (!stored) return stored.error();
    use(stored->session);
    return {};
}

/// One slice of the page: sessions that are not in memory are read from disk.
Result<> Supervisor::show_some(const ListQuery& query, ListScan& scan) {
    const auto started = Clock::steady();
    const std::size_t count = std::min(scan.keys.size(), query.limit);
    while (scan.shown < count && Clock::steady() - started < kReaderSlice) {
        const std::size_t before = scan.body.size();
        HEADWAY_CHECK(with_session(scan.keys[scan.shown++], [&](const core::Session& session) {
            if (query.rows) {
                api::append_row(scan.body, session, reading_time());
            } else {
                api::append_session(scan.body, session, reading_time());
            }
        }));
        if (scan.body.size() != before) scan.body.push_back(',');
    }
    return {};
}

/// What waits for people: alarms first, then approvals and sessions merged, oldest first.
Result<std::vector<api::Need>> Supervisor::needs() {
    std::vector<api::Need> needs;
    HEADWAY_TRY(const auto alarms, store_.alarms(core::limits::kNeedsShownMax));
    for (const storage::SessionAlarm& alarm : alarms) {
        HEADWAY_CHECK(with_session(alarm.session, [&](const core::Session& session) {
            needs.push_back(api::need_of_alarm(session));
        }));
    }
    storage::ApprovalPage page;
    page.pending = true;
    page.limit = core::limits::kNeedsShownMax;
    HEADWAY_TRY(const auto approvals, store_.list_approvals(page));
    HEADWAY_TRY(const auto sessions, store_.needs(core::limits::kNeedsShownMax));
    auto approval = approvals.begin();
    auto session = sessions.begin();
    while (needs.size() < core::limits::kNeedsShownMax) {
        const bool no_session = session == sessions.end();
        if (approval == approvals.end() && no_session) break;
        const bool approval_first =
            approval != approvals.end() &&
            (no_session || approval->approval.requested_at <= session->since);
        if (approval_first && approval->damaged) {  // the inbox reports it
            ++approval;
            continue;
        }
        if (approval_first) {
            needs.push_back(api::need_of(approval->session_id, approval->approval));
            HEADWAY_CHECK(with_session(approval->session, [&](const core::Session& asking) {
                needs.back().goal = api::goal_line(asking.state());
                needs.back().estimate = asking.estimate();
            }));
            ++approval;
            continue;
        }
        HEADWAY_CHECK(with_session(session->session, [&](const core::Session& needing) {
            needs.push_back(
                api::need_of(needing, session->since, session->over_budget, reading_time()));
        }));
        ++session;
    }
    return needs;
}

Result<Answer> Supervisor::answer(const OverviewQuery&) {
    api::Overview overview;
    overview.cursor = store_.head();
    HEADWAY_TRY(overview.counts, store_.count_open());
    HEADWAY_TRY(overview.needs, needs());
    if (!overview.needs.empty()) overview.alarm = overview.needs.front().alarm;
    HEADWAY_TRY(const storage::AlarmCounts alarmed, store_.count_alarms());
    for (const std::uint64_t sessions : alarmed)
        overview.alarms += sessions;
    HEADWAY_TRY(overview.needs_total, store_.count_needs());
    overview.needs_total += stats_.approvals.pending;
    BodyReply reply;
    api::append_overview(reply.body, overview);
    return Answer{std::move(reply)};
}

}  // namespace headway::server

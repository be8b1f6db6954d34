// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/local_policy.hpp"

#include <utility>

#include "server/engine/commands/family_writes.hpp"
#include "server/engine/projections/judge_scheduler.hpp"

namespace headway::server {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kTicksPerTurn = 500;

}  // namespace

LocalPolicy::LocalPolicy(TurnState turn, Upkeep& upkeep)
    : turn_(std::move(turn)),
      upkeep_(upkeep),
      wall_clock_(turn_.clock, turn_.parts.settings.clock_confirm, turn_.report) {}

Result<std::uint64_t> LocalPolicy::recover(storage::Recovery recovery) {
    EngineContext& parts = turn_.parts;
    storage::Store& store = parts.store;
    HEADWAY_TRY(const std::vector<storage::SessionKey> open, store.open_sessions());
    HEADWAY_CHECK(wall_clock_.start_after(store));
    const core::Timestamp start = turn_.clock.now();
    turn_.watch.start(start);
    upkeep_.start(recovery.snapshots);
    // The others are loaded when due; their heartbeat interval is known only then.
    const core::Timestamp first_look = start + 2 * parts.settings.policy.heartbeat_interval;
    for (const storage::SessionKey key : open)
        deadlines_.schedule(key, first_look);
    // Approvals may have expired meanwhile.
    HEADWAY_TRY(const std::vector<storage::SessionKey> asking, store.approvals().asking_sessions());
    for (const storage::SessionKey key : asking)
        deadlines_.schedule(key, start);
    HEADWAY_TRY(parts.stats.approvals.pending, store.approvals().count_pending());
    HEADWAY_TRY(parts.stats.open, store.index().count_open());
    HEADWAY_TRY(parts.stats.approvals.alarmed, store.index().count_alarms());
    HEADWAY_CHECK(parts.judges.recover());
    HEADWAY_TRY(turn_.receivers, store.inbox().receivers());
    for (storage::StoredSession& stored : recovery.sessions) {
        parts.sessions.note_damage(stored);
        HEADWAY_TRY(Resident * resident, parts.sessions.adopt(std::move(stored)));
        parts.sessions.residents().mark_dirty(*resident, recovery.snapshots + 1);
        parts.tree.note(*resident);
        deadlines_.schedule(resident->key, resident->session.next_deadline(turn_.watch));
    }
    return recovery.events;
}

void LocalPolicy::note_gap(core::Millis length) {
    const core::Timestamp now = turn_.clock.now();
    turn_.watch.note_gap(now - length, now);
}

bool LocalPolicy::ticks_due() const {
    const auto due = deadlines_.next();
    return due && *due <= turn_.clock.now();
}

/// From memory or the disk; null if the session has ended or cannot be read.
Result<Resident*> LocalPolicy::resident_of(storage::SessionKey key) {
    Sessions& sessions = turn_.parts.sessions;
    if (Resident* resident = sessions.residents().find(key)) return resident;
    auto stored = sessions.load(key);
    if (!stored && stored.error().code == ErrorCode::kUnknownSession) return nullptr;
    if (!stored && stored.error().code == ErrorCode::kInternal) {
        turn_.report(true, stored.error().detail);
        return nullptr;
    }
    if (!stored) return std::move(stored).error();
    if (stored->session.state().ended()) return nullptr;  // since the deadline was set
    HEADWAY_TRY(Resident * resident, sessions.adopt(*std::move(stored)));
    turn_.parts.tree.note(*resident);
    // Its agent is quiet: it takes no place from one whose agent is not.
    sessions.residents().put_last(*resident);
    return resident;
}

Result<> LocalPolicy::tick_due(Transaction& transaction) {
    const core::Timestamp now = transaction.now();
    for (std::size_t i = 0; i < kTicksPerTurn; ++i) {
        const auto key = deadlines_.pop_due(now);
        if (!key) return {};
        HEADWAY_TRY(Resident * resident, resident_of(*key));
        if (resident == nullptr) continue;
        const core::Timestamp due =
            resident->session.next_deadline(turn_.watch, core::kNever, resident->agent_runs);
        if (due == core::kNever || due > now) {
            deadlines_.schedule(*key, due);
            continue;
        }
        HEADWAY_CHECK(tick(transaction, *resident));
        if (!resident->touched) {  // nothing changed; schedules the next deadline
            deadlines_.schedule(
                *key, resident->session.next_deadline(turn_.watch, now, resident->agent_runs));
        }
    }
    return {};
}

void LocalPolicy::schedule(const Resident& resident) {
    deadlines_.schedule(resident.key, resident.session.next_deadline(turn_.watch, core::kNever,
                                                                     resident.agent_runs));
}

Clock::Steady::time_point LocalPolicy::next_wake(Clock::Steady::time_point now) const {
    const auto due = deadlines_.next();
    if (!due) return Clock::Steady::time_point::max();
    return now + std::max(*due - turn_.clock.now(), core::Millis{0});
}

std::optional<core::Timestamp> LocalPolicy::earliest() const {
    if (!wall_clock_.trusted()) return std::nullopt;
    return turn_.clock.earliest();
}

}  // namespace headway::server

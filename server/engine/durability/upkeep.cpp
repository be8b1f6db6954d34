// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/upkeep.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;
using core::Result;
namespace limits = core::limits;

constexpr std::size_t kSavesPerStep = 64;
constexpr std::size_t kLateSavesPerStep = 2'048;  ///< at most, beside those: as a turn has reports
/// As many as a turn can open at 25 KB each, so that memory stays within its bound.
constexpr std::size_t kSavesWhenCrowded = 512;
constexpr std::size_t kSavesAtTheEnd = 1'000;  ///< per transaction
/// So that no statement takes as long as a daemon waits for its answer (storage.store_timeout).
constexpr std::size_t kIdsAtTheEnd = 20'000;
constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kEvictionsPerStep = 1024;
/// A session that was quiet this long is saved in an idle gap, which shortens a restart. With many
/// sessions each is quiet for a while between two reports: longer, by so much for each.
constexpr core::Millis kSettledMin = 5s;
constexpr core::Millis kSettledMax = 60s;
constexpr core::Millis kSettledPerSession = 1ms;
/// With many sessions in turn each would be saved after every report, which costs as much as the
/// report: a snapshot must stand for some events, here three. A restart replays as many more, at
/// most these.
constexpr std::size_t kLagPerSession = 3;
constexpr std::size_t kLagMost = 6 * limits::kSnapshotLagEventsMax;
/// With few sessions busy ones are saved in idle gaps too, at this part of the bound.
constexpr std::size_t kIdlePart = 5;
constexpr core::Millis kRetentionEveryMin = 1s;
constexpr core::Millis kRetentionEveryMax = 60s;

}  // namespace

storage::Cursor snapshot_lag_max(std::size_t residents, bool idle) {
    constexpr std::size_t kLeast = limits::kSnapshotLagEventsMax;
    const std::size_t most = std::clamp(kLagPerSession * residents, kLeast, kLagMost);
    const bool few = most == kLeast;
    return static_cast<storage::Cursor>(idle && few ? most / kIdlePart : most);
}

core::Millis settled_after(std::size_t residents) {
    const auto all = static_cast<core::Millis::rep>(residents) * kSettledPerSession;
    return std::clamp(all, kSettledMin, kSettledMax);
}

Result<> Upkeep::tidy(Sessions& sessions, core::Timestamp now, bool idle, bool& lost) {
    std::uint64_t saved_before = figures_.snapshots;
    ResidentSet& residents = sessions.residents();
    const std::size_t come = events_since_step();
    // A file of its own takes the ids at once.
    std::size_t ids = store_.shared() == nullptr ? kNoBound : kIdsPerStep + come;
    evict_some(residents, {});  // may leave less to save
    Result<> saved;
    if (crowded(residents, {})) saved = save_least_recent(residents, ids);
    if (saved) {
        saved_before = figures_.snapshots;
        const std::size_t saves = kSavesPerStep + std::min(come, kLateSavesPerStep);
        saved = save_some(residents, now, idle, {saves, ids});
    }
    if (!saved) {
        store_.rollback();
        lost = figures_.snapshots != saved_before;
    }
    return saved;
}

/// Late ones are as many as events have come, or they would get ever later; the others, a few.
Result<> Upkeep::save_some(ResidentSet& residents, core::Timestamp now, bool idle, Bounds bounds) {
    std::size_t in_time = 0;
    const storage::Cursor most = snapshot_lag_max(residents.size(), idle);
    const core::Millis settled = settled_after(residents.size());
    const auto next = [&]() -> Resident* {
        Resident* oldest = residents.oldest_dirty();
        if (oldest == nullptr) return nullptr;
        if (store_.head() - oldest->dirty_from > most) return oldest;
        const bool ended = oldest->session.state().ended();  // it leaves memory with its snapshot
        const core::Millis quiet = now - oldest->touched_at;
        const bool settles = idle && quiet > (ended ? kSettledMin : settled);
        return settles && in_time++ < kSavesPerStep ? oldest : nullptr;
    };
    return save_each(residents, bounds, next);
}

/// Saves those that have to leave, and no others: of many sessions in turn those that stay are
/// wanted again before they would be late.
Result<> Upkeep::save_least_recent(ResidentSet& residents, std::size_t& ids) {
    const Room room = spare_room(residents);
    std::vector<Resident*> leaving = residents.beyond(
        settings_.resident_max - room.sessions,
        settings_.resident_bytes == 0 ? kNoBound : settings_.resident_bytes - room.bytes,
        kSavesWhenCrowded);
    auto at = leaving.begin();
    const auto next = [&]() -> Resident* {
        at = std::find_if(at, leaving.end(), [](const Resident* r) { return r->dirty_from != 0; });
        return at == leaving.end() ? nullptr : *at;
    };
    Bounds bounds{kSavesWhenCrowded, ids};
    HEADWAY_CHECK(save_each(residents, bounds, next));
    ids = bounds.ids;
    evict_some(residents, room);
    return {};
}

/// Room beyond the one that is needed, so that not every turn has a commit for it: as much again,
/// since a client that leaves may be the next to report.
Upkeep::Room Upkeep::spare_room(const ResidentSet& residents) const {
    constexpr std::size_t kPart = 64;
    const auto excess = [](std::size_t have, std::size_t most) {
        return have - std::min(have, most);
    };
    return {std::min({settings_.resident_max / kPart, kSavesWhenCrowded,
                      excess(residents.size(), settings_.resident_max)}),
            std::min(settings_.resident_bytes / kPart,
                     excess(residents.bytes(), settings_.resident_bytes))};
}

std::size_t Upkeep::events_since_step() {
    const storage::Cursor head = store_.head();
    return static_cast<std::size_t>(
        std::max(head - std::exchange(head_, head), storage::Cursor{0}));
}

/// One transaction: what `next` says, until that is null. A session with more event ids than there
/// is room for has only ids written, and the others with a later step.
template <class Next>
Result<> Upkeep::save_each(ResidentSet& residents, Bounds& most, Next next) {
    std::vector<Resident*> saved;
    Resident* begun = nullptr;
    std::size_t ahead = 0;  // of its ids
    Resident* one = next();
    if (one == nullptr) return {};
    HEADWAY_CHECK(store_.begin());
    for (; saved.size() < most.saves && one != nullptr; one = next()) {
        const storage::EventIds& ids = one->new_ids;
        if (ids.size() > most.ids) {
            begun = one;
            ahead = most.ids;
            if (ahead > 0) HEADWAY_CHECK(store_.shared()->save_ids(begun->key, ids.first(ahead)));
            break;
        }
        most.ids -= ids.size();
        HEADWAY_CHECK(save(residents, *one));
        saved.push_back(one);
    }
    HEADWAY_CHECK(move_snapshot_cursor(residents));
    HEADWAY_CHECK(store_.commit());
    if (ahead > 0) begun->new_ids.drop_first(ahead);  // the store has them
    // Ended sessions need not stay in memory.
    for (Resident* resident : saved) {
        if (resident->session.state().ended()) residents.evict(*resident);
    }
    return {};
}

Result<> Upkeep::save(ResidentSet& residents, Resident& resident) {
    HEADWAY_CHECK(store_.save(resident.key, resident.session, resident.chain, resident.new_ids));
    residents.mark_clean(resident);
    HEADWAY_ASSERT(resident.dirty_from == 0);
    ++figures_.snapshots;
    return {};
}

/// Snapshots cover everything before the oldest unsaved event.
Result<> Upkeep::move_snapshot_cursor(ResidentSet& residents) {
    const Resident* oldest = residents.oldest_dirty();
    const storage::Cursor cursor = oldest != nullptr ? oldest->dirty_from - 1 : store_.head();
    HEADWAY_ASSERT(oldest == nullptr || cursor < oldest->dirty_from);
    if (cursor <= snapshot_cursor_) return {};
    HEADWAY_CHECK(store_.set_snapshot_cursor(cursor));
    snapshot_cursor_ = cursor;
    return {};
}

bool Upkeep::crowded(const ResidentSet& residents, Room spare) const {
    const bool bytes =
        settings_.resident_bytes > 0 && residents.bytes() > settings_.resident_bytes - spare.bytes;
    return bytes || residents.size() > settings_.resident_max - spare.sessions;
}

void Upkeep::evict_some(ResidentSet& residents, Room spare) {
    for (std::size_t i = 0; i < kEvictionsPerStep && crowded(residents, spare); ++i) {
        Resident* oldest = residents.least_recent();
        if (holds_hook(*oldest)) {  // as many as there are connections
            residents.put_first(*oldest);
            continue;
        }
        if (oldest->dirty_from != 0) return;  // save_least_recent() will save it
        residents.evict(*oldest);
        ++figures_.evictions;
    }
}

Result<> Upkeep::checkpoint(bool idle, bool short_of_space) {
    int pages = idle ? limits::kCheckpointPagesIdle : limits::kCheckpointPagesForced;
    // A checkpointed log does not grow, and the rows that were deleted are overwritten.
    if (idle && (short_of_space || overwrites_)) pages = 1;
    if (store_.wal_pages() < pages) return {};
    ++figures_.checkpoints;
    HEADWAY_CHECK(store_.checkpoint(pages));
    if (store_.wal_pages() == 0) overwrites_ = false;
    return {};
}

Result<std::optional<storage::Deletion>> Upkeep::delete_one(
    core::Timestamp now, std::optional<core::Timestamp> earliest) {
    std::optional<storage::Deletion> none;
    if (now < retention_at_) return none;
    const bool keeps_all = settings_.retention == core::Millis{0} || !earliest;
    const core::Timestamp cutoff = keeps_all ? core::kNever : *earliest - settings_.retention;
    HEADWAY_TRY(storage::Deletion step, store_.delete_some(cutoff));
    if (!step.more) {
        if (std::exchange(deletes_, false)) overwrites_ = true;
        const core::Millis every = keeps_all ? kRetentionEveryMax : settings_.retention / 4;
        retention_at_ = now + std::clamp(every, kRetentionEveryMin, kRetentionEveryMax);
        return none;
    }
    ++figures_.deleted_steps;
    deletes_ = true;
    return std::optional{std::move(step)};
}

Result<> Upkeep::try_commit() {
    auto done = store_.begin();
    if (done) done = store_.set_snapshot_cursor(snapshot_cursor_);
    if (done) done = store_.commit();
    if (!done) store_.rollback();
    return done;
}

Result<> Upkeep::save_all(Sessions& sessions) {
    ResidentSet& residents = sessions.residents();
    while (residents.oldest_dirty() != nullptr) {
        Bounds most{kSavesAtTheEnd, store_.shared() == nullptr ? kNoBound : kIdsAtTheEnd};
        HEADWAY_CHECK(save_each(residents, most, [&] { return residents.oldest_dirty(); }));
    }
    return {};
}

}  // namespace headway::server

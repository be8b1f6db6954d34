#include <algorithm>
#include <utility>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Housekeeping between turns, in bounded steps: snapshots, eviction, checkpoints, retention.

namespace headway::server {
namespace {

using namespace std::chrono_literals;
namespace limits = core::limits;

constexpr std::size_t kSavesPerStep = 64;
constexpr std::size_t kEvictionsPerStep = 256;
constexpr std::size_t kDeletionsPerGap = 16;  // each a commit
/// A session that has been quiet this long is saved in an idle gap, so that a restart has less to
/// read.
constexpr core::Millis kSettled = 5s;
/// How far the oldest unsaved event may lie behind before busy sessions are saved too, in idle
/// gaps.
constexpr storage::Cursor kIdleLag = 10'000;
constexpr core::Millis kRetentionEveryMin = 1s;
constexpr core::Millis kRetentionEveryMax = 60s;

}  // namespace

void Supervisor::upkeep(bool idle) {
    if (idle && (lost_ || !stats_.writable)) probe();
    if (lost_) return;
    if (auto saved = save_some(idle); !saved) {
        report_(true, "snapshot failed: " + saved.error().detail);
        return;
    }
    evict_some();
    const int pages = idle ? limits::kCheckpointPagesIdle : limits::kCheckpointPagesForced;
    if (store_.wal_pages() >= pages) {
        ++stats_.checkpoints;
        if (auto moved = store_.checkpoint(pages); !moved) {
            report_(true, "checkpoint failed: " + moved.error().detail);
        }
    }
    if (idle) retention_step();
}

core::Result<> Supervisor::save_some(bool idle) {
    const core::Timestamp now = clock_.now();
    const bool crowded = residents_.size() > settings_.resident_max;
    std::vector<Resident*> saved;
    const auto wanted = [&](const Resident& resident) {
        const storage::Cursor lag = store_.head() - resident.dirty_from;
        if (lag > static_cast<storage::Cursor>(limits::kSnapshotLagEventsMax)) return true;
        if (crowded) return true;
        return idle && (lag > kIdleLag || now - resident.touched_at > kSettled);
    };
    Resident* oldest = residents_.oldest_dirty();
    if (oldest == nullptr || !wanted(*oldest)) return {};

    HEADWAY_CHECK(store_.begin());
    while (saved.size() < kSavesPerStep) {
        oldest = residents_.oldest_dirty();
        if (oldest == nullptr || !wanted(*oldest)) break;
        if (auto done = save(*oldest); !done) {
            store_.rollback();
            lost_ = true;  // marked clean without being saved: read them again
            return done;
        }
        saved.push_back(oldest);
    }
    auto done = move_snapshot_cursor();
    if (done) done = store_.commit();
    if (!done) {
        store_.rollback();
        lost_ = true;
        return done;
    }
    // Ended sessions have nothing more to do in memory.
    for (Resident* resident : saved) {
        if (resident->session.state().ended()) residents_.evict(*resident);
    }
    return {};
}

core::Result<> Supervisor::save(Resident& resident) {
    HEADWAY_CHECK(store_.save(resident.key, resident.session, resident.chain, resident.new_ids));
    residents_.mark_clean(resident);
    ++stats_.snapshots;
    return {};
}

/// Everything before the oldest unsaved event is in the snapshots.
core::Result<> Supervisor::move_snapshot_cursor() {
    const Resident* oldest = residents_.oldest_dirty();
    const storage::Cursor cursor = oldest != nullptr ? oldest->dirty_from - 1 : store_.head();
    if (cursor <= snapshot_cursor_) return {};
    HEADWAY_CHECK(store_.set_snapshot_cursor(cursor));
    snapshot_cursor_ = cursor;
    return {};
}

void Supervisor::evict_some() {
    for (std::size_t i = 0; i < kEvictionsPerStep && residents_.size() > settings_.resident_max;
         ++i) {
        Resident* oldest = residents_.least_recent();
        if (oldest->dirty_from != 0) return;  // save_some() comes to it
        residents_.evict(*oldest);
        ++stats_.evictions;
    }
}

void Supervisor::retention_step() {
    const core::Timestamp now = clock_.now();
    if (settings_.retention == core::Millis{0} || now < retention_at_) return;
    for (std::size_t i = 0; i < kDeletionsPerGap; ++i) {
        auto step = store_.delete_some(now - settings_.retention);
        if (!step) report_(true, "retention failed: " + step.error().detail);
        if (!step || !step->more) {
            const core::Millis every = settings_.retention / 4;
            retention_at_ = now + std::clamp(every, kRetentionEveryMin, kRetentionEveryMax);
            return;
        }
        ++stats_.deleted_steps;
        if (step->doomed) forget(*step);
    }
}

/// The session was deleted: nobody may be answered from a copy of it.
void Supervisor::forget(const storage::Deletion& deletion) {
    if (Resident* resident = residents_.find(*deletion.doomed)) {
        residents_.mark_clean(*resident);
        residents_.evict(*resident);
    }
    auto publication = std::make_unique<Publication>();
    publication->watching_since = watching_since_;
    publication->stats = stats_;
    publication->deleted.push_back(deletion.doomed_id);
    publish_(std::move(publication));
}

/// After a failed commit: tries a small one, so that readiness comes back without waiting for a
/// client to try.
void Supervisor::probe() {
    if (lost_ && !regain()) return;
    auto done = store_.begin();
    if (done) done = store_.set_snapshot_cursor(snapshot_cursor_);
    if (done) done = store_.commit();
    if (!done) {
        store_.rollback();
        return;
    }
    stats_.writable = true;
    report_(false, "the journal can be written again");
    auto publication = std::make_unique<Publication>();
    publication->watching_since = watching_since_;
    publication->stats = stats_;
    publish_(std::move(publication));
}

void Supervisor::save_everything() {
    if (lost_) return;
    while (Resident* dirty = residents_.oldest_dirty()) {
        if (!store_.begin()) return;
        for (std::size_t i = 0; i < 1000 && dirty != nullptr; ++i) {
            if (!save(*dirty)) {
                store_.rollback();
                return;
            }
            dirty = residents_.oldest_dirty();
        }
        if (!move_snapshot_cursor() || !store_.commit()) {
            store_.rollback();
            return;
        }
    }
    (void)store_.checkpoint(1);
}

}  // namespace headway::server

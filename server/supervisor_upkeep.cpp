// SPDX-License-Identifier: Apache-2.0
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
/// As many as a turn can open at 25 KB each, so that memory stays within its bound.
constexpr std::size_t kSavesWhenCrowded = 512;
constexpr std::size_t kEvictionsPerStep = 1024;
constexpr std::size_t kDeletionsPerGap = 16;  // each a commit
/// A session that was quiet this long is saved in an idle gap, which shortens a restart.
constexpr core::Millis kSettled = 5s;
/// How far the oldest unsaved event may be behind before busy sessions are saved too, in idle gaps.
constexpr storage::Cursor kIdleLag = 10'000;
constexpr core::Millis kRetentionEveryMin = 1s;
constexpr core::Millis kRetentionEveryMax = 60s;

}  // namespace

void Supervisor::upkeep(bool idle) {
    dismiss_visitors();
    backup_step();
    look_at_space(false);
    look_at_files(false);
    if (idle && (lost_ || full_ || !stats_.writable)) probe();
    if (lost_ || full_ || sync_failed_ || misplaced_) return;
    evict_some();  // may leave less to save
    if (auto saved = save_some(idle); !saved) {
        report_(true, "snapshot failed: " + saved.error().detail);
        note_failure(saved.error());
        return;
    }
    evict_some();
    int pages = idle ? limits::kCheckpointPagesIdle : limits::kCheckpointPagesForced;
    if (idle && stats_.short_of_space) pages = 1;  // a checkpointed WAL does not grow
    if (store_.wal_pages() >= pages) {
        ++stats_.checkpoints;
        if (auto moved = store_.checkpoint(pages); !moved) {
            report_(true, "checkpoint failed: " + moved.error().detail);
            note_failure(moved.error());
        }
    }
    if (idle && !full_ && !sync_failed_) {
        retention_step();
        forget_webhooks();
    }
}

core::Result<> Supervisor::save_some(bool idle) {
    const core::Timestamp now = clock_.now();
    const bool full_house = crowded();
    std::vector<Resident*> saved;
    const auto wanted = [&](const Resident& resident) {
        const storage::Cursor lag = store_.head() - resident.dirty_from;
        if (lag > static_cast<storage::Cursor>(limits::kSnapshotLagEventsMax)) return true;
        if (full_house) return true;
        return idle && (lag > kIdleLag || now - resident.touched_at > kSettled);
    };
    Resident* oldest = residents_.oldest_dirty();
    if (oldest == nullptr || !wanted(*oldest)) return {};

    HEADWAY_CHECK(store_.begin());
    const std::size_t saves_max = full_house ? kSavesWhenCrowded : kSavesPerStep;
    while (saved.size() < saves_max) {
        oldest = residents_.oldest_dirty();
        if (oldest == nullptr || !wanted(*oldest)) break;
        if (auto done = save(*oldest); !done) {
            store_.rollback();
            lost_ = true;  // marked clean but not saved: load them again
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
    // Ended sessions need not stay in memory.
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

/// Snapshots cover everything before the oldest unsaved event.
core::Result<> Supervisor::move_snapshot_cursor() {
    const Resident* oldest = residents_.oldest_dirty();
    const storage::Cursor cursor = oldest != nullptr ? oldest->dirty_from - 1 : store_.head();
    if (cursor <= snapshot_cursor_) return {};
    HEADWAY_CHECK(store_.set_snapshot_cursor(cursor));
    snapshot_cursor_ = cursor;
    return {};
}

void Supervisor::dismiss_visitors() {
    for (const storage::SessionKey key : visitors_) {
        Resident* visitor = residents_.find(key);
        if (visitor != nullptr && visitor->dirty_from == 0 && !lost_) residents_.evict(*visitor);
    }
    visitors_.clear();
}

bool Supervisor::crowded() const {
    const bool bytes =
        settings_.resident_bytes > 0 && residents_.bytes() > settings_.resident_bytes;
    return bytes || residents_.size() > settings_.resident_max;
}

void Supervisor::evict_some() {
    for (std::size_t i = 0; i < kEvictionsPerStep && crowded(); ++i) {
        Resident* oldest = residents_.least_recent();
        if (oldest->dirty_from != 0) return;  // save_some() will save it
        residents_.evict(*oldest);
        ++stats_.evictions;
    }
}

void Supervisor::retention_step() {
    const core::Timestamp now = clock_.now();
    if (settings_.retention == core::Millis{0} || now < retention_at_) return;
    if (!clock_steps_.trusted(clock_.reading().steady)) return;
    for (std::size_t i = 0; i < kDeletionsPerGap; ++i) {
        // A wrong clock must not delete sessions too early.
        auto step = store_.delete_some(clock_.earliest() - settings_.retention);
        if (!step) {
            report_(true, "retention failed: " + step.error().detail);
            note_failure(step.error());
            return;  // again in the next gap
        }
        if (!step->more) {
            const core::Millis every = settings_.retention / 4;
            retention_at_ = now + std::clamp(every, kRetentionEveryMin, kRetentionEveryMax);
            return;
        }
        ++stats_.deleted_steps;
        if (step->doomed) forget(*step);
    }
}

/// Drops all copies of a deleted session.
void Supervisor::forget(const storage::Deletion& deletion) {
    if (Resident* resident = residents_.find(*deletion.doomed)) {
        residents_.mark_clean(*resident);
        residents_.evict(*resident);
    }
    if (const auto alarmed = store_.count_alarms()) stats_.approvals.alarmed = *alarmed;
    auto publication = std::make_unique<Publication>();
    publication->stats = stats_;
    publication->deleted.push_back(deletion.doomed_id);
    publish_(std::move(publication));
}

/// Tries a small commit after a failed one, so that readiness returns without a client's request.
void Supervisor::probe() {
    if (sync_failed_ || misplaced_ || (full_ && Clock::steady() < probe_at_)) return;
    if (lost_ && !regain()) return;
    // Deletion writes to the WAL too. A checkpoint moves it into the database, which may have free
    // pages, and restarts it.
    if (full_ && store_.wal_pages() > 0) (void)store_.checkpoint(1);
    if (!try_commit()) return;
    full_ = false;
    stats_.writable = true;
    report_(false, "the journal can be written again");
    announce();
}

/// Publishes the state outside of a turn.
void Supervisor::announce() {
    auto publication = std::make_unique<Publication>();
    publication->stats = stats_;
    publish_(std::move(publication));
}

/// Makes the smallest possible commit.
bool Supervisor::try_commit() {
    auto done = store_.begin();
    if (done) done = store_.set_snapshot_cursor(snapshot_cursor_);
    if (done) done = store_.commit();
    if (done) return true;
    store_.rollback();
    note_failure(done.error());
    return false;
}

/// Feeds the watchdog, which restarts a daemon that hangs or whose disk hangs. Without a commit
/// since the last time, it tries one. A full disk is no reason for a restart, because reads still
/// work, nor is a database that can still be saved from this process.
void Supervisor::feed_watchdog() {
    if (!settings_.feed_watchdog || Clock::steady() - fed_at_ < settings_.feed_every) return;
    const bool committed = stats_.commits != commits_when_fed_ && stats_.writable;
    if (!committed && !full_ && !misplaced_ && (lost_ || sync_failed_ || !try_commit())) return;
    commits_when_fed_ = stats_.commits;
    fed_at_ = Clock::steady();
    settings_.feed_watchdog();
}

void Supervisor::save_everything() {
    if (lost_ || sync_failed_ || misplaced_) return;
    while (residents_.oldest_dirty() != nullptr) {
        auto done = save_some();
        if (done) continue;
        store_.rollback();
        report_(true, "the sessions could not be saved at the end (" + done.error().detail +
                          "); nothing is lost, but the next start reads more of the journal");
        note_failure(done.error());
        return;
    }
    if (auto moved = store_.checkpoint(1); !moved) {
        report_(true, "the journal's log could not be moved into the database at the end (" +
                          moved.error().detail + "); the next start does it");
        note_failure(moved.error());
    }
}

core::Result<> Supervisor::save_some() {
    HEADWAY_CHECK(store_.begin());
    Resident* dirty = residents_.oldest_dirty();
    for (std::size_t i = 0; i < 1000 && dirty != nullptr; ++i) {
        HEADWAY_CHECK(save(*dirty));
        dirty = residents_.oldest_dirty();
    }
    HEADWAY_CHECK(move_snapshot_cursor());
    return store_.commit();
}

}  // namespace headway::server

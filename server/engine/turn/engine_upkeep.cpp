// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "server/engine/turn/engine.hpp"

// Between the turns.

namespace headway::server {

using core::Result;
using namespace std::chrono_literals;

constexpr auto kDigestLookEvery = 1s;
constexpr auto kDigestTryEvery = 60s;
/// Short beside the intervals by which a channel is judged.
constexpr auto kChannelsEvery = 1s;

void Engine::upkeep(bool idle) {
    count_channels();
    turn_day();
    digest_step();
    if (!lost_) sessions_.dismiss_visitors();
    backup_.step();
    disk_.look_at_space(false);
    disk_.look_at_files(false);
    if (policy_->has_lost_connection()) lost_ = true;
    if (idle && (lost_ || disk_.full() || !disk_.writable())) probe();
    if (halted()) return;
    if (auto tidied = upkeep_.tidy(sessions_, clock_.now(), idle, lost_); !tidied) {
        report_(true, "snapshot failed: " + tidied.error().detail);
        disk_.note_failure(tidied.error());
        return;
    }
    if (auto moved = upkeep_.checkpoint(idle, disk_.short_of_space()); !moved) {
        report_(true, "checkpoint failed: " + moved.error().detail);
        disk_.note_failure(moved.error());
    }
    if (idle && !disk_.full() && !disk_.sync_failed()) {
        retention_step();
        forget_webhooks();
    }
}

void Engine::retention_step() {
    const std::optional<core::Timestamp> earliest = policy_->earliest();
    for (std::size_t i = 0; i < Upkeep::kDeletionsPerGap; ++i) {
        const auto step = upkeep_.delete_one(clock_.now(), earliest);
        if (!step) {
            report_(true, "retention failed: " + step.error().detail);
            disk_.note_failure(step.error());
            return;  // again in the next gap
        }
        if (!*step) return;
        if ((*step)->doomed) forget(**step);
    }
}

/// A channel turns mute by time alone.
void Engine::count_channels() {
    const auto now = Clock::steady();
    if (now - channels_counted_ < kChannelsEvery) return;
    channels_counted_ = now;
    if (channels_.count(sessions_.residents(), clock_.now(), watch_))
        announce(std::make_unique<Publication>());
}

/// The sessions that a cap of yesterday holds may go on.
void Engine::turn_day() {
    if (lost_) return;  // reading the sessions again forgets the receivers
    const std::int64_t day = core::day_of(clock_.now(), settings_.day.starts);
    if (day == std::exchange(days_.day, day) || days_.sessions.empty()) return;
    receivers_.insert(receivers_.end(), days_.sessions.begin(), days_.sessions.end());
    days_.let_go = std::exchange(days_.sessions, {});  // those that a cap still holds come back
    std::sort(receivers_.begin(), receivers_.end());
    receivers_.erase(std::unique(receivers_.begin(), receivers_.end()), receivers_.end());
}

/// Drops all copies of a deleted session.
void Engine::forget(const storage::Deletion& deletion) {
    channels_.forget(*deletion.doomed);
    ResidentSet& residents = sessions_.residents();
    if (Resident* resident = residents.find(*deletion.doomed)) {
        residents.mark_clean(*resident);
        residents.evict(*resident);
    }
    if (const auto alarmed = store_.index().count_alarms()) totals_.approvals.alarmed = *alarmed;
    auto publication = std::make_unique<Publication>();
    publication->deleted.push_back(deletion.doomed_id);
    announce(std::move(publication));
}

/// Loads the outbox. A full disk must not prevent the start; unwritten changes are found again at
/// the next one.
Result<> Engine::recover_webhooks() {
    HEADWAY_TRY(const bool changed, webhooks_.load(clock_.now()));
    if (!changed) return {};
    auto done = store_.begin();
    if (done) done = webhooks_.save_changes();
    if (done) done = store_.commit();
    if (done) return {};
    store_.rollback();
    report_(true, "webhooks: what changed of them was not written: " + done.error().detail);
    return {};
}

void Engine::forget_webhooks() {
    const std::optional<core::Timestamp> earliest = policy_->earliest();
    if (!webhooks_.any() || !earliest || !webhooks_.has_removed(*earliest)) return;
    auto done = store_.begin();
    if (done) done = webhooks_.forget_removed(*earliest);
    if (done) done = store_.commit();
    if (!done) {
        store_.rollback();
        report_(true, "webhooks: old messages were not deleted: " + done.error().detail);
        disk_.note_failure(done.error());
        return;
    }
    if (auto loaded = webhooks_.load(clock_.now()); !loaded)
        report_(true, "webhooks cannot be read from the database: " + loaded.error().detail);
}

/// The digest of the morning: a slice of its reading, or its message.
void Engine::digest_step() {
    const auto now = Clock::steady();
    if (!settings_.digest_at || !sends() || halted() || now < morning_at_) return;
    Reader reader{parts_};
    auto done = morning_.step(reader);
    if (done && !morning_.busy()) morning_at_ = now + kDigestLookEvery;
    if (done && !morning_.ready()) return;
    if (done) done = store_.begin();
    const bool begun = done.has_value();
    if (done) done = morning_.tell(store_, webhooks_, clock_.now());
    if (done) done = store_.commit();
    if (done) return morning_.mark_sent();
    morning_.drop();
    morning_at_ = now + kDigestTryEvery;
    report_(true, "the digest was not stored, and is tried again: " + done.error().detail);
    if (!begun) return;
    store_.rollback();
    disk_.note_failure(done.error());
    if (auto loaded = webhooks_.load(clock_.now()); !loaded)
        report_(true, "webhooks cannot be read from the database: " + loaded.error().detail);
}

/// Tries a small commit after a failed one, so that readiness returns without a client's request.
void Engine::probe() {
    if (!disk_.may_probe()) return;
    if (lost_ && !regain()) return;
    // Deletion writes to the log too. A checkpoint moves it into the database, which may have free
    // pages, and restarts it.
    if (disk_.full() && store_.wal_pages() > 0) (void)store_.checkpoint(1);
    if (!try_commit()) return;
    disk_.set_recovered();
    report_(false, "the journal can be written again");
    announce(std::make_unique<Publication>());
}

bool Engine::try_commit() {
    const auto done = upkeep_.try_commit();
    if (!done) disk_.note_failure(done.error());
    return done.has_value();
}

/// Feeds the watchdog, which restarts a daemon that hangs or whose disk hangs. Without a commit
/// since the last time, it tries one. A full disk is no reason for a restart, because reads still
/// work, nor is a database that can still be saved from this process.
void Engine::feed_watchdog() {
    if (!settings_.feed_watchdog || Clock::steady() - fed_at_ < settings_.feed_every) return;
    const bool committed = commits_.commits() != commits_when_fed_ && disk_.writable();
    const bool spared = disk_.full() || disk_.misplaced();
    if (!committed && !spared && (lost_ || disk_.sync_failed() || !try_commit())) return;
    commits_when_fed_ = commits_.commits();
    fed_at_ = Clock::steady();
    settings_.feed_watchdog();
}

void Engine::save_everything() {
    if (policy_->has_lost_connection()) return;
    if (lost_ || disk_.sync_failed() || disk_.misplaced()) return;
    if (auto saved = upkeep_.save_all(sessions_); !saved) {
        store_.rollback();
        report_(true, "the sessions could not be saved at the end (" + saved.error().detail +
                          "); nothing is lost, but the next start reads more of the journal");
        disk_.note_failure(saved.error());
        return;
    }
    if (auto moved = store_.checkpoint(1); !moved) {
        report_(true, "the journal's log could not be moved into the database at the end (" +
                          moved.error().detail + "); the next start does it");
        disk_.note_failure(moved.error());
    }
}

}  // namespace headway::server

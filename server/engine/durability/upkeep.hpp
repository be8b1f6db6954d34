// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "server/engine/base/settings.hpp"
#include "server/engine/residents/sessions.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The maximum number of events from the oldest event that is in no snapshot to the head, for this
/// number of sessions in memory. With many sessions, a snapshot must cover at least three events,
/// since it costs as much as three events. Pure.
storage::Cursor snapshot_lag_max(std::size_t residents, bool idle);
/// How long a session must be quiet before it is saved in an idle gap, for this number of sessions
/// in memory. Pure.
core::Millis settled_after(std::size_t residents);

/// Housekeeping between turns, in bounded steps: snapshots, eviction, checkpoints and retention.
/// Engine thread only.
class Upkeep {
public:
    struct Figures {
        std::uint64_t snapshots = 0;
        std::uint64_t evictions = 0;
        std::uint64_t checkpoints = 0;
        std::uint64_t deleted_steps = 0;
    };

    Upkeep(storage::Store& store, const EngineSettings& settings)
        : store_(store), settings_(settings) {}

    /// Sets the cursor up to which the snapshots include everything.
    void start(storage::Cursor snapshots) { snapshot_cursor_ = head_ = snapshots; }

    /// Evicts and saves sessions, more of them if idle. After an error the transaction is rolled
    /// back, and `lost` is set if sessions in memory are marked as saved but were not saved.
    core::Result<> tidy(Sessions& sessions, core::Timestamp now, bool idle, bool& lost);
    /// Moves the pages of the WAL into the database if the WAL is long, or in any case if
    /// `short_of_space`.
    core::Result<> checkpoint(bool idle, bool short_of_space);
    /// Runs one step of retention if due; returns the deleted session, or nothing. Deletes sessions
    /// that ended more than the retention time before `earliest`, so that a wrong clock does not
    /// delete sessions too early; without `earliest` or without a retention time, only sessions
    /// that are to be forgotten. The caller must drop its copies of the deleted session.
    core::Result<std::optional<storage::Deletion>> delete_one(
        core::Timestamp now, std::optional<core::Timestamp> earliest);
    /// Makes retention due at once, because a session is to be forgotten.
    void hurry_deletion() { retention_at_ = core::kNever; }
    /// Makes the smallest possible commit, to test whether commits succeed.
    core::Result<> try_commit();
    /// Saves every session and moves the WAL into the database.
    core::Result<> save_all(Sessions& sessions);

    static constexpr std::size_t kDeletionsPerGap = 16;  ///< each is a commit
    /// Number of event ids that one step writes to a shared database, where each id is a row. A
    /// thousand ids take 10 to 20 ms, and twenty thousand take 280 ms; the reports of the next turn
    /// wait for this time. A step also writes at least as many ids as events have come since the
    /// last step, so that ids do not pile up.
    static constexpr std::size_t kIdsPerStep = 1'000;
    const Figures& figures() const noexcept { return figures_; }

private:
    /// A share of the limits for sessions in memory.
    struct Room {
        std::size_t sessions = 0;
        std::size_t bytes = 0;
    };
    Room spare_room(const ResidentSet& residents) const;
    bool crowded(const ResidentSet& residents, Room spare) const;
    void evict_some(ResidentSet& residents, Room spare);
    /// Bounds of a transaction; save_each() subtracts from `ids` the number of ids that it wrote.
    struct Bounds {
        std::size_t saves = 0;
        std::size_t ids = 0;
    };
    core::Result<> save_some(ResidentSet& residents, core::Timestamp now, bool idle, Bounds bounds);
    core::Result<> save_least_recent(ResidentSet& residents, std::size_t& ids);
    template <class Next>
    core::Result<> save_each(ResidentSet& residents, Bounds& most, Next next);
    core::Result<> save(ResidentSet& residents, Resident& resident);
    std::size_t events_since_step();
    core::Result<> move_snapshot_cursor(ResidentSet& residents);

    storage::Store& store_;
    const EngineSettings& settings_;
    Figures figures_;
    core::Timestamp retention_at_ = core::kNever;  ///< time of the next retention step
    bool deletes_ = false;                         ///< rows were deleted, and more may follow
    bool overwrites_ = false;  ///< the log still has the pages that overwrite deleted rows
    storage::Cursor snapshot_cursor_ = 0;
    storage::Cursor head_ = 0;  ///< head at the last step
};

}  // namespace headway::server

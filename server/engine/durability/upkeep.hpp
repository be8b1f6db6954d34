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

/// How many events the oldest unsaved one may be behind, with so many sessions in memory: a
/// snapshot of one of many stands for three events at least, since it costs as much. Pure.
storage::Cursor snapshot_lag_max(std::size_t residents, bool idle);
/// How long a session must have been quiet to be saved in an idle gap, with so many in memory.
/// Pure.
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

    /// The snapshots hold everything up to here.
    void start(storage::Cursor snapshots) { snapshot_cursor_ = head_ = snapshots; }

    /// Evicts and saves sessions; more of them when idle. Error: the transaction was rolled back;
    /// then `lost` says whether sessions in memory are marked as saved that are not.
    core::Result<> tidy(Sessions& sessions, core::Timestamp now, bool idle, bool& lost);
    /// Moves the log into the database if it is long. `short_of_space`: also if it is not.
    core::Result<> checkpoint(bool idle, bool short_of_space);
    /// One step of retention, if it is due: the session that it deleted, or nothing. Sessions that
    /// ended before `earliest` less the retention may go, since a wrong clock must not delete them
    /// too early; without `earliest`, those alone that are to be forgotten. The caller drops its
    /// copies.
    core::Result<std::optional<storage::Deletion>> delete_one(
        core::Timestamp now, std::optional<core::Timestamp> earliest);
    /// Retention is due now: a session is to be forgotten.
    void hurry_deletion() { retention_at_ = core::kNever; }
    /// Makes the smallest possible commit.
    core::Result<> try_commit();
    /// Saves every session and moves the log into the database.
    core::Result<> save_all(Sessions& sessions);

    static constexpr std::size_t kDeletionsPerGap = 16;  ///< each a commit
    /// Event ids that one step writes where each is a row of a database that others use, too. A
    /// thousand take 10 to 20 ms there (twenty thousand 280 ms), which the reports of the next turn
    /// wait for. A step adds as many as events have come since the one before, so that they do not
    /// pile up.
    static constexpr std::size_t kIdsPerStep = 1'000;
    const Figures& figures() const noexcept { return figures_; }

private:
    /// A part of what sessions in memory may take.
    struct Room {
        std::size_t sessions = 0;
        std::size_t bytes = 0;
    };
    Room spare_room(const ResidentSet& residents) const;
    bool crowded(const ResidentSet& residents, Room spare) const;
    void evict_some(ResidentSet& residents, Room spare);
    /// Bounds of a transaction; save_each() takes the ids that it wrote from `ids`.
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
    storage::Cursor snapshot_cursor_ = 0;
    storage::Cursor head_ = 0;  ///< at the last step
};

}  // namespace headway::server

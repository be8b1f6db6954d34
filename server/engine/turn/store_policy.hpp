// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "server/engine/base/publication.hpp"
#include "server/engine/base/stats.hpp"
#include "server/engine/base/task.hpp"
#include "server/engine/cluster/cluster_hints.hpp"
#include "server/engine/transaction/engine_context.hpp"
#include "server/engine/transaction/transaction.hpp"

namespace headway::server {

/// The state of the engine that a turn needs in addition to its context. It belongs to the engine.
struct TurnState {
    EngineContext& parts;
    Clock& clock;
    core::Watch& watch;
    /// Sessions that the next turn looks at, sorted.
    std::vector<storage::SessionKey>& receivers;
    EngineReport report;
};

/// The sessions named by the writes of a turn; the names of request `i` end at `ends[i]`.
struct TurnNames {
    const SessionNames& names;
    const std::vector<std::size_t>& ends;
};

/// The differences between a store that one daemon owns (LocalPolicy) and a store with several
/// writing daemons (ClusterPolicy): which sessions a turn may change, when sessions are due, whose
/// clock is used, and how the commits of other daemons are read. The engine does not distinguish
/// the two anywhere else. Engine thread only.
class StorePolicy {
public:
    StorePolicy() = default;
    StorePolicy(const StorePolicy&) = delete;
    StorePolicy& operator=(const StorePolicy&) = delete;
    virtual ~StorePolicy() = default;

    /// Loads the sessions into memory after the store has recovered, at the start and after a
    /// failed commit. Returns the number of events replayed on top of snapshots.
    virtual core::Result<std::uint64_t> recover(storage::Recovery recovery) = 0;
    /// Called when the sessions in memory are dropped; recover() follows.
    virtual void forget() = 0;
    /// False while it is too early for another attempt to recover.
    virtual bool may_recover(Clock::Steady::time_point last_try) const = 0;
    /// True if the database connection that was used to read the sessions into memory is lost.
    virtual bool has_lost_connection() const = 0;

    // The functions of a turn, in the order of their calls.

    /// Follows steps of the wall clock.
    virtual void follow_clock() = 0;
    /// Records a time in which this daemon did not listen.
    virtual void note_gap(core::Millis length) = 0;
    /// Inserts the deferred writes of earlier turns before the writes of this turn.
    virtual void take_deferred(std::vector<Request>& requests) = 0;
    /// True if sessions may be due.
    virtual bool ticks_due() const = 0;
    /// False if Headway may have paused without a trace in TurnState::watch so far. Time proves
    /// nothing until then.
    virtual bool pauses_known() const = 0;
    /// True if every write may have to run again (WriteTask::keep).
    virtual bool repeats() const = 0;
    virtual void begin_naming() = 0;
    /// Begins the transaction and holds the sessions of the turn.
    virtual core::Result<> begin(std::vector<Request>& requests, const TurnNames& named,
                                 Transaction& transaction) = 0;
    /// False if the write must wait for the next turn or has failed.
    virtual core::Result<bool> may_run(Request& request, Transaction& transaction) = 0;
    /// Ticks a bounded number of the sessions whose deadline has come.
    virtual core::Result<> tick_due(Transaction& transaction) = 0;
    /// Called before the commit: stores the deadlines of the turn's sessions.
    virtual void store_deadlines(const Transaction& transaction) = 0;
    /// Called after the commit.
    virtual void settle(const Transaction& transaction, Publication& publication) = 0;
    /// Called after the commit: schedules the next look at `resident`, which has changed.
    virtual void schedule(const Resident& resident) = 0;
    /// True if the failed turn may run once more.
    virtual bool may_try_again() const = 0;
    virtual void note_retry() = 0;
    /// True if a failed commit may in fact have been stored.
    virtual bool outcome_unknown() const = 0;

    // Reads, and work between turns.

    /// Updates the sessions needed by the elements of `reads` from index `from` on. The sessions
    /// then include all commits that were acknowledged before these reads arrived.
    virtual core::Result<> refresh(const std::deque<Request>& reads, std::size_t from,
                                   bool listening, Publication& publication) = 0;

    struct Followed {
        /// The commits of other daemons; null if there is nothing to publish.
        std::unique_ptr<Publication> publication;
        core::Result<> done;
    };
    virtual Followed follow(bool listening) = 0;

    /// True if writes wait for other daemons.
    virtual bool waiting() const = 0;
    /// Time at which the engine takes its next turn without a request.
    virtual Clock::Steady::time_point next_wake(Clock::Steady::time_point now) const = 0;
    /// Time of the next turn if TurnState::receivers is not empty.
    virtual Clock::Steady::time_point next_look(Clock::Steady::time_point now) const = 0;
    /// A lower bound of the current time; if there is none, nothing irreversible may depend on the
    /// clock.
    virtual std::optional<core::Timestamp> earliest() const = 0;
    virtual void add_stats(EngineStats& stats) const = 0;
    virtual void hint_by(ClusterHints& hints) = 0;
};

}  // namespace headway::server

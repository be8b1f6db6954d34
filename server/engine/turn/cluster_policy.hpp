// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/cluster/cluster.hpp"
#include "server/engine/durability/upkeep.hpp"
#include "server/engine/turn/store_policy.hpp"

namespace headway::server {

/// The policy for a store that other daemons also write to: a turn holds its sessions, deadlines
/// are stored in rows, and the clock of the database is used.
class ClusterPolicy final : public StorePolicy {
public:
    ClusterPolicy(TurnState turn, Cluster& cluster, Upkeep& upkeep)
        : turn_(std::move(turn)), cluster_(cluster), upkeep_(upkeep) {}

    core::Result<std::uint64_t> recover(storage::Recovery recovery) override;
    void forget() override {}
    bool may_recover(Clock::Steady::time_point last_try) const override;
    bool has_lost_connection() const override { return cluster_.has_lost_connection(); }

    void follow_clock() override {}
    void note_gap(core::Millis) override {}  // not a gap: other daemons listen meanwhile
    void take_deferred(std::vector<Request>& requests) override {
        cluster_.take_deferred(requests);
    }
    bool ticks_due() const override { return cluster_.claim_due(Clock::steady()); }
    bool pauses_known() const override { return cluster_.pauses_known(turn_.clock.now()); }
    bool repeats() const override { return true; }
    void begin_naming() override { cluster_.begin_naming(); }
    core::Result<> begin(std::vector<Request>& requests, const TurnNames& named,
                         Transaction& transaction) override;
    core::Result<bool> may_run(Request& request, Transaction& transaction) override;
    core::Result<> tick_due(Transaction& transaction) override;
    void store_deadlines(const Transaction& transaction) override;
    void settle(const Transaction& transaction, Publication& publication) override {
        cluster_.settle(publication, transaction.moved());
    }
    void schedule(const Resident&) override {}
    bool may_try_again() const override { return turn_.parts.store.shared()->may_try_again(); }
    void note_retry() override { cluster_.note_retry(); }
    bool outcome_unknown() const override { return turn_.parts.store.shared()->outcome_unknown(); }

    core::Result<> refresh(const std::deque<Request>& reads, std::size_t from, bool listening,
                           Publication& publication) override;
    Followed follow(bool listening) override;
    bool waiting() const override { return cluster_.waiting(); }
    Clock::Steady::time_point next_wake(Clock::Steady::time_point now) const override {
        return cluster_.next_wake(now);
    }
    Clock::Steady::time_point next_look(Clock::Steady::time_point now) const override;
    /// One clock that is wrong, as after the takeover of another database server, deletes nothing.
    std::optional<core::Timestamp> earliest() const override { return turn_.clock.earliest(); }
    void add_stats(EngineStats& stats) const override;
    void hint_by(ClusterHints& hints) override { cluster_.hint_by(hints); }

private:
    /// Calls Cluster::pulse(). True if figures of the store may have changed.
    core::Result<bool> pulse(Publication& publication);

    TurnState turn_;
    Cluster& cluster_;
    Upkeep& upkeep_;
    bool said_newer_ = false;  ///< it has been logged that this program is outdated
};

}  // namespace headway::server

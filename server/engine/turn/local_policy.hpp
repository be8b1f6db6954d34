// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/durability/upkeep.hpp"
#include "server/engine/durability/wall_clock.hpp"
#include "server/engine/residents/deadlines.hpp"
#include "server/engine/turn/store_policy.hpp"

namespace headway::server {

/// The policy for a store that only this daemon uses: deadlines are kept in memory, and the
/// machine's clock is used.
class LocalPolicy final : public StorePolicy {
public:
    LocalPolicy(TurnState turn, Upkeep& upkeep);

    core::Result<std::uint64_t> recover(storage::Recovery recovery) override;
    void forget() override { deadlines_.clear(); }
    bool may_recover(Clock::Steady::time_point) const override { return true; }
    bool has_lost_connection() const override { return false; }

    void follow_clock() override { wall_clock_.follow(turn_.watch); }
    void note_gap(core::Millis length) override;
    void take_deferred(std::vector<Request>&) override {}
    bool ticks_due() const override;
    bool pauses_known() const override { return true; }
    bool repeats() const override { return false; }
    void begin_naming() override {}
    core::Result<> begin(std::vector<Request>&, const TurnNames&, Transaction&) override {
        return turn_.parts.store.begin();
    }
    core::Result<bool> may_run(Request&, Transaction&) override { return true; }
    core::Result<> tick_due(Transaction& transaction) override;
    void store_deadlines(const Transaction&) override {}
    void settle(const Transaction&, Publication&) override {}
    void schedule(const Resident& resident) override;
    bool may_try_again() const override { return false; }
    void note_retry() override {}
    bool outcome_unknown() const override { return false; }

    core::Result<> refresh(const std::deque<Request>&, std::size_t, bool, Publication&) override {
        return {};
    }
    Followed follow(bool) override { return {}; }
    bool waiting() const override { return false; }
    Clock::Steady::time_point next_wake(Clock::Steady::time_point now) const override;
    Clock::Steady::time_point next_look(Clock::Steady::time_point now) const override {
        return now;
    }
    std::optional<core::Timestamp> earliest() const override;
    void add_stats(EngineStats&) const override {}
    void hint_by(ClusterHints&) override {}

private:
    core::Result<Resident*> resident_of(storage::SessionKey key);

    TurnState turn_;
    Upkeep& upkeep_;
    Deadlines deadlines_;
    WallClock wall_clock_;
};

}  // namespace headway::server

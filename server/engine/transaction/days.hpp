// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/encode/system/encode_day.hpp"
#include "core/budgets/day_budget.hpp"
#include "core/events/event.hpp"
#include "server/engine/base/settings.hpp"
#include "server/engine/residents/session_tree.hpp"
#include "storage/store/store.hpp"

// Daily caps over all sessions (docs/costs.md). The totals are counters in the store, written in
// the same transaction as the usage that they count.

namespace headway::server {

class Reader;
class Transaction;

/// The sessions in memory that are held by a cap, listed so that they are released on time. A held
/// session that is not listed (after a restart, or because another daemon has it) is released at
/// its next report.
struct DaysHeld {
    std::unordered_set<storage::SessionKey> sessions;
    /// Sessions that were released or looked at since the day began, perhaps in a turn that fails.
    std::unordered_set<storage::SessionKey> let_go;
    std::int64_t day = INT64_MIN;  ///< the last day seen
};

/// The counters of one cap on one day.
core::Result<core::DayUse> day_use(storage::HistoryTable& table, std::int64_t day,
                                   const core::DayCap& cap);

/// Counts the session's own usage in these events, and applies a person's decision about a cap if
/// this session requested the decision. Part of Transaction::append.
core::Result<> note_day(Transaction& transaction, Resident& resident,
                        std::span<const core::Event> events);

/// If a cap of the session is reached, holds the session and asks a person, once for each cap and
/// day. If the session is held already, calls release_day().
core::Result<> heed_day(Transaction& transaction, Resident& resident);
/// Releases the session if time or a person has ended its hold. Never begins a hold: only a report
/// does that.
core::Result<> release_day(Transaction& transaction, Resident& resident);

/// The current state of every cap.
struct DayQuery {
    core::Result<api::DayReport> operator()(Reader& reader) const;
};

/// A person's request to raise a daily cap, or to lift it until the next day.
struct DayCommand {
    std::string label;  ///< label of the cap; empty: the cap for all sessions
    double more_cost_usd = 0;
    std::uint64_t more_tokens = 0;
    bool lift = false;

    core::Result<> name(Reader&, std::vector<std::string_view>&) const { return {}; }
    /// Error: kInvalidField for a cap that is not configured.
    core::Result<api::DayReport> operator()(Transaction& transaction);
};

}  // namespace headway::server

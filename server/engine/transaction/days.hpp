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

// Daily caps over all sessions (docs/costs.md). The totals are counters of the store, written in
// the transaction of the use that they count.

namespace headway::server {

class Reader;
class Transaction;

/// The engine's memory of it: sessions that a cap holds, to let them go on in time. One that is not
/// here any more, after a restart or at another daemon, goes on with its next report.
struct DaysHeld {
    std::unordered_set<storage::SessionKey> sessions;
    std::int64_t day = INT64_MIN;  ///< as last seen
};

/// The counters of one cap on one day.
core::Result<core::DayUse> day_use(storage::HistoryTable& table, std::int64_t day,
                                   const core::DayCap& cap);

/// Counts the own use that these events of the session report, and follows a decision about a cap
/// that its person was asked for. Part of Transaction::append.
core::Result<> note_day(Transaction& transaction, Resident& resident,
                        std::span<const core::Event> events);

/// Holds the session while a cap of its is reached, and asks a person, once for a cap and day; lets
/// it go on when that is over.
core::Result<> heed_day(Transaction& transaction, Resident& resident);
/// The second half alone: time and people let sessions go on, but only their own reports hold them.
core::Result<> release_day(Transaction& transaction, Resident& resident);

/// Every cap as of now.
struct DayQuery {
    core::Result<api::DayReport> operator()(Reader& reader) const;
};

/// A person adds to a daily cap, or lifts it until the next.
struct DayCommand {
    std::string label;  ///< empty: of all sessions
    double more_cost_usd = 0;
    std::uint64_t more_tokens = 0;
    bool lift = false;

    core::Result<> name(Reader&, std::vector<std::string_view>&) const { return {}; }
    /// Error: kInvalidField for a cap that is not configured.
    core::Result<api::DayReport> operator()(Transaction& transaction);
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

class Sql;

/// A session of another store, with data from its journal.
struct ImportedSession {
    SessionKey key = 0;
    std::string name;
    core::Timestamp opened_at = core::kNever;
    std::optional<core::Timestamp> ended_at;
    core::Timestamp last_at = core::kNever;  ///< time of its last event
    std::uint64_t n = 0;
};

/// Consecutive events of one session at consecutive positions.
struct ImportedRow {
    Cursor cursor = 0;  ///< position of the first event
    SessionKey session = 0;
    std::vector<core::Event> events;
};

/// Totals of the whole import.
struct ImportEnd {
    Cursor head = 0;                         ///< position of the last event
    core::Timestamp last_at = core::kNever;  ///< latest time of all events
};

/// Imports another store, with its keys and positions, into an empty shared store. A part of
/// SharedStore, with the same thread and errors. Between start() and finish(), no daemon can open
/// the store. Each function is a transaction of its own.
class Import {
public:
    virtual ~Import() = default;

    /// Removes the remains of an unfinished import. Error: kStorageUnavailable if the store is not
    /// empty (it has sessions or tokens, or has assigned positions), or if a daemon uses it.
    virtual core::Result<> start() = 0;
    /// Adds rows of the journal. Like the functions below, it fails if another import has started
    /// meanwhile.
    virtual core::Result<> add_rows(std::span<const ImportedRow> rows) = 0;
    virtual core::Result<> add_sessions(std::span<const ImportedSession> sessions) = 0;
    /// Copies the rows of all tables of `from` except the journal.
    virtual core::Result<> add_tables(Sql& from) = 0;
    /// Completes the import; after this, daemons can open the store.
    virtual core::Result<> finish(const ImportEnd& end) = 0;
};

}  // namespace headway::storage

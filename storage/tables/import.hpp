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

/// A session of another store, with what its journal says.
struct ImportedSession {
    SessionKey key = 0;
    std::string name;
    core::Timestamp opened_at = core::kNever;
    std::optional<core::Timestamp> ended_at;
    core::Timestamp last_at = core::kNever;  ///< of its last event
    std::uint64_t n = 0;
};

/// Consecutive events of one session at consecutive positions.
struct ImportedRow {
    Cursor cursor = 0;  ///< of the first event
    SessionKey session = 0;
    std::vector<core::Event> events;
};

/// Totals of the whole import.
struct ImportEnd {
    Cursor head = 0;                         ///< position of the last event
    core::Timestamp last_at = core::kNever;  ///< when the other store's daemon wrote it
};

/// How an empty shared store takes the journal of another one, with its keys and its positions:
/// part of SharedStore, with its thread and errors. Between start() and finish() no daemon opens
/// the store. Each function is a transaction of its own.
class Import {
public:
    virtual ~Import() = default;

    /// Removes what an import that never came to its end has left. Error: kStorageUnavailable if
    /// the store has sessions, positions or tokens, or a daemon serves it.
    virtual core::Result<> start() = 0;
    /// The following fail if another import has started meanwhile.
    virtual core::Result<> add_rows(std::span<const ImportedRow> rows) = 0;
    virtual core::Result<> add_sessions(std::span<const ImportedSession> sessions) = 0;
    /// Takes the rows of the tables beside the journal.
    virtual core::Result<> add_tables(Sql& from) = 0;
    /// Daemons may serve it from here on.
    virtual core::Result<> finish(const ImportEnd& end) = 0;
};

}  // namespace headway::storage

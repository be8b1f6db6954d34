// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "storage/sqlite/sqlite_journal.hpp"
#include "storage/sqlite/sqlite_store.hpp"

namespace headway::storage {

/// At the daemon's start and after a failed commit, folds the rows that are newer than the
/// snapshots. A damaged row affects only its own session. An object serves one recovery. The
/// arguments of the constructor must outlive it.
class SqliteRecovery {
public:
    SqliteRecovery(Database& database, SqlMeta& meta, SqliteJournal& journal, Store& store)
        : database_(database), meta_(meta), journal_(journal), store_(store) {}

    /// Like Store::recover(), but without the session index.
    core::Result<Recovery> recover();
    /// After a repair: fills the session index once, from each stored session, in a transaction.
    core::Result<> fill_session_index(const Recovery& recovery,
                                      const SqliteStore::Progress& progress);

private:
    struct Behind;

    core::Result<Cursor> snapshot_cursor();
    core::Result<> begin_behind(SessionKey key, Behind& behind);
    static core::Result<> fold_behind(const Statement& row, Behind& behind, std::uint64_t& count);
    bool follows(SessionKey key, Cursor prev, const Behind& behind);
    core::Result<> point_at(SessionKey key, std::uint64_t n, Cursor damaged);

    Database& database_;
    SqlMeta& meta_;
    SqliteJournal& journal_;
    Store& store_;
};

}  // namespace headway::storage

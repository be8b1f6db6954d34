// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/base/generations.hpp"
#include "storage/sql/sql_tables.hpp"
#include "storage/sqlite/sqlite_journal.hpp"

namespace headway::storage {

/// Deletes data older than the retention time, in bounded steps. The database and the tables must
/// outlive this object.
class SqliteRetention {
public:
    SqliteRetention(Database& database, SqlMeta& meta, SqliteJournal& journal, SqlHistory& history)
        : database_(database), meta_(meta), journal_(journal), history_(history) {}

    /// See Store::forget().
    core::Result<> forget(SessionKey key);
    /// One step, in the caller's transaction; see Store::delete_some().
    core::Result<Deletion> step(core::Timestamp cutoff);
    /// Must be called after a step that was rolled back, because its deletion did not take place.
    void restart_walk() { walk_ = {}; }

private:
    core::Result<bool> forgets_any();
    core::Result<> doom_forgotten(Deletion& step);
    core::Result<> doom_one(core::Timestamp cutoff, Deletion& step);
    core::Result<> doom_due(Statement& due, Deletion& step);
    core::Result<> doom(SessionKey key, std::string id, Deletion& step);
    core::Result<bool> forget_keys(core::Timestamp cutoff);
    core::Result<bool> delete_rows();
    /// Records that events up to `through` are deleted or will be.
    core::Result<> note_deleted(Cursor through);
    core::Result<bool> delete_side_rows(SessionKey doomed);

    Database& database_;
    SqlMeta& meta_;
    SqliteJournal& journal_;
    SqlHistory& history_;
    RetentionWalk walk_;
};

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/base/generations.hpp"
#include "storage/postgres/wire/connection.hpp"
#include "storage/sql/sql_tables.hpp"
#include "storage/store/store.hpp"

namespace headway::storage {

/// Deletes data older than the retention time, in bounded steps. Only one daemon does this at a
/// time. The connection and the tables must outlive this object.
class PostgresRetention {
public:
    PostgresRetention(PostgresConnection& sql, SqlMeta& meta, SqlHistory& history)
        : sql_(sql), meta_(meta), history_(history) {}

    /// See Store::forget().
    core::Result<> forget(SessionKey key);
    /// One step, in the caller's transaction; see Store::delete_some().
    core::Result<Deletion> step(core::Timestamp cutoff);
    /// Must be called after a step that was rolled back, because its deletion did not take place.
    void restart_walk() { walk_ = {}; }

private:
    core::Result<> doom(SessionKey key, std::string id, Deletion& step);
    core::Result<> doom_forgotten(Deletion& step);
    core::Result<> doom_one(core::Timestamp cutoff, Deletion& step);
    core::Result<> doom_if(const std::string& condition, PostgresParameters values, Deletion& step);
    core::Result<bool> delete_rows();
    /// Records that events up to `through` are deleted or will be.
    core::Result<> note_deleted(Cursor through);
    core::Result<bool> delete_side_rows(SessionKey doomed);
    core::Result<std::int64_t> delete_some(std::string_view sql, SessionKey session);

    PostgresConnection& sql_;
    SqlMeta& meta_;
    SqlHistory& history_;
    RetentionWalk walk_;
};

}  // namespace headway::storage

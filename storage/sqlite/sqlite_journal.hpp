// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/sql/sql_tables.hpp"
#include "storage/sql/sqlite_handle.hpp"
#include "storage/store/store.hpp"

namespace headway::storage {

/// One journal row, as read from the database.
struct JournalRow {
    Cursor cursor = 0;
    SessionKey session = 0;
    std::uint64_t n = 0;  ///< number of its first event
    Cursor prev = 0;      ///< cursor of the session's previous row; 0 in the first row
    std::string events;
};

/// The journal: rows of events, in one chain for each session, and the cursors of the journal's two
/// ends. Store describes the functions without a comment. The database must outlive this object.
class SqliteJournal {
public:
    SqliteJournal(Database& database, SqlMeta& meta) : database_(database), meta_(meta) {}
    /// Prepares the statements and finds both ends of the journal. Error: kStorageCorrupt.
    core::Result<> prepare();

    Cursor oldest() const { return oldest_; }
    Cursor next() const { return next_; }  ///< cursor of the next event

    // Called with the functions of the store's transaction; rollback() restores both ends.
    void begin();
    void commit();
    void rollback();

    core::Result<Cursor> append(SessionKey key, Chain& chain, std::span<const core::Event> events);
    /// Records that retention has deleted the rows up to this event.
    void forget_through(Cursor deleted);

    /// Error: kStorageCorrupt for a missing or damaged row.
    core::Result<JournalRow> row(Cursor cursor);
    /// Folds the whole chain into a session that has no events yet. Error: kStorageCorrupt.
    core::Result<> replay(StoredSession& stored);
    core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                        std::uint64_t after, std::size_t limit);
    core::Result<StreamPage> read_stream(Cursor after, std::size_t limit);

private:
    using Names = std::unordered_map<SessionKey, std::string>;

    core::Result<> find_ends();
    core::Result<const std::string*> name_of(SessionKey key, Names& names);

    Database& database_;
    SqlMeta& meta_;
    Statement append_, mark_, row_, mark_after_, stream_, name_;
    Cursor next_ = 1;
    Cursor next_at_begin_ = 1;
    Cursor oldest_ = 1;
    Cursor oldest_at_begin_ = 1;
    std::string row_buffer_;  ///< reused for every appended row
};

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/session/session.hpp"
#include "storage/base/event_ids.hpp"
#include "storage/base/keys.hpp"
#include "storage/tables/approval_table.hpp"
#include "storage/tables/backup.hpp"
#include "storage/tables/check_table.hpp"
#include "storage/tables/estimate_table.hpp"
#include "storage/tables/expectation_table.hpp"
#include "storage/tables/history_table.hpp"
#include "storage/tables/idempotency_table.hpp"
#include "storage/tables/inbox.hpp"
#include "storage/tables/outbox.hpp"
#include "storage/tables/session_index.hpp"
#include "storage/tables/token_store.hpp"

// The engine's view of a database. It is implemented for SQLite (sqlite_store.hpp) and PostgreSQL;
// the interface assumes only transactions and a total order of appended rows.
//
// Engine thread only. After an error the transaction is still open, and the caller must call
// rollback(). The errors are kStorageUnavailable, kStorageFull, kStorageCorrupt and
// kStorageSyncFailed. After kStorageSyncFailed, the caller must write nothing more: only a new
// process can find out which data is on the disk.

namespace headway::storage {

/// The chain of a session's rows: each row points to the previous one.
struct Chain {
    Cursor tail = 0;  ///< the last row; 0 = no row yet
};

/// A session as stored, after its journal was folded.
struct StoredSession {
    SessionKey key = 0;
    core::Session session;
    Chain chain;
    EventIds new_ids;  ///< ids of the events after the snapshot
    /// The snapshot did not match its checksum, so the whole journal was read.
    bool snapshot_damaged = false;
};

struct StreamEvent {
    Cursor cursor = 0;
    std::string session;
    core::Event event;
};

/// A page of the stream of all sessions.
struct StreamPage {
    std::vector<StreamEvent> events;
    /// The last cursor that was read. Events up to this cursor that are missing in `events` are
    /// deleted, or belong to sessions that are being deleted. The next page begins after this
    /// cursor, not after the last event.
    Cursor through = 0;
    bool end = false;  ///< no event follows this page
};

/// The data that is loaded at the start and after a failed commit: the sessions that have events
/// after their last snapshots.
struct Recovery {
    std::vector<StoredSession> sessions;
    Cursor head = 0;           ///< cursor of the last event; 0 = empty journal
    Cursor snapshots = 0;      ///< the snapshots include everything up to this cursor
    std::uint64_t events = 0;  ///< number of replayed events
};

/// Result of a retention step.
struct Deletion {
    bool more = false;  ///< more steps are needed
    /// The session that is deleted from now on; callers must drop their copies of it.
    std::optional<SessionKey> doomed;
    std::string doomed_id;
};

class SharedStore;
class Sql;

class Store {
public:
    virtual ~Store() = default;

    /// Not null if several daemons share the store (shared_store.hpp).
    virtual SharedStore* shared() { return nullptr; }
    /// The connection, to be used only to copy the tables except the journal (table_copy.hpp); null
    /// if there is none.
    virtual Sql* tables() { return nullptr; }

    // The tables except the journal.
    virtual SessionIndex& index() = 0;
    virtual ApprovalTable& approvals() = 0;
    virtual CheckTable& checks() = 0;
    virtual EstimateTable& estimates() = 0;
    virtual ExpectationTable& expectations() = 0;
    virtual HistoryTable& history() = 0;
    virtual TokenStore& token_table() = 0;
    virtual Outbox& outbox() = 0;
    virtual Inbox& inbox() = 0;
    virtual IdempotencyTable& idempotency() = 0;
    virtual BackupSource& backups() = 0;

    /// Loads the sessions that have events after their last snapshots. Called at the start and
    /// after a failed commit.
    virtual core::Result<Recovery> recover() = 0;
    /// Keys of the sessions that were open at their last snapshot.
    virtual core::Result<std::vector<SessionKey>> open_sessions() = 0;

    virtual core::Result<> begin() = 0;
    /// Blocks until everything written since begin() is on disk.
    virtual core::Result<> commit() = 0;
    /// Drops everything written since begin().
    virtual void rollback() = 0;
    /// Checks that the files still have the names under which the next start will look for them;
    /// commit() also checks this, after writing. Errors: kStorageUnavailable while the database
    /// does not have its name (it may get its name back); kStorageSyncFailed if the database or its
    /// WAL was truncated, or if the WAL is gone.
    virtual core::Result<> look_at_files() { return {}; }

    /// The key of the session with this id; nothing if there is none.
    virtual core::Result<std::optional<SessionKey>> find(std::string_view id) = 0;
    /// Adds the row of a session that has no events yet, and returns its key.
    virtual core::Result<SessionKey> create(std::string_view id, core::Timestamp now) = 0;
    /// Appends one row of consecutive events and moves `chain` to it. Returns the cursor of the
    /// first event; each further event has the next cursor.
    virtual core::Result<Cursor> append(SessionKey key, Chain& chain,
                                        std::span<const core::Event> events) = 0;
    /// The number of the event with this id, among the events up to the session's snapshot. The
    /// caller itself keeps the ids of later events (StoredSession::new_ids and those of its own
    /// appends), because storing each id at once would dirty an index page.
    virtual core::Result<std::optional<std::uint64_t>> find_event_id(SessionKey key,
                                                                     std::string_view id) = 0;

    /// Loads a session that is not in memory. A session in memory must not be loaded again, because
    /// it may be ahead of its snapshot.
    virtual core::Result<StoredSession> load(SessionKey key) = 0;
    /// Up to `limit` events after event `after` of the session whose chain is `chain`, in order.
    virtual core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                                std::uint64_t after,
                                                                std::size_t limit) = 0;
    /// All sessions' events with a cursor above `after`, in order. Reads a bounded number of rows,
    /// and stops at the end of the row with which `limit` events are reached. Sessions that are
    /// being deleted are left out, so a short or empty page is not necessarily the last one.
    virtual core::Result<StreamPage> read_stream(Cursor after, std::size_t limit) = 0;
    /// The lowest cursor from which on no event has been deleted or is being deleted.
    virtual Cursor oldest() const = 0;
    /// The cursor of the newest event; 0 = empty journal. For a shared store, see
    /// SharedStore::set_head().
    virtual Cursor head() const = 0;

    /// Replaces the session's snapshot, and indexes the event ids added since the previous
    /// snapshot.
    virtual core::Result<> save(SessionKey key, const core::Session& session, Chain chain,
                                const EventIds& new_ids) = 0;
    /// Records that the snapshots include everything up to `cursor`.
    virtual core::Result<> set_snapshot_cursor(Cursor cursor) = 0;

    /// Makes delete_some() delete this session next, however recently it ended, and overwrite its
    /// rows. The session must have ended, and must have been saved after its last event. Takes
    /// effect with the caller's transaction.
    virtual core::Result<> forget(SessionKey key) = 0;
    /// Takes one bounded step of retention, in its own transaction. Retention deletes sessions that
    /// ended before `cutoff`, usage records and idempotency keys older than `cutoff`, and sessions
    /// passed to forget().
    virtual core::Result<Deletion> delete_some(core::Timestamp cutoff) = 0;
    /// Moves the pages in the WAL to the database if the WAL has at least `pages` pages. To be
    /// called outside of a transaction.
    virtual core::Result<> checkpoint(int pages) = 0;
    /// Number of pages in the WAL that are not in the database yet.
    virtual std::int64_t wal_pages() const = 0;
    /// Space inside the database that deleted rows have left and new rows will use.
    virtual std::uint64_t reusable_bytes() = 0;
};

}  // namespace headway::storage

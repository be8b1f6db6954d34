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

// The engine's view of a database. Implemented on SQLite (sqlite_store.hpp); the interface
// assumes only transactions and a total order of appended rows.
//
// Engine thread only. Every error leaves the transaction open for rollback(); codes:
// kStorageUnavailable, kStorageFull, kStorageCorrupt, and kStorageSyncFailed. After
// kStorageSyncFailed, write nothing more: only a new process can find out what the disk has.

namespace headway::storage {

/// The chain of a session's rows: each row points to the previous one.
struct Chain {
    Cursor tail = 0;  ///< the last row; 0 = no row yet
};

/// A session as stored, with its journal folded in.
struct StoredSession {
    SessionKey key = 0;
    core::Session session;
    Chain chain;
    EventIds new_ids;  ///< ids of the events after the snapshot
    /// Its snapshot did not match its checksum, so the journal was read.
    bool snapshot_damaged = false;
};

struct StreamEvent {
    Cursor cursor = 0;
    std::string session;
    core::Event event;
};

/// A piece of the stream of all sessions.
struct StreamPage {
    std::vector<StreamEvent> events;
    /// Last cursor read; events up to it that are missing in `events` are deleted or belong to
    /// sessions being deleted. Read the next piece after it, not after the last event.
    Cursor through = 0;
    bool end = false;  ///< nothing follows
};

/// Data that a restart loads: the sessions with events after the last snapshots.
struct Recovery {
    std::vector<StoredSession> sessions;
    Cursor head = 0;           ///< cursor of the last event; 0 = empty journal
    Cursor snapshots = 0;      ///< the snapshots hold everything up to this cursor
    std::uint64_t events = 0;  ///< number of replayed events
};

/// Result of a retention step.
struct Deletion {
    bool more = false;  ///< there is more to do
    /// This session is unknown from now on; drop copies of it.
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
    /// The connection, only for copying the tables other than the journal (table_copy.hpp); null if
    /// there is no connection.
    virtual Sql* tables() { return nullptr; }

    // The tables other than the journal.
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

    virtual core::Result<Recovery> recover() = 0;
    /// Keys of the sessions that were open at their last snapshot.
    virtual core::Result<std::vector<SessionKey>> open_sessions() = 0;

    virtual core::Result<> begin() = 0;
    /// Returns when everything since begin() is on disk.
    virtual core::Result<> commit() = 0;
    virtual void rollback() = 0;
    /// Checks that the files are still where the next start looks for them; commit() also does so,
    /// after writing. Errors: kStorageUnavailable while the database is not under its name (it may
    /// come back), kStorageSyncFailed if the database or its WAL was cut or the WAL is gone.
    virtual core::Result<> look_at_files() { return {}; }

    virtual core::Result<std::optional<SessionKey>> find(std::string_view id) = 0;
    virtual core::Result<SessionKey> create(std::string_view id, core::Timestamp now) = 0;
    /// Appends one row of consecutive events and moves `chain` to it. Returns the cursor of the
    /// first event; the others follow.
    virtual core::Result<Cursor> append(SessionKey key, Chain& chain,
                                        std::span<const core::Event> events) = 0;
    /// The event number stored for this event id, up to the session's snapshot. The caller itself
    /// keeps later ids (StoredSession::new_ids and its own appends), since storing each at once
    /// would dirty an index page.
    virtual core::Result<std::optional<std::uint64_t>> find_event_id(SessionKey key,
                                                                     std::string_view id) = 0;

    /// Loads a session that is not in memory: memory may be ahead of the snapshot.
    virtual core::Result<StoredSession> load(SessionKey key) = 0;
    /// Events after..after+limit of a session whose chain is `chain`, in order.
    virtual core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                                std::uint64_t after,
                                                                std::size_t limit) = 0;
    /// Events of all sessions with a cursor above `after`, in order. Reads up to `limit` events,
    /// except for the rest of a row, and a bounded number of rows. Sessions being deleted are left
    /// out, so a short or empty page is not necessarily the last.
    virtual core::Result<StreamPage> read_stream(Cursor after, std::size_t limit) = 0;
    /// The oldest cursor from which nothing has been deleted or is being deleted.
    virtual Cursor oldest() const = 0;
    virtual Cursor head() const = 0;

    /// Replaces the session's snapshot and indexes the event ids since the previous snapshot.
    virtual core::Result<> save(SessionKey key, const core::Session& session, Chain chain,
                                const EventIds& new_ids) = 0;
    /// Records that the snapshots hold everything up to `cursor`.
    virtual core::Result<> set_snapshot_cursor(Cursor cursor) = 0;

    /// Makes delete_some() delete this session at once, whenever it ended, and overwrite its rows.
    /// It must have ended and been saved since its last event. Durable with the caller's
    /// transaction.
    virtual core::Result<> forget(SessionKey key) = 0;
    /// Deletes, in one bounded step and its own transaction: sessions that ended before `cutoff`,
    /// their use records, older idempotency keys, and forgotten sessions.
    virtual core::Result<Deletion> delete_some(core::Timestamp cutoff) = 0;
    /// Moves WAL pages to the database if at least `pages` wait there; outside a transaction.
    virtual core::Result<> checkpoint(int pages) = 0;
    virtual std::int64_t wal_pages() const = 0;
    /// Space of deleted rows inside the database that new rows will use.
    virtual std::uint64_t reusable_bytes() = 0;
};

}  // namespace headway::storage

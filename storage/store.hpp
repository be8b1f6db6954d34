// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/budget_history.hpp"
#include "core/estimate_scores.hpp"
#include "core/event.hpp"
#include "core/result.hpp"
#include "core/session.hpp"
#include "core/time.hpp"
#include "storage/backup.hpp"
#include "storage/outbox.hpp"
#include "storage/session_index.hpp"
#include "storage/token_store.hpp"

// The engine's view of a database. Implemented on SQLite (sqlite_store.hpp); the interface
// assumes only transactions and a total order of appended rows.
//
// Supervisor thread only. Every error leaves the transaction open for rollback(); codes:
// kStorageUnavailable, kStorageFull, kStorageCorrupt, and kStorageSyncFailed. After the last one
// nothing may be written: only a new process can find out what the disk has.

namespace headway::storage {

/// Position in the stream of all sessions; later events have greater cursors, with gaps.
using Cursor = std::int64_t;

/// The chain of a session's rows: each row points to the previous one.
struct Chain {
    Cursor tail = 0;  ///< its last row; 0 = none yet
};

/// Event ids with the event number of each.
using EventIds = std::unordered_map<std::string, std::uint64_t>;

/// A session as stored, with its journal folded in.
struct StoredSession {
    SessionKey key = 0;
    core::Session session;
    Chain chain;
    EventIds new_ids;  ///< of events after its snapshot
};

struct StreamEvent {
    Cursor cursor = 0;
    std::string session;
    core::Event event;
};

/// What a restart loads: the sessions with events after the last snapshots.
struct Recovery {
    std::vector<StoredSession> sessions;
    Cursor head = 0;           ///< of the last event, 0 = empty journal
    Cursor snapshots = 0;      ///< the snapshots hold everything up to here
    std::uint64_t events = 0;  ///< how many were replayed
};

/// An earlier use of an `Idempotency-Key`.
struct IdempotentUse {
    std::string fingerprint;
    std::string session;
};

/// Result of a retention step.
struct Deletion {
    bool more = false;  ///< there is more to do
    /// This session is unknown from now on; drop copies of it.
    std::optional<SessionKey> doomed;
    std::string doomed_id;
};

/// An approval of any session, from the index.
struct StoredApproval {
    Cursor cursor = 0;  ///< of its approval.requested event
    SessionKey session = 0;
    std::string session_id;
    core::Approval approval;
    Cursor decided = 0;    ///< cursor of its approval.decided event; 0 = none
    bool damaged = false;  ///< in lists: `approval` is unreadable
};

/// A status check of any session, from the index.
struct StoredCheck {
    std::string id;
    SessionKey session = 0;
    std::string session_id;
    Cursor asked = 0;  ///< of its check.requested event
    Cursor done = 0;   ///< of its check.completed, or of the session's end; 0 = in flight
};

/// Selects a page of approvals.
struct ApprovalPage {
    std::optional<bool> pending;  ///< pending ones are listed oldest first, others newest first
    std::optional<SessionKey> session;
    std::optional<core::ApprovalKind> kind;
    Cursor from = 0;  ///< behind this one; 0 = from the start
    std::size_t limit = 50;
};

class Store : public TokenStore, public SessionIndex, public BackupSource, public Outbox {
public:
    virtual core::Result<Recovery> recover() = 0;
    /// Keys of the sessions that were open at their last snapshot.
    virtual core::Result<std::vector<SessionKey>> open_sessions() = 0;

    virtual core::Result<> begin() = 0;
    /// Returns when everything since begin() is on disk.
    virtual core::Result<> commit() = 0;
    virtual void rollback() = 0;
    /// Checks that the files are still where the next start looks for them; commit() also checks,
    /// after writing. Errors: kStorageUnavailable while the database is not under its name (it may
    /// come back), kStorageSyncFailed if it or its log was cut or the log is gone.
    virtual core::Result<> look_at_files() { return {}; }

    virtual core::Result<std::optional<SessionKey>> find(std::string_view id) = 0;
    virtual core::Result<SessionKey> create(std::string_view id, core::Timestamp now) = 0;
    /// Appends one row of consecutive events and moves `chain` to it. Returns the cursor of the
    /// first event; the others follow.
    virtual core::Result<Cursor> append(SessionKey key, Chain& chain,
                                        std::span<const core::Event> events) = 0;
    /// The event number stored for this event id, up to the session's snapshot. The caller knows
    /// later ones (StoredSession::new_ids and its own appends): writing them one by one would dirty
    /// an index page each.
    virtual core::Result<std::optional<std::uint64_t>> find_event_id(SessionKey key,
                                                                     std::string_view id) = 0;
    virtual core::Result<std::optional<IdempotentUse>> find_idempotency_key(
        std::string_view key) = 0;
    /// Replaces an existing key.
    virtual core::Result<> add_idempotency_key(std::string_view key, const IdempotentUse& use,
                                               core::Timestamp now) = 0;

    /// Inserts or replaces the approval's row. `cursor` and `decided` are those of new events, else
    /// 0.
    virtual core::Result<> save_approval(SessionKey key, const core::Approval& approval,
                                         Cursor cursor, Cursor decided) = 0;
    /// The approval whose approval.requested event has this cursor.
    virtual core::Result<std::optional<StoredApproval>> approval_at(Cursor cursor) = 0;
    virtual core::Result<std::optional<StoredApproval>> find_approval(SessionKey key,
                                                                      std::uint64_t n) = 0;
    virtual core::Result<std::vector<StoredApproval>> list_approvals(const ApprovalPage& page) = 0;
    /// Pending approvals with the same core::Approval::identity_digest, of all sessions, oldest
    /// first.
    virtual core::Result<std::vector<StoredApproval>> identical_approvals(std::string_view identity,
                                                                          std::size_t limit) = 0;
    virtual core::Result<std::uint64_t> count_identical(std::string_view identity) = 0;
    virtual core::Result<std::uint64_t> count_pending() = 0;
    /// Sessions with a pending approval.
    virtual core::Result<std::vector<SessionKey>> asking_sessions() = 0;

    virtual core::Result<> add_check(std::string_view id, SessionKey key, Cursor asked) = 0;
    virtual core::Result<> finish_check(std::string_view id, Cursor done) = 0;
    /// Finishes all checks in flight of a session that ends.
    virtual core::Result<> finish_checks(SessionKey key, Cursor done) = 0;
    virtual core::Result<std::optional<StoredCheck>> find_check(std::string_view id) = 0;
    /// Checks in flight, oldest first.
    virtual core::Result<std::vector<StoredCheck>> pending_checks(std::size_t limit) = 0;

    /// Keeps the estimate until the end of its session; at most the newest
    /// limits::kEstimatesKeptMax.
    virtual core::Result<> add_estimate(SessionKey key, const core::EstimateMade& made) = 0;
    /// Returns and removes the session's estimates, oldest first.
    virtual core::Result<std::vector<core::EstimateMade>> take_estimates(SessionKey key) = 0;
    /// Adds to the score of its source, model and decile. Models beyond limits::kEstimateModelsMax
    /// share the name "other".
    virtual core::Result<> add_estimate_score(const core::EstimateScore& score) = 0;
    virtual core::Result<std::vector<core::EstimateScore>> estimate_scores() = 0;

    /// Only for sessions not in memory: memory may be ahead of the snapshot.
    virtual core::Result<StoredSession> load(SessionKey key) = 0;
    /// Events after..after+limit of a session whose chain is `chain`, in order.
    virtual core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                                std::uint64_t after,
                                                                std::size_t limit) = 0;
    /// Events of all sessions with a cursor above `after`, in order, at least `limit` if there are
    /// that many.
    virtual core::Result<std::vector<StreamEvent>> read_stream(Cursor after, std::size_t limit) = 0;
    /// The oldest cursor from which nothing has been deleted.
    virtual Cursor oldest() const = 0;
    virtual Cursor head() const = 0;

    /// Replaces the session's snapshot and indexes the event ids since the last one.
    virtual core::Result<> save(SessionKey key, const core::Session& session, Chain chain,
                                const EventIds& new_ids) = 0;
    /// Records that the snapshots hold everything up to `cursor`.
    virtual core::Result<> set_snapshot_cursor(Cursor cursor) = 0;

    /// A total that outlives the counted sessions; 0 if nothing was added yet.
    virtual core::Result<std::int64_t> counter(std::string_view name) = 0;
    virtual core::Result<> add_to_counter(std::string_view name, std::int64_t delta) = 0;

    /// Records the use of a session that ends in this transaction.
    virtual core::Result<> add_use(const core::UseRecord& record) = 0;
    /// The newest records of one agent type, or of all.
    virtual core::Result<std::vector<core::UseRecord>> list_uses(
        const std::optional<std::string>& agent, std::size_t limit) = 0;

    /// One bounded step of deleting sessions that ended before `cutoff`, their use records, and
    /// older idempotency keys, in its own transaction.
    virtual core::Result<Deletion> delete_some(core::Timestamp cutoff) = 0;
    /// Moves WAL pages to the database if at least `pages` wait; outside a transaction.
    virtual core::Result<> checkpoint(int pages) = 0;
    virtual std::int64_t wal_pages() const = 0;
    /// Space of deleted rows inside the database that new rows will use.
    virtual std::uint64_t reusable_bytes() = 0;
};

}  // namespace headway::storage

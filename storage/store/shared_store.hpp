// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/store/store.hpp"
#include "storage/tables/import.hpp"

// The additional operations of a store that several daemons share (docs/scale.md). A session's row
// is the fence: the daemon that holds the row decides, and the row's event number shows whether
// memory is behind.

namespace headway::storage {

/// Cursors of the open transaction start here; see SharedStore::settled().
inline constexpr Cursor kProvisionalCursor = Cursor{1} << 62;

/// Sessions and ids that a turn wants to hold or look up.
struct HoldRequest {
    std::vector<std::string_view> names;  ///< sessions that the turn's writes change
    std::vector<SessionKey> keys;         ///< sessions that a relative has woken
    std::vector<std::string_view> seen;   ///< sessions that the turn only reads
    /// Event ids in reports, each with its session.
    std::vector<std::pair<std::string_view, std::string_view>> ids;
    std::size_t due_max = 0;  ///< maximum number of sessions to return whose deadline has passed
    std::size_t told_max =
        0;  ///< maximum number of sessions to return with messages in their inbox
    /// Sessions that this daemon cannot read; never returned as due or messaged.
    std::vector<SessionKey> unreadable;
};

/// Data from a session's row.
struct KnownSession {
    SessionKey key = 0;
    std::string name;
    std::uint64_t n = 0;  ///< number of its newest event; 0: not open yet
};

/// Result of a HoldRequest.
struct Held {
    core::Timestamp now = core::kNever;  ///< read after the rows were locked
    std::vector<KnownSession> sessions;  ///< held until the end of the transaction
    std::vector<KnownSession> seen;
    std::vector<SessionKey> due;       ///< a subset of `sessions`
    std::vector<SessionKey> messaged;  ///< a subset of `sessions`
};

/// Events that memory lacks.
struct Tail {
    SessionKey key = 0;
    std::vector<core::Event> events;
};

/// Position, in the stream of all sessions, of events that a daemon has committed.
struct FeedRow {
    Cursor cursor = 0;
    KnownSession session;
    std::uint64_t first = 0;  ///< number of the first event
    std::uint64_t count = 0;
};

struct DaemonSeen {
    std::string id;
    std::string name;
    std::string version;
    core::Timestamp started_at = core::kNever;
    core::Timestamp seen_at = core::kNever;
};

/// Knowledge that the daemons have of each other.
struct Pulse {
    core::Timestamp now = core::kNever;
    Cursor head = 0;
    /// Times in which no daemon could commit; oldest first.
    std::vector<std::pair<core::Timestamp, core::Timestamp>> gaps;
    std::vector<DaemonSeen> daemons;
    std::int64_t tokens = 0;  ///< a number that changes with each change of the access tokens
};

/// Announces commits to the other daemons that share a store. A hint may be lost, since each daemon
/// also reads the feed twice a second. Has its own connection; one thread, not the store's.
class Hints {
public:
    virtual ~Hints() = default;
    /// Waits for another daemon's hint until `wake` is readable or `most` is over. True for a hint.
    /// Connects by itself; only waits if connecting fails or the database has no hints.
    virtual bool wait(int wake, core::Millis most) = 0;
    /// Sends a hint to the other daemons.
    virtual void tell() = 0;
};

/// Conventions, errors and thread as in Store.
class SharedStore {
public:
    virtual ~SharedStore() = default;

    /// Store::begin() for a turn. Rows that another daemon holds are left out, and so are names
    /// that another daemon is about to add; unknown names get a row, which is gone after commit()
    /// if nothing was appended to it.
    virtual core::Result<Held> hold(const HoldRequest& wanted) = 0;
    /// The sessions as stored, in any order; leaves out sessions that are deleted, damaged or of a
    /// newer version.
    virtual core::Result<std::vector<StoredSession>> load_all(std::span<const SessionKey> keys) = 0;
    /// Events after the given number of each session; leaves out sessions as load_all() does.
    virtual core::Result<std::vector<Tail>> read_tails(
        std::span<const std::pair<SessionKey, std::uint64_t>> behind) = 0;
    /// Committed event numbers of the sessions with these ids; unknown ids are left out.
    virtual core::Result<std::vector<KnownSession>> numbers(
        std::span<const std::string_view> names) = 0;
    /// Sets the deadline of a held session; kNever: no deadline. Written with commit().
    virtual void set_due(SessionKey key, core::Timestamp due) = 0;
    /// Saves ids of committed events before the snapshot that covers them, in the open transaction,
    /// so that one snapshot need not save all ids. find_event_id() finds them after commit().
    virtual core::Result<> save_ids(SessionKey key, const EventIds& ids) = 0;
    /// The position of an event of the last commit(), or before its first for kProvisionalCursor.
    virtual Cursor settled(Cursor cursor) const = 0;
    /// The position of the last event of the last commit().
    virtual Cursor committed() const = 0;
    /// Sets the result of Store::head(): this daemon's readers know all events up to `head`.
    virtual void set_head(Cursor head) = 0;
    /// Describes the first row of a newer version that this program cannot read; empty: no such
    /// row.
    virtual const std::string& met_newer() const = 0;
    /// True if the last transaction failed by a conflict with another daemon's transaction: a
    /// deadlock, a serialization failure, or a lock timeout. A retry may succeed.
    virtual bool may_try_again() const = 0;
    /// True if the failed commit() may have succeeded.
    virtual bool outcome_unknown() const = 0;

    /// Rows that were committed after `after`, in order.
    virtual core::Result<std::vector<FeedRow>> read_feed(Cursor after, std::size_t limit) = 0;
    /// Announces that this daemon serves and reads the others' state, in its own transaction.
    virtual core::Result<Pulse> pulse() = 0;
    /// The sessions among `keys` with an open descendant that is not silent.
    virtual core::Result<std::vector<SessionKey>> with_working_children(
        std::span<const SessionKey> keys) = 0;
    /// Takes or renews a lease; false while another daemon has the lease and was seen in the last
    /// ten seconds. Outside of a transaction.
    virtual core::Result<bool> lease(std::string_view name, core::Millis length) = 0;
    virtual std::unique_ptr<Hints> make_hints() const = 0;
    /// The store's time without a transaction.
    virtual core::Result<core::Timestamp> time() = 0;
    /// The import of another store's journal into an empty store.
    virtual Import& imports() = 0;
    /// Round trips to the database since the start.
    virtual std::uint64_t round_trips() const = 0;
    /// Database connections lost since the start. The next connection may reach another server,
    /// which has all acknowledged commits but maybe not all data read before.
    virtual std::uint64_t breaks() const = 0;
};

}  // namespace headway::storage

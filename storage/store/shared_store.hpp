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

// The additional operations of a store that several daemons share (docs/scale.md). The row of a
// session coordinates the daemons. Only the daemon that holds the row may change the session. The
// event number in the row shows that daemon whether its own copy of the session is out of date.

namespace headway::storage {

/// Cursors of events in the open transaction are provisional: they start at this value. See
/// SharedStore::settled().
inline constexpr Cursor kProvisionalCursor = Cursor{1} << 62;

/// Sessions and ids that a turn wants to hold or look up.
struct HoldRequest {
    std::vector<std::string_view> names;  ///< sessions that the turn writes to
    /// Sessions that the turn handles because of an ancestor or a descendant.
    std::vector<SessionKey> keys;
    std::vector<std::string_view> seen;  ///< sessions that the turn only reads
    /// Event ids in reports, each with its session.
    std::vector<std::pair<std::string_view, std::string_view>> ids;
    std::size_t due_max = 0;  ///< maximum number of due sessions to return
    /// Maximum number of sessions to return because their inbox has messages.
    std::size_t told_max = 0;
    /// Sessions that this daemon cannot read; never returned as due or messaged.
    std::vector<SessionKey> unreadable;
};

/// The data in a session's row.
struct KnownSession {
    SessionKey key = 0;
    std::string name;
    std::uint64_t n = 0;  ///< number of its newest event; 0: not open yet
};

/// The result of a HoldRequest.
struct Held {
    core::Timestamp now = core::kNever;  ///< the time, read after the rows were locked
    std::vector<KnownSession> sessions;  ///< held until the end of the transaction
    std::vector<KnownSession> seen;
    std::vector<SessionKey> due;       ///< a subset of `sessions`
    std::vector<SessionKey> messaged;  ///< a subset of `sessions`
};

/// A session's events that are not in this daemon's memory yet.
struct Tail {
    SessionKey key = 0;
    std::vector<core::Event> events;
};

/// A row of the feed: events of one session that a daemon has committed together, and their
/// position in the stream of all sessions.
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

/// The state that daemons share with each other.
struct Pulse {
    core::Timestamp now = core::kNever;
    Cursor head = 0;
    /// Times in which no daemon could commit; oldest first.
    std::vector<std::pair<core::Timestamp, core::Timestamp>> gaps;
    std::vector<DaemonSeen> daemons;
    std::int64_t tokens = 0;  ///< changes whenever the access tokens change
};

/// Announces commits to the other daemons that share a store. The loss of a hint does no harm,
/// since each daemon also reads the feed twice a second. The object has its own connection, and is
/// used on one thread that is not the store's.
class Hints {
public:
    virtual ~Hints() = default;
    /// Waits for another daemon's hint, until the descriptor `wake` is readable or `most` has
    /// passed. True if a hint arrived. Connects by itself. Without a connection, or if the database
    /// has no hints, only waits.
    virtual bool wait(int wake, core::Millis most) = 0;
    /// Sends a hint to the other daemons.
    virtual void tell() = 0;
};

/// The operations of a store that is shared. Conventions, errors and thread are those of Store.
class SharedStore {
public:
    virtual ~SharedStore() = default;

    /// Begins a transaction for a turn, instead of Store::begin(), and locks the wanted rows. Rows
    /// that another daemon holds are left out, and so are names that another daemon is about to
    /// add. Unknown names get a row, which commit() removes if nothing was appended to it.
    virtual core::Result<Held> hold(const HoldRequest& wanted) = 0;
    /// The sessions as stored, in any order, except those that are deleted, damaged or of a newer
    /// version.
    virtual core::Result<std::vector<StoredSession>> load_all(std::span<const SessionKey> keys) = 0;
    /// For each session, the events after the given number. Leaves out the same sessions as
    /// load_all().
    virtual core::Result<std::vector<Tail>> read_tails(
        std::span<const std::pair<SessionKey, std::uint64_t>> behind) = 0;
    /// The numbers of the last committed events of the sessions with these ids; unknown ids are
    /// left out.
    virtual core::Result<std::vector<KnownSession>> numbers(
        std::span<const std::string_view> names) = 0;
    /// Sets the deadline of a held session; kNever: no deadline. commit() writes the deadline.
    virtual void set_due(SessionKey key, core::Timestamp due) = 0;
    /// Saves ids of committed events before the next snapshot, so that the snapshot need not save
    /// all ids at once. Part of the open transaction; find_event_id() finds the ids after commit().
    virtual core::Result<> save_ids(SessionKey key, const EventIds& ids) = 0;
    /// The final position of an event of the last commit(); for kProvisionalCursor, the position
    /// before the first event of that commit.
    virtual Cursor settled(Cursor cursor) const = 0;
    /// The position of the last event of the last commit().
    virtual Cursor committed() const = 0;
    /// Sets the result of Store::head(): all events up to `head` have been sent to the readers of
    /// this daemon.
    virtual void set_head(Cursor head) = 0;
    /// A description of the first row that had a newer version and could not be read; empty if
    /// there was none.
    virtual const std::string& met_newer() const = 0;
    /// True if the last transaction failed because of a conflict with another daemon's transaction:
    /// a deadlock, a serialization failure, or a lock timeout. A retry may succeed.
    virtual bool may_try_again() const = 0;
    /// True if the failed commit() may have succeeded.
    virtual bool outcome_unknown() const = 0;

    /// The rows of the feed after the position `after`, in order.
    virtual core::Result<std::vector<FeedRow>> read_feed(Cursor after, std::size_t limit) = 0;
    /// Announces that this daemon is running, and reads the state of the other daemons. Uses its
    /// own transaction.
    virtual core::Result<Pulse> pulse() = 0;
    /// The sessions in `keys` that have an open descendant that is not silent.
    virtual core::Result<std::vector<SessionKey>> with_working_children(
        std::span<const SessionKey> keys) = 0;
    /// Takes or renews a lease, outside of a transaction. False while another daemon has the lease,
    /// if that daemon has been seen in the last ten seconds.
    virtual core::Result<bool> lease(std::string_view name, core::Millis length) = 0;
    virtual std::unique_ptr<Hints> make_hints() const = 0;
    /// The store's time, read outside of a transaction.
    virtual core::Result<core::Timestamp> time() = 0;
    /// The import of another store into an empty one.
    virtual Import& imports() = 0;
    /// Number of round trips to the database since the start.
    virtual std::uint64_t round_trips() const = 0;
    /// Number of database connections lost since the start. The next connection may reach another
    /// server, which has all acknowledged commits but perhaps not all data that was read before.
    virtual std::uint64_t breaks() const = 0;
};

}  // namespace headway::storage

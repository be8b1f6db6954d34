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

// The additional operations of a store that several daemons share (docs/scale.md). Its row of a
// session is the fence: who holds it decides, and its number says whether memory is behind.

namespace headway::storage {

/// Cursors from here on are those of the open transaction: SharedStore::settled().
inline constexpr Cursor kProvisionalCursor = Cursor{1} << 62;

/// Things that a turn wants to hold or to know.
struct HoldRequest {
    std::vector<std::string_view> names;  ///< sessions that its writes change
    std::vector<SessionKey> keys;         ///< sessions that a relative wants to be looked at
    std::vector<std::string_view> seen;   ///< sessions that are read only
    /// Event ids that reports bring, each with its session.
    std::vector<std::pair<std::string_view, std::string_view>> ids;
    std::size_t due_max = 0;   ///< sessions whose deadline has come
    std::size_t told_max = 0;  ///< sessions with messages in their inbox
    /// Not among the last two: this daemon cannot read them.
    std::vector<SessionKey> unreadable;
};

/// A session as its row says.
struct KnownSession {
    SessionKey key = 0;
    std::string name;
    std::uint64_t n = 0;  ///< its newest event; 0: it is not open yet
};

/// Result of a HoldRequest.
struct Held {
    core::Timestamp now = core::kNever;  ///< read after the rows were locked
    std::vector<KnownSession> sessions;  ///< held until the end of the transaction
    std::vector<KnownSession> seen;
    std::vector<SessionKey> due;       ///< among the sessions
    std::vector<SessionKey> messaged;  ///< among the sessions
};

/// Events that memory lacks.
struct Tail {
    SessionKey key = 0;
    std::vector<core::Event> events;
};

/// Events that some daemon has committed, as their position in the stream of all sessions.
struct FeedRow {
    Cursor cursor = 0;
    KnownSession session;
    std::uint64_t first = 0;  ///< number of its first event
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
    /// When no daemon could commit; oldest first.
    std::vector<std::pair<core::Timestamp, core::Timestamp>> gaps;
    std::vector<DaemonSeen> daemons;
    std::int64_t tokens = 0;  ///< changes with each change of the access tokens
};

/// Tells the daemons that share a store of commits. A hint may be lost: who reads the feed twice a
/// second needs none. A connection of its own; one thread, not that of the store.
class Hints {
public:
    virtual ~Hints() = default;
    /// Waits for another daemon's hint, until `wake` is readable or the time is over. True for a
    /// hint. Connects by itself, and waits only where that fails or the database has no hints.
    virtual bool wait(int wake, core::Millis most) = 0;
    /// Tells the others.
    virtual void tell() = 0;
};

/// Functions and errors as in Store, with its thread.
class SharedStore {
public:
    virtual ~SharedStore() = default;

    /// Store::begin() for a turn. Rows that another daemon holds are left out, and so are names
    /// that another daemon is about to add; unknown names get a row, which is gone after commit()
    /// if nothing was appended to it.
    virtual core::Result<Held> hold(const HoldRequest& wanted) = 0;
    /// The sessions as stored, in any order; leaves out what is deleted, damaged or of a newer
    /// version.
    virtual core::Result<std::vector<StoredSession>> load_all(std::span<const SessionKey> keys) = 0;
    /// Events behind `n` of each; leaves out sessions as load_all() does.
    virtual core::Result<std::vector<Tail>> read_tails(
        std::span<const std::pair<SessionKey, std::uint64_t>> behind) = 0;
    /// Committed numbers of the sessions with these ids; unknown ones are left out.
    virtual core::Result<std::vector<KnownSession>> numbers(
        std::span<const std::string_view> names) = 0;
    /// When a held session wants to be looked at; kNever: not by time. Written with commit().
    virtual void set_due(SessionKey key, core::Timestamp due) = 0;
    /// Saves ids of committed events ahead of the snapshot that covers them, in the open
    /// transaction: so that one snapshot need not bring all of them. find_event_id() has them after
    /// commit().
    virtual core::Result<> save_ids(SessionKey key, const EventIds& ids) = 0;
    /// The position of an event of the last commit(); kProvisionalCursor gives the one before all.
    virtual Cursor settled(Cursor cursor) const = 0;
    /// The position of the last event of the last commit().
    virtual Cursor committed() const = 0;
    /// Sets the result of Store::head(): readers here know all up to it.
    virtual void set_head(Cursor head) = 0;
    /// Text of the first row that a newer version wrote and this program cannot read; empty: none.
    virtual const std::string& met_newer() const = 0;
    /// True if the last transaction failed by a conflict with one of another daemon: a deadlock, a
    /// serialization failure, or a lock that did not come in time. The same may succeed now.
    virtual bool may_try_again() const = 0;
    /// True if the failed commit() may have succeeded.
    virtual bool outcome_unknown() const = 0;

    /// Rows that were committed after `after`, in order.
    virtual core::Result<std::vector<FeedRow>> read_feed(Cursor after, std::size_t limit) = 0;
    /// Says that this daemon serves, and learns of the others; in a transaction of its own.
    virtual core::Result<Pulse> pulse() = 0;
    /// Those of the given sessions that have an open descendant that is not silent.
    virtual core::Result<std::vector<SessionKey>> with_working_children(
        std::span<const SessionKey> keys) = 0;
    /// Takes or renews a lease; false while another daemon has it, unless that one was not seen
    /// for ten seconds. Outside of a transaction.
    virtual core::Result<bool> lease(std::string_view name, core::Millis length) = 0;
    virtual std::unique_ptr<Hints> make_hints() const = 0;
    /// The store's time without a transaction.
    virtual core::Result<core::Timestamp> time() = 0;
    /// How an empty store takes the journal of another one.
    virtual Import& imports() = 0;
    /// Round trips to the database since the start.
    virtual std::uint64_t round_trips() const = 0;
    /// Connections to the database that were lost since the start. Behind the next one may be
    /// another server, which has everything that was acknowledged, and not all that was read.
    virtual std::uint64_t breaks() const = 0;
};

}  // namespace headway::storage

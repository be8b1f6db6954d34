#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/fold.hpp"
#include "storage/codec.hpp"
#include "storage/sqlite_store.hpp"

// The reading half: recovery, sessions, journals, the stream.

namespace headway::storage {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

/// Folding asserts the order; what a damaged disk holds is an error before it.
Result<> fold_row(StoredSession& stored, Cursor cursor, std::uint64_t first,
                  std::span<const core::Event> events) {
    const std::uint64_t expected = stored.session.state().n + 1;
    if (first != expected) {
        return Error{ErrorCode::kStorageCorrupt,
                     "event " + std::to_string(expected) + " of session " + stored.session.id() +
                         " is missing: journal row " + std::to_string(cursor) + " begins with " +
                         std::to_string(first),
                     {}};
    }
    for (const core::Event& event : events)
        stored.session.apply(event);
    return {};
}

}  // namespace

Result<SqliteStore::Row> SqliteStore::read_row(Cursor cursor) {
    HEADWAY_TRY(const bool found, sql_.row.bind(1, cursor).step());
    if (!found) {
        return Error{ErrorCode::kStorageCorrupt,
                     "journal row " + std::to_string(cursor) + " is missing",
                     {}};
    }
    Row row;
    row.cursor = cursor;
    row.session = sql_.row.integer(0);
    row.n = static_cast<std::uint64_t>(sql_.row.integer(1));
    row.prev = sql_.row.integer(2);
    row.events = sql_.row.blob(3);
    sql_.row.reset();
    // Who follows the chain comes to its end.
    if (row.prev < 0 || row.prev >= cursor) {
        return Error{ErrorCode::kStorageCorrupt,
                     "journal row " + std::to_string(cursor) + " has no way back",
                     {}};
    }
    return row;
}

Result<Recovery> SqliteStore::recover() {
    HEADWAY_TRY(Recovery recovery, recover_sessions());
    HEADWAY_TRY(const std::int64_t due, meta("session_index_due"));
    if (due != 0) HEADWAY_CHECK(ensure_session_index(recovery));
    return recovery;
}

Result<Recovery> SqliteStore::recover_sessions() {
    Recovery recovery;
    recovery.head = head();
    HEADWAY_TRY(recovery.snapshots, meta("snapshot_cursor"));
    HEADWAY_TRY(Statement tail, database_.prepare("SELECT cursor,session,n,events FROM journal "
                                                  "WHERE cursor>?1 ORDER BY cursor"));
    std::unordered_map<SessionKey, std::size_t> index;
    tail.bind(1, recovery.snapshots);
    while (true) {
        HEADWAY_TRY(const bool row, tail.step());
        if (!row) return recovery;
        const SessionKey key = tail.integer(1);
        auto [at, fresh] = index.try_emplace(key, recovery.sessions.size());
        if (fresh) {
            auto stored = load(key);
            // Rows of a session that retention is deleting have nobody to go to.
            if (!stored && stored.error().code == ErrorCode::kUnknownSession) {
                index.erase(at);
                continue;
            }
            if (!stored) return std::move(stored).error();
            recovery.sessions.push_back(*std::move(stored));
        }
        StoredSession& stored = recovery.sessions[at->second];
        const auto first = static_cast<std::uint64_t>(tail.integer(2));
        if (first <= stored.session.state().n) continue;  // the snapshot was newer than the mark
        HEADWAY_TRY(auto events, decode_events(tail.blob(3), first));
        HEADWAY_CHECK(fold_row(stored, tail.integer(0), first, events));
        for (core::Event& event : events) {
            if (!event.event_id.empty()) {
                stored.new_ids.emplace(std::move(event.event_id), event.n);
            }
        }
        stored.chain.tail = tail.integer(0);
        recovery.events += events.size();
    }
}

Result<std::vector<SessionKey>> SqliteStore::open_sessions() {
    HEADWAY_TRY(Statement open,
                database_.prepare("SELECT key FROM session WHERE ended_at IS NULL"));
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, open.step());
        if (!row) return keys;
        keys.push_back(open.integer(0));
    }
}

Result<StoredSession> SqliteStore::load(SessionKey key) {
    HEADWAY_TRY(const bool found, sql_.load.bind(1, key).step());
    if (!found) {
        return Error{ErrorCode::kUnknownSession, "session " + std::to_string(key) + " is gone", {}};
    }
    std::string name{sql_.load.text(0)};
    const Chain chain{sql_.load.integer(1)};
    const std::string snapshot{sql_.load.blob(2)};
    sql_.load.reset();
    if (!snapshot.empty()) {
        if (auto state = decode_state(snapshot)) {
            return StoredSession{key, core::Session{std::move(name), *std::move(state)}, chain, {}};
        }
    }
    // No snapshot yet, or one of another version: the journal is the truth.
    StoredSession stored{key, core::Session{std::move(name)}, chain, {}};
    HEADWAY_CHECK(replay_chain(stored));
    return stored;
}

Result<> SqliteStore::replay_chain(StoredSession& stored) {
    std::vector<Cursor> rows;
    for (Cursor cursor = stored.chain.tail; cursor != 0;) {
        rows.push_back(cursor);
        HEADWAY_TRY(const Row row, read_row(cursor));
        cursor = row.prev;
    }
    for (auto cursor = rows.rbegin(); cursor != rows.rend(); ++cursor) {
        HEADWAY_TRY(const Row row, read_row(*cursor));
        HEADWAY_TRY(const auto events, decode_events(row.events, row.n));
        HEADWAY_CHECK(fold_row(stored, *cursor, row.n, events));
    }
    return {};
}

Result<std::vector<core::Event>> SqliteStore::read_session(SessionKey key, Chain chain,
                                                           std::uint64_t after, std::size_t limit) {
    const std::uint64_t last = after + limit;
    HEADWAY_TRY(const bool marked,
                sql_.mark_after.bind(1, key).bind(2, static_cast<std::int64_t>(last)).step());
    Cursor cursor = chain.tail;
    if (marked) {
        cursor = sql_.mark_after.integer(0);
        sql_.mark_after.reset();
    }
    std::vector<Row> rows;
    while (cursor != 0) {
        HEADWAY_TRY(Row row, read_row(cursor));
        cursor = row.n <= after + 1 ? 0 : row.prev;
        if (row.n <= last) rows.push_back(std::move(row));
    }
    std::vector<core::Event> events;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        HEADWAY_TRY(auto decoded, decode_events(row->events, row->n));
        for (core::Event& event : decoded) {
            if (event.n > after && event.n <= last) events.push_back(std::move(event));
        }
    }
    return events;
}

Result<std::vector<StreamEvent>> SqliteStore::read_stream(Cursor after, std::size_t limit) {
    std::vector<StreamEvent> events;
    // A row holds the events from its cursor on; the one that `after` falls into starts at most a
    // report earlier.
    HEADWAY_TRY(Statement inside, database_.prepare("SELECT max(cursor) FROM journal WHERE "
                                                    "cursor<=?1"));
    HEADWAY_TRY(const bool some, inside.bind(1, after).step());
    const Cursor from = some && !inside.is_null(0) ? inside.integer(0) : after;
    sql_.stream.bind(1, from).bind(2, static_cast<std::int64_t>(limit) + 1);
    std::unordered_map<SessionKey, std::string> names;
    while (true) {
        HEADWAY_TRY(const bool row, sql_.stream.step());
        if (!row) return events;
        const SessionKey key = sql_.stream.integer(1);
        auto [name, fresh] = names.try_emplace(key);
        if (fresh) {
            HEADWAY_TRY(const bool known, sql_.name.bind(1, key).step());
            if (known) name->second = sql_.name.text(0);
            sql_.name.reset();
        }
        if (name->second.empty()) continue;  // being deleted
        const auto first = static_cast<std::uint64_t>(sql_.stream.integer(2));
        HEADWAY_TRY(auto decoded, decode_events(sql_.stream.blob(3), first));
        Cursor cursor = sql_.stream.integer(0);
        for (core::Event& event : decoded) {
            if (cursor > after) events.push_back({cursor, name->second, std::move(event)});
            ++cursor;
        }
    }
}

}  // namespace headway::storage

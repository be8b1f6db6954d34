// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/assert.hpp"
#include "core/fold.hpp"
#include "core/sound.hpp"
#include "storage/checksum.hpp"
#include "storage/codec.hpp"
#include "storage/journal_scan.hpp"
#include "storage/sqlite_store.hpp"

// The read half: recovery, sessions, journals, the stream.

namespace headway::storage {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr std::uint64_t kEventsMax = INT64_MAX / 2;  ///< of one session, far beyond any real one

/// Folding asserts the order, so a damaged disk is checked for it first.
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
    HEADWAY_ASSERT(stored.session.state().n == first + events.size() - 1);
    return {};
}

Error corrupt(std::string what) {
    return {ErrorCode::kStorageCorrupt, std::move(what), {}};
}

void note_ids(std::vector<core::Event>& events, EventIds& ids) {
    for (core::Event& event : events) {
        if (!event.event_id.empty()) ids.emplace(std::move(event.event_id), event.n);
    }
}

}  // namespace

/// A session during recovery of the rows behind the snapshots.
struct SqliteStore::Behind {
    std::optional<StoredSession> session = {};  ///< empty: refused
    Cursor newest = 0;                          ///< newest of its rows so far; 0: unknown
    Cursor damaged = 0;                         ///< the first unusable row; 0: none
    std::uint64_t n = 0;                        ///< number of that row's first event

    void refuse(Cursor row) {
        damaged = row;
        n = session->session.state().n + 1;
        session.reset();
    }
};

Result<> SqliteStore::fold_behind(const Statement& row, Behind& behind, std::uint64_t& count) {
    StoredSession& stored = *behind.session;
    const auto first = static_cast<std::uint64_t>(row.integer(2));
    if (first <= stored.session.state().n) return {};  // the snapshot is newer than the mark
    HEADWAY_TRY(auto events, decode_events(row.blob(4), first));
    HEADWAY_CHECK(fold_row(stored, row.integer(0), first, events));
    note_ids(events, stored.new_ids);
    stored.chain.tail = row.integer(0);
    count += events.size();
    return {};
}

Result<SqliteStore::Row> SqliteStore::read_row(Cursor cursor) {
    Rows rows{sql_.row.bind(1, cursor)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found) return corrupt("journal row " + std::to_string(cursor) + " is missing");
    HEADWAY_CHECK(check_row(rows.row()));
    Row row;
    row.cursor = cursor;
    row.session = rows->integer(1);
    row.n = static_cast<std::uint64_t>(rows->integer(2));
    row.prev = rows->integer(3);
    row.events = rows->blob(4);
    HEADWAY_ASSERT(row.prev >= 0 && row.prev < row.cursor);
    return row;
}

Result<Recovery> SqliteStore::recover() {
    HEADWAY_TRY(Recovery recovery, recover_sessions());
    HEADWAY_TRY(const std::int64_t due, meta_.get("session_index_due"));
    if (due != 0) HEADWAY_CHECK(ensure_session_index(recovery));
    return recovery;
}

/// Position up to which the snapshots hold everything; 0 if that is damaged, so that the whole
/// journal is read.
Result<Cursor> SqliteStore::snapshot_cursor() {
    HEADWAY_TRY(const Cursor cursor, meta_.get("snapshot_cursor"));
    HEADWAY_TRY(const std::int64_t check, meta_.get("snapshot_check"));
    return check == 0 || check == checksum_number(cursor) ? cursor : 0;
}

Result<Recovery> SqliteStore::recover_sessions() {
    Recovery recovery;
    recovery.head = head();
    HEADWAY_TRY(recovery.snapshots, snapshot_cursor());
    HEADWAY_TRY(Statement tail,
                database_.prepare("SELECT cursor,session,n,prev,events,crc FROM journal WHERE "
                                  "cursor>?1 ORDER BY cursor"));
    std::unordered_map<SessionKey, Behind> found;
    tail.bind(1, recovery.snapshots);
    while (true) {
        HEADWAY_TRY(const bool row, tail.step());
        if (!row) break;
        if (tail.integer(0) >= next_) return corrupt("the journal continues behind its end");
        const SessionKey key = tail.integer(1);
        const auto [at, fresh] = found.try_emplace(key);
        Behind& behind = at->second;
        if (fresh) HEADWAY_CHECK(begin_behind(key, behind));
        const Result<> sound = check_row(tail);
        // In a damaged row, the session number itself may be wrong.
        if (!sound && !follows(key, tail.integer(3), behind)) return sound.error();
        if (behind.session) {
            const Result<> folded = sound ? fold_behind(tail, behind, recovery.events) : sound;
            if (!folded && folded.error().code != ErrorCode::kStorageCorrupt) return folded.error();
            if (!folded) behind.refuse(tail.integer(0));
        }
        behind.newest = tail.integer(0);
    }
    tail.reset();
    for (auto& [key, behind] : found) {
        if (behind.damaged != 0) HEADWAY_CHECK(point_at(key, behind.n, behind.damaged));
        if (behind.session) recovery.sessions.push_back(*std::move(behind.session));
    }
    return recovery;
}

Result<> SqliteStore::begin_behind(SessionKey key, Behind& behind) {
    auto stored = load(key);
    // Rows of a session that retention is deleting are skipped. A damaged session is refused by
    // itself, when it is read.
    const bool refused = !stored && (stored.error().code == ErrorCode::kUnknownSession ||
                                     stored.error().code == ErrorCode::kStorageCorrupt);
    if (!stored && !refused) return std::move(stored).error();
    if (refused) return {};
    behind.newest = stored->chain.tail;
    behind.session = *std::move(stored);
    return {};
}

/// True if a row with this `prev` belongs to that session according to its neighbour: the damaged
/// row's own columns prove nothing.
bool SqliteStore::follows(SessionKey key, Cursor prev, const Behind& behind) {
    if (prev <= 0) return false;
    if (prev == behind.newest) return true;
    const auto before = read_row(prev);
    return before && before->session == key;
}

/// Makes the session end with an unreadable row, so that every load refuses it, even after other
/// snapshots pass that row. With the state of its snapshot it would assign event numbers twice. A
/// repair reads the journal and keeps the sound part.
Result<> SqliteStore::point_at(SessionKey key, std::uint64_t n, Cursor damaged) {
    HEADWAY_TRY(Statement point,
                database_.prepare("UPDATE session SET n=?2,tail=?3,crc=NULL WHERE key=?1"));
    return point.bind(1, key).bind(2, static_cast<std::int64_t>(n)).bind(3, damaged).run();
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

Result<SqliteStore::SessionRow> SqliteStore::read_session_row(SessionKey key) {
    Rows rows{sql_.load.bind(1, key)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found)
        return Error{ErrorCode::kUnknownSession, "session " + std::to_string(key) + " is gone", {}};
    SessionRow row;
    row.name = rows->text(0);
    row.n = static_cast<std::uint64_t>(rows->integer(1));
    row.chain.tail = rows->integer(2);
    row.snapshot = rows->blob(4);
    // New rows must lie behind it.
    if (row.chain.tail < 0 || row.chain.tail >= next_) {
        return corrupt("the row of session " + std::to_string(key) +
                       " points to a journal row that does not exist");
    }
    if (rows->is_null(5)) return row;  // from an older schema, or never saved
    const auto sum = SessionChecksum::from_column(rows->integer(5));
    if (sum.place !=
        place_checksum(key, row.name, rows->integer(1), row.chain.tail, rows->integer(3))) {
        return corrupt("the row of session " + std::to_string(key) +
                       " does not match its checksum");
    }
    if (sum.snapshot != snapshot_checksum(key, rows->integer(1), row.snapshot))
        row.snapshot.clear();
    return row;
}

Result<StoredSession> SqliteStore::load(SessionKey key) {
    HEADWAY_TRY(SessionRow row, read_session_row(key));
    if (!row.snapshot.empty()) {
        auto state = decode_state(row.snapshot);
        if (state && state->n == row.n && row.n <= kEventsMax && core::is_sound(*state)) {
            core::Session session{std::move(row.name), *std::move(state)};
            return StoredSession{key, std::move(session), row.chain, {}};
        }
    }
    // Without a snapshot, or with one of another version or a damaged one, the journal is
    // authoritative.
    StoredSession stored{key, core::Session{std::move(row.name)}, row.chain, {}};
    HEADWAY_CHECK(replay_chain(stored));
    if (stored.session.state().n == row.n) return stored;
    return corrupt("session " + stored.session.id() + " was saved at event " +
                   std::to_string(row.n) + ", but its journal ends at " +
                   std::to_string(stored.session.state().n));
}

Result<> SqliteStore::replay_chain(StoredSession& stored) {
    std::vector<Cursor> rows;
    for (Cursor cursor = stored.chain.tail; cursor != 0;) {
        HEADWAY_ASSERT(rows.empty() || cursor < rows.back());
        rows.push_back(cursor);
        HEADWAY_TRY(const Row row, read_row(cursor));
        if (row.session != stored.key)
            return corrupt("journal row " + std::to_string(cursor) + " belongs to another session");
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
    Cursor cursor = chain.tail;
    {
        Rows mark{sql_.mark_after.bind(1, key).bind(2, static_cast<std::int64_t>(last))};
        HEADWAY_TRY(const bool marked, mark.next());
        if (marked) cursor = mark->integer(0);
    }
    std::vector<Row> rows;
    while (cursor != 0) {
        HEADWAY_TRY(Row row, read_row(cursor));
        if (row.session != key)
            return corrupt("journal row " + std::to_string(cursor) + " belongs to another session");
        cursor = row.n <= after + 1 ? 0 : row.prev;
        HEADWAY_ASSERT(rows.empty() || row.cursor < rows.back().cursor);
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
    // A row holds the events from its cursor on; the row with the event behind `after` starts at
    // most a report earlier. Only wanted rows are read, because others may be damaged.
    HEADWAY_TRY(Statement inside, database_.prepare("SELECT max(cursor) FROM journal WHERE "
                                                    "cursor<=?1"));
    HEADWAY_TRY(const bool some, inside.bind(1, after + 1).step());
    const Cursor from = some && !inside.is_null(0) ? inside.integer(0) : after;
    Rows rows{sql_.stream.bind(1, from).bind(2, static_cast<std::int64_t>(limit) + 1)};
    std::unordered_map<SessionKey, std::string> names;
    while (events.size() < limit) {
        HEADWAY_TRY(const bool row, rows.next());
        if (!row) return events;
        HEADWAY_CHECK(check_row(rows.row()));
        const SessionKey key = rows->integer(1);
        auto [name, fresh] = names.try_emplace(key);
        if (fresh) {
            Rows known{sql_.name.bind(1, key)};
            HEADWAY_TRY(const bool found, known.next());
            if (found) name->second = known->text(0);
        }
        if (name->second.empty()) continue;  // being deleted
        const auto first = static_cast<std::uint64_t>(rows->integer(2));
        HEADWAY_TRY(auto decoded, decode_events(rows->blob(4), first));
        Cursor cursor = rows->integer(0);
        HEADWAY_ASSERT(!decoded.empty());
        for (core::Event& event : decoded) {
            if (cursor > after) events.push_back({cursor, name->second, std::move(event)});
            ++cursor;
        }
    }
    return events;
}

/// Fills the index once after its migration, from what is stored of each session.
Result<> SqliteStore::fill_session_index(const Recovery& recovery) {
    std::unordered_map<SessionKey, const core::Session*> recovered;
    for (const StoredSession& stored : recovery.sessions)
        recovered.emplace(stored.key, &stored.session);
    std::vector<SessionKey> keys;
    HEADWAY_TRY(Statement all, database_.prepare("SELECT key FROM session WHERE name IS NOT NULL"));
    while (true) {
        HEADWAY_TRY(const bool row, all.step());
        if (!row) break;
        keys.push_back(all.integer(0));
    }
    for (std::size_t done = 0; done < keys.size(); ++done) {
        const SessionKey key = keys[done];
        if (progress_) progress_(done, keys.size());
        if (const auto here = recovered.find(key); here != recovered.end()) {
            HEADWAY_CHECK(
                index_.index_session(key, *here->second, here->second->state().last_beat_at));
            continue;
        }
        const auto stored = load(key);
        // An unreadable session is in no list; it was not before either.
        if (!stored && stored.error().code == core::ErrorCode::kStorageCorrupt) continue;
        if (!stored) return stored.error();
        HEADWAY_CHECK(
            index_.index_session(key, stored->session, stored->session.state().last_beat_at));
    }
    return meta_.set("session_index_due", 0);
}

Result<> SqliteStore::ensure_session_index(const Recovery& recovery) {
    HEADWAY_CHECK(begin());
    auto filled = fill_session_index(recovery);
    if (filled) filled = commit();
    if (!filled) rollback();
    return filled;
}

}  // namespace headway::storage

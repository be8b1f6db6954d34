// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_recovery.hpp"

#include <unordered_map>
#include <utility>

#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/codec/codec.hpp"
#include "storage/codec/fold_row.hpp"
#include "storage/files/journal_scan.hpp"

namespace headway::storage {

using core::ErrorCode;
using core::Result;

namespace {

void note_ids(std::span<const core::Event> events, EventIds& ids) {
    for (const core::Event& event : events) {
        if (!event.event_id.empty()) ids.add(event.event_id, event.n);
    }
}

}  // namespace

/// A session during recovery of the rows behind the snapshots.
struct SqliteRecovery::Behind {
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

/// Position up to which the snapshots hold everything; 0 if that is damaged, so that the whole
/// journal is read.
Result<Cursor> SqliteRecovery::snapshot_cursor() {
    HEADWAY_TRY(const Cursor cursor, meta_.get("snapshot_cursor"));
    HEADWAY_TRY(const std::int64_t check, meta_.get("snapshot_check"));
    return check == 0 || check == checksum_number(cursor) ? cursor : 0;
}

Result<Recovery> SqliteRecovery::recover() {
    Recovery recovery;
    recovery.head = journal_.next() - 1;
    HEADWAY_TRY(recovery.snapshots, snapshot_cursor());
    HEADWAY_TRY(Statement tail,
                database_.prepare("SELECT cursor,session,n,prev,events,crc FROM journal WHERE "
                                  "cursor>?1 ORDER BY cursor"));
    std::unordered_map<SessionKey, Behind> found;
    tail.bind(1, recovery.snapshots);
    while (true) {
        HEADWAY_TRY(const bool row, tail.step());
        if (!row) break;
        if (tail.integer(0) >= journal_.next())
            return corrupt("the journal continues behind its end");
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

Result<> SqliteRecovery::begin_behind(SessionKey key, Behind& behind) {
    auto stored = store_.load(key);
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

Result<> SqliteRecovery::fold_behind(const Statement& row, Behind& behind, std::uint64_t& count) {
    StoredSession& stored = *behind.session;
    const auto first = static_cast<std::uint64_t>(row.integer(2));
    if (first <= stored.session.state().n) return {};  // the snapshot is newer than the mark
    HEADWAY_TRY(auto events, decode_events(row.blob(4), first));
    HEADWAY_CHECK(fold_row(stored, first, events));
    note_ids(events, stored.new_ids);
    stored.chain.tail = row.integer(0);
    count += events.size();
    return {};
}

/// True if a row with this `prev` belongs to that session according to its neighbour: the damaged
/// row's own columns prove nothing.
bool SqliteRecovery::follows(SessionKey key, Cursor prev, const Behind& behind) {
    if (prev <= 0) return false;
    if (prev == behind.newest) return true;
    const auto before = journal_.row(prev);
    return before && before->session == key;
}

/// Makes the session end with an unreadable row, so that every load refuses it, even after other
/// snapshots pass that row. With the state of its snapshot it would assign event numbers twice. A
/// repair reads the journal and keeps the sound part.
Result<> SqliteRecovery::point_at(SessionKey key, std::uint64_t n, Cursor damaged) {
    HEADWAY_TRY(Statement point,
                database_.prepare("UPDATE session SET n=?2,tail=?3,crc=NULL WHERE key=?1"));
    return point.bind(1, key).bind(2, static_cast<std::int64_t>(n)).bind(3, damaged).run();
}

/// Fills the index of sessions once after a repair, from what is stored of each session.
Result<> SqliteRecovery::fill_session_index(const Recovery& recovery,
                                            const SqliteStore::Progress& progress) {
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
        if (progress) progress(done, keys.size());
        if (const auto here = recovered.find(key); here != recovered.end()) {
            HEADWAY_CHECK(store_.index().index_session(key, *here->second,
                                                       here->second->state().last_beat_at));
            continue;
        }
        const auto stored = store_.load(key);
        // An unreadable session is in no list; it was not before either.
        if (!stored && stored.error().code == core::ErrorCode::kStorageCorrupt) continue;
        if (!stored) return stored.error();
        HEADWAY_CHECK(store_.index().index_session(key, stored->session,
                                                   stored->session.state().last_beat_at));
    }
    return meta_.set("session_index_due", 0);
}

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/assert.hpp"
#include "core/fold/fold.hpp"
#include "core/state/validity.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/codec/codec.hpp"
#include "storage/files/journal_scan.hpp"
#include "storage/sqlite/sqlite_recovery.hpp"
#include "storage/sqlite/sqlite_store.hpp"

// The read half: recovery, sessions, journals, the stream.

namespace headway::storage {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr std::uint64_t kEventsMax = INT64_MAX / 2;  ///< of one session, far beyond any real one

}  // namespace

Result<Recovery> SqliteStore::recover() {
    SqliteRecovery work{database_, meta_, journal_, *this};
    HEADWAY_TRY(Recovery recovery, work.recover());
    HEADWAY_TRY(const std::int64_t due, meta_.get("session_index_due"));
    if (due == 0) return recovery;
    HEADWAY_CHECK(begin());
    auto filled = work.fill_session_index(recovery, progress_);
    if (filled) filled = commit();
    if (filled) return recovery;
    rollback();
    return filled.error();
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
    if (row.chain.tail < 0 || row.chain.tail >= journal_.next()) {
        return corrupt("the row of session " + std::to_string(key) +
                       " points to a journal row that does not exist");
    }
    if (rows->is_null(5)) return row;  // never saved
    const auto sum = SessionChecksum::from_column(rows->integer(5));
    if (sum.place !=
        place_checksum(key, row.name, rows->integer(1), row.chain.tail, rows->integer(3))) {
        return corrupt("the row of session " + std::to_string(key) +
                       " does not match its checksum");
    }
    row.snapshot_damaged = sum.snapshot != snapshot_checksum(key, rows->integer(1), row.snapshot);
    if (row.snapshot_damaged) row.snapshot.clear();
    return row;
}

Result<StoredSession> SqliteStore::load(SessionKey key) {
    HEADWAY_TRY(SessionRow row, read_session_row(key));
    if (!row.snapshot.empty()) {
        auto state = decode_state(row.snapshot);
        if (state && state->n == row.n && row.n <= kEventsMax && core::is_valid(*state)) {
            core::Session session{std::move(row.name), *std::move(state)};
            return StoredSession{key, std::move(session), row.chain, {}, false};
        }
    }
    // Without a snapshot, or with one of another version or a damaged one, the journal is
    // authoritative.
    StoredSession stored{
        key, core::Session{std::move(row.name)}, row.chain, {}, row.snapshot_damaged};
    HEADWAY_CHECK(journal_.replay(stored));
    if (stored.session.state().n == row.n) return stored;
    return corrupt("session " + stored.session.id() + " was saved at event " +
                   std::to_string(row.n) + ", but its journal ends at " +
                   std::to_string(stored.session.state().n));
}

}  // namespace headway::storage

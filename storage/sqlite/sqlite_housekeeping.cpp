// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/state/validity.hpp"
#include "storage/base/checksum.hpp"
#include "storage/codec/codec.hpp"
#include "storage/sqlite/sqlite_store.hpp"

// Snapshots, retention and checkpoints: bounded steps between the engine's batches.

namespace headway::storage {

using core::Result;

Result<> SqliteStore::save(SessionKey key, const core::Session& session, Chain chain,
                           const EventIds& new_ids) {
    HEADWAY_ASSERT(core::is_valid(session.state()));  // load() checks the same
    HEADWAY_ASSERT(chain.tail >= 0 && chain.tail < journal_.next());
    for (std::size_t place = 0; place < new_ids.size(); ++place) {
        const auto [id, n] = new_ids[place];
        HEADWAY_ASSERT(!id.empty() && n <= session.state().n);
        HEADWAY_CHECK(
            sql_.add_event_id.bind(1, key).bind(2, id).bind(3, static_cast<std::int64_t>(n)).run());
    }
    const core::SessionState& state = session.state();
    const std::string bytes = encode_state(state);
    const auto n = static_cast<std::int64_t>(state.n);
    // Retention counts from there; a recording has an end only when its import is complete.
    const bool past = state.ended() || state.about.recorded;
    const core::Timestamp end = state.ended() ? state.ended_at : state.opened_at;
    const std::int64_t ended_at = past ? end.time_since_epoch().count() : 0;
    const SessionChecksum sum{place_checksum(key, session.id(), n, chain.tail, ended_at),
                              snapshot_checksum(key, n, bytes)};
    sql_.save.bind(1, key).bind(2, n).bind(3, chain.tail);
    if (past) {
        sql_.save.bind(4, ended_at);
    } else {
        sql_.save.bind_null(4);
    }
    return sql_.save.bind_blob(5, bytes).bind(6, sum.column()).run();
}

Result<> SqliteStore::set_snapshot_cursor(Cursor cursor) {
    HEADWAY_CHECK(meta_.set("snapshot_cursor", cursor));
    return meta_.set("snapshot_check", checksum_number(cursor));
}

Result<Deletion> SqliteStore::delete_some(core::Timestamp cutoff) {
    HEADWAY_CHECK(begin());
    auto step = retention_.step(cutoff);
    HEADWAY_ASSERT(!step || step->doomed.has_value() || step->doomed_id.empty());
    if (step) {
        if (auto done = commit(); !done) step = std::move(done).error();
    }
    if (step) return step;
    rollback();
    retention_.restart_walk();
    return step;
}

Result<> SqliteStore::checkpoint(int pages) {
    if (log_.waiting < pages || sync_failed_) return {};
    int in_wal = 0;
    int moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_PASSIVE,
                                               &in_wal, &moved);
    if (code != SQLITE_OK) return watch_sync(sqlite_error(database_.get(), "checkpoint"));
    log_.waiting = std::max(in_wal - moved, 0);
    return {};
}

std::uint64_t SqliteStore::reusable_bytes() {
    Rows rows{sql_.free_pages};
    const auto row = rows.next();
    if (!row || !*row) return 0;
    return static_cast<std::uint64_t>(rows->integer(0) * page_bytes_);
}

}  // namespace headway::storage

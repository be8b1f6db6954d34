// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_retention.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/generations.hpp"
#include "storage/codec/codec.hpp"

namespace headway::storage {

static_assert(core::limits::kRetentionRowsPerStep > 0, "each step comes nearer to the end");

using core::Result;

namespace {

/// Ends with whether no later generation keeps the session.
constexpr const char* kDue = "SELECT key,name,n,tail,ended_at,crc,";

/// Key of the row in `meta` for each session that is to be forgotten; its key follows.
constexpr std::string_view kForget = "forget:";
constexpr std::string_view kForgetEnd = "forget;";  ///< behind all of them

std::string forget_name(SessionKey key) {
    return std::string{kForget} + std::to_string(key);
}

}  // namespace

Result<> SqliteRetention::forget(SessionKey key) {
    return meta_.set(forget_name(key), 1);
}

Result<bool> SqliteRetention::forgets_any() {
    HEADWAY_TRY(Statement any,
                database_.prepare("SELECT 1 FROM meta WHERE name>=?1 AND name<?2 LIMIT 1"));
    return any.bind(1, kForget).bind(2, kForgetEnd).step();
}

Result<Deletion> SqliteRetention::step(core::Timestamp cutoff) {
    Deletion step;
    HEADWAY_TRY(const bool forgets, forgets_any());
    // Retention leaves old bytes in pages that become free, which is cheaper.
    HEADWAY_CHECK(
        database_.execute(forgets ? "PRAGMA secure_delete=ON" : "PRAGMA secure_delete=FAST"));
    HEADWAY_TRY(step.more, delete_rows());
    if (step.more) return step;
    if (forgets) HEADWAY_CHECK(doom_forgotten(step));
    if (step.more) return step;
    HEADWAY_CHECK(doom_one(cutoff, step));
    if (step.more) return step;
    HEADWAY_TRY(step.more, forget_keys(cutoff));
    if (step.more) return step;
    HEADWAY_TRY(step.more, history_.forget_uses(cutoff));
    return step;
}

/// Dooms the next session that is due, in a walk that looks at a bounded number of them in each
/// step.
Result<> SqliteRetention::doom_one(core::Timestamp cutoff, Deletion& step) {
    if (!walk_.before.empty()) {
        HEADWAY_TRY(Statement due,
                    database_.prepare(std::string{kDue} + kIsNewestGeneration +
                                      " FROM session WHERE ended_at<?1 AND name=?2"));
        const std::string name = std::exchange(walk_.before, {});
        HEADWAY_TRY(const bool found, due.bind(1, cutoff).bind(2, name).step());
        if (found && due.integer(6) != 0) return doom_due(due, step);
    }
    HEADWAY_TRY(Statement due,
                database_.prepare(std::string{kDue} + kIsNewestGeneration +
                                  " FROM session WHERE ended_at<?1 AND name IS NOT NULL AND "
                                  "(ended_at,key)>(?2,?3) ORDER BY ended_at,key LIMIT ?4"));
    due.bind(1, cutoff)
        .bind(2, walk_.ended_at)
        .bind(3, walk_.key)
        .bind(4, static_cast<std::int64_t>(RetentionWalk::kLooksPerStep));
    for (std::size_t looks = 0;; ++looks) {
        HEADWAY_TRY(const bool found, due.step());
        step.more = looks == RetentionWalk::kLooksPerStep;
        if (!found && !step.more) walk_ = {};
        if (!found) return {};
        walk_.ended_at = due.integer(4);
        walk_.key = due.integer(0);
        if (due.integer(6) != 0) return doom_due(due, step);
    }
}

/// Removes the name of this session: it is unknown from here on, and its rows are deleted step by
/// step. A session with a damaged row is kept: its end may be part of the damage.
Result<> SqliteRetention::doom_due(Statement& due, Deletion& step) {
    step.more = true;
    const SessionKey key = due.integer(0);
    std::string id{due.text(1)};
    const bool sound = due.is_null(5) ||
                       SessionChecksum::from_column(due.integer(5)).place ==
                           place_checksum(key, id, due.integer(2), due.integer(3), due.integer(4));
    due.reset();
    if (!sound) {
        HEADWAY_TRY(Statement keep,
                    database_.prepare("UPDATE session SET ended_at=NULL WHERE key=?1"));
        return keep.bind(1, key).run();
    }
    walk_.before = generation_before(id);
    return doom(key, std::move(id), step);
}

/// The next session that is to be forgotten, damaged or not.
Result<> SqliteRetention::doom_forgotten(Deletion& step) {
    HEADWAY_TRY(Statement next,
                database_.prepare("SELECT s.key,s.name FROM meta m JOIN session s ON "
                                  "s.key=CAST(substr(m.name,?3) AS INTEGER) "
                                  "WHERE m.name>=?1 AND m.name<?2 AND s.name IS NOT NULL LIMIT 1"));
    next.bind(1, kForget)
        .bind(2, kForgetEnd)
        .bind(3, static_cast<std::int64_t>(kForget.size() + 1));
    HEADWAY_TRY(step.more, next.step());
    if (!step.more) return {};
    const SessionKey key = next.integer(0);
    std::string id{next.text(1)};
    next.reset();
    return doom(key, std::move(id), step);
}

/// All its events count as deleted from here on: streams leave them out at once. A recording that
/// was not completed has no end; delete_rows() finds a session by its end.
Result<> SqliteRetention::doom(SessionKey key, std::string id, Deletion& step) {
    step.doomed = key;
    step.doomed_id = std::move(id);
    HEADWAY_TRY(const Cursor tail, database_.query_integer("SELECT tail FROM session WHERE key=" +
                                                           std::to_string(key)));
    const auto last = journal_.row(tail);
    if (!last && last.error().code != core::ErrorCode::kStorageCorrupt) return last.error();
    if (last && last->session == key) {
        const auto count = count_events(last->events);
        HEADWAY_CHECK(note_deleted(tail + (count ? static_cast<Cursor>(*count) : 1) - 1));
    }
    HEADWAY_TRY(Statement unlist, database_.prepare("DELETE FROM session_index WHERE session=?1"));
    HEADWAY_CHECK(unlist.bind(1, key).run());
    HEADWAY_TRY(Statement doom,
                database_.prepare("UPDATE session SET name=NULL,"
                                  "ended_at=coalesce(ended_at,opened_at) WHERE key=?1"));
    return doom.bind(1, key).run();
}

/// Idempotency keys live as long as ended sessions.
Result<bool> SqliteRetention::forget_keys(core::Timestamp cutoff) {
    HEADWAY_TRY(Statement some, database_.prepare("DELETE FROM idempotency WHERE key IN (SELECT "
                                                  "key FROM idempotency WHERE at<?1 LIMIT ?2)"));
    HEADWAY_CHECK(some.bind(1, cutoff)
                      .bind(2, static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep))
                      .run());
    HEADWAY_TRY(const std::int64_t forgotten, database_.changes());
    return forgotten > 0;
}

/// Walks the chain of a nameless session backwards and deletes; its `tail` stores the position.
Result<bool> SqliteRetention::delete_rows() {
    HEADWAY_TRY(Statement next, database_.prepare("SELECT key,tail FROM session WHERE ended_at IS "
                                                  "NOT NULL AND name IS NULL LIMIT 1"));
    HEADWAY_TRY(const bool found, next.step());
    if (!found) return false;
    const SessionKey doomed = next.integer(0);
    Cursor tail = next.integer(1);
    next.reset();
    if (tail == 0) return delete_side_rows(doomed);

    HEADWAY_TRY(Statement drop, database_.prepare("DELETE FROM journal WHERE cursor=?1"));
    Cursor deleted = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < core::limits::kRetentionRowsPerStep && tail != 0 &&
                            bytes < core::limits::kRetentionBytesPerStep;
         ++i) {
        const auto row = journal_.row(tail);
        if (!row && row.error().code != core::ErrorCode::kStorageCorrupt) return row.error();
        const auto count = row ? count_events(row->events) : row.error();
        // A damaged row, or one of another session, ends the walk: the rest of the chain stays as
        // an orphan.
        if (!count || row->session != doomed) {
            tail = 0;
            break;
        }
        HEADWAY_ASSERT(row->prev < tail);
        bytes += row->events.size();
        HEADWAY_CHECK(drop.bind(1, tail).run());
        deleted = std::max(deleted, tail + static_cast<Cursor>(*count) - 1);
        tail = row->prev;
    }
    HEADWAY_TRY(Statement shorten, database_.prepare("UPDATE session SET tail=?2 WHERE key=?1"));
    HEADWAY_CHECK(shorten.bind(1, doomed).bind(2, tail).run());
    HEADWAY_CHECK(note_deleted(deleted));
    return true;
}

Result<> SqliteRetention::note_deleted(Cursor through) {
    HEADWAY_TRY(const Cursor before, meta_.get("deleted_through"));
    if (through > before) HEADWAY_CHECK(meta_.set("deleted_through", through));
    journal_.forget_through(std::max(before, through));
    return {};
}

/// After the journal: deletes the session's other rows, and the session itself last.
Result<bool> SqliteRetention::delete_side_rows(SessionKey doomed) {
    constexpr const char* kSteps[] = {
        "DELETE FROM event_id WHERE session=?1 AND id IN "
        "(SELECT id FROM event_id WHERE session=?1 LIMIT ?2)",
        "DELETE FROM mark WHERE session=?1 AND n IN "
        "(SELECT n FROM mark WHERE session=?1 LIMIT ?2)",
        "DELETE FROM approval WHERE session=?1 AND n IN "
        "(SELECT n FROM approval WHERE session=?1 LIMIT ?2)",
        "DELETE FROM inbox WHERE session=?1 AND id IN "
        "(SELECT id FROM inbox WHERE session=?1 LIMIT ?2)",
        "DELETE FROM judge_check WHERE id IN "
        "(SELECT id FROM judge_check WHERE session=?1 LIMIT ?2)",
        "DELETE FROM estimate WHERE session=?1 AND n IN "
        "(SELECT n FROM estimate WHERE session=?1 LIMIT ?2)",
    };
    for (const char* sql : kSteps) {
        HEADWAY_TRY(Statement some, database_.prepare(sql));
        HEADWAY_CHECK(some.bind(1, doomed)
                          .bind(2, static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep))
                          .run());
        HEADWAY_TRY(const std::int64_t deleted, database_.changes());
        if (deleted > 0) return true;
    }
    HEADWAY_TRY(Statement last, database_.prepare("DELETE FROM session WHERE key=?1"));
    HEADWAY_CHECK(last.bind(1, doomed).run());
    HEADWAY_TRY(Statement done, database_.prepare("DELETE FROM meta WHERE name=?1"));
    const std::string mark = forget_name(doomed);
    HEADWAY_CHECK(done.bind(1, mark).run());
    return true;
}

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_store.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/base/checksum.hpp"
#include "storage/codec/codec.hpp"
#include "storage/files/wal.hpp"
#include "storage/sqlite/schema.hpp"

// Opening, and the write half: the path of a committed batch.

namespace headway::storage {
namespace {

using core::Error;
using core::Result;

// Reasons: storage/README.md, "SQLite settings".
constexpr const char* kPragmas =
    "PRAGMA page_size=8192;"
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=0;"
    "PRAGMA journal_size_limit=67108864;"
    "PRAGMA mmap_size=0;"
    "PRAGMA cache_size=-8192;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA secure_delete=FAST;"
    "PRAGMA foreign_keys=OFF;";

template <class LogPages>
int count_wal_pages(void* pages, sqlite3*, const char*, int in_wal) {
    auto* log = static_cast<LogPages*>(pages);
    log->waiting = in_wal;
    log->length = in_wal;
    return SQLITE_OK;
}

/// The log stays as it is on close.
void keep_log(const Database& database) {
    sqlite3_db_config(database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

/// The log may have been read from kernel memory that never reached the disk: the previous process
/// may have stopped after a failed sync. New transactions behind it would be lost with it. So the
/// whole log goes into the database first, where it is synced.
Result<> empty_log(const Database& database) {
    const int code = sqlite3_wal_checkpoint_v2(database.get(), "main", SQLITE_CHECKPOINT_TRUNCATE,
                                               nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    Error error = sqlite_error(database.get(), "checkpoint");
    if (error.code == core::ErrorCode::kStorageSyncFailed) keep_log(database);
    // A full disk can still be read from, and retention may free it.
    if (error.code == core::ErrorCode::kStorageFull) return {};
    return error;
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file,
                                                       const std::string& vfs) {
    HEADWAY_TRY(Database database, Database::open(file.string(), vfs));
    if (auto done = database.execute(kPragmas); !done)
        return opening_error(database, file.string(), std::move(done).error());
    HEADWAY_CHECK(prepare_schema(database));
    std::unique_ptr<SqliteStore> store{new SqliteStore{std::move(database)}};
    sqlite3_wal_hook(store->database_.get(), count_wal_pages<LogPages>, &store->log_);
    HEADWAY_CHECK(empty_log(store->database_));
    HEADWAY_CHECK(store->prepare());
    if (vfs.empty()) store->files_ = FileWatch{file};
    // The pages that the opening has read: half of the heap of a fresh daemon.
    sqlite3_db_release_memory(store->database_.get());
    return store;
}

/// After a failed sync nothing is written, not even the log into the database on close: that would
/// succeed, and discard the only copy of the lost data.
Result<> SqliteStore::watch_sync(Result<> done) {
    if (done || done.error().code != core::ErrorCode::kStorageSyncFailed) return done;
    sync_failed_ = true;
    keep_log(database_);
    return done;
}

Result<> SqliteStore::prepare() {
    const std::pair<Statement*, const char*> all[] = {
        {&sql_.begin, "BEGIN IMMEDIATE"},
        {&sql_.commit, "COMMIT"},
        {&sql_.rollback, "ROLLBACK"},
        {&sql_.find, "SELECT key FROM session WHERE name=?1"},
        {&sql_.create, "INSERT INTO session(name,opened_at) VALUES(?1,?2)"},
        {&sql_.find_event_id, "SELECT n FROM event_id WHERE session=?1 AND id=?2"},
        {&sql_.add_event_id, "INSERT OR IGNORE INTO event_id(session,id,n) VALUES(?1,?2,?3)"},
        {&sql_.load,
         "SELECT name,n,tail,ifnull(ended_at,0),state,crc FROM session WHERE key=?1 AND name IS "
         "NOT "
         "NULL"},
        {&sql_.save, "UPDATE session SET n=?2,tail=?3,ended_at=?4,state=?5,crc=?6 WHERE key=?1"},
        {&sql_.free_pages, "PRAGMA freelist_count"},
    };
    HEADWAY_TRY(page_bytes_, database_.query_integer("PRAGMA page_size"));
    for (const auto& [statement, text] : all) {
        HEADWAY_TRY(*statement, database_.prepare(text));
    }
    HEADWAY_CHECK(meta_.prepare());
    HEADWAY_CHECK(journal_.prepare());
    HEADWAY_CHECK(index_.prepare());
    HEADWAY_CHECK(inbox_.prepare());
    HEADWAY_CHECK(idempotency_.prepare());
    HEADWAY_CHECK(expectations_.prepare());
    return history_.prepare();
}

Result<> SqliteStore::begin() {
    journal_.begin();
    if (sync_failed_) {
        return Error{core::ErrorCode::kStorageSyncFailed, "the disk failed to sync before", {}};
    }
    if (misplaced_) HEADWAY_CHECK(look_at_files());
    HEADWAY_CHECK(sql_.begin.run());
    HEADWAY_ASSERT(database_.in_transaction());
    return {};
}

Result<> SqliteStore::commit() {
    HEADWAY_CHECK(watch_sync(sql_.commit.run()));
    HEADWAY_ASSERT(!database_.in_transaction());
    journal_.commit();
    return look_at_files();
}

Result<> SqliteStore::look_at_files() {
    HEADWAY_ASSERT(log_.length >= 0 && page_bytes_ > 0);
    const std::int64_t log_bytes =
        log_.length == 0 ? 0
                         : std::int64_t{wal::kHeaderBytes} +
                               log_.length * (page_bytes_ + std::int64_t{wal::kFrameHeaderBytes});
    auto found = files_.look(static_cast<std::uint64_t>(log_bytes));
    const bool misplaced = found != FileWatch::Found::kSound;
    if (!misplaced && !misplaced_) return {};
    if (found == FileWatch::Found::kLogGone) {
        (void)checkpoint(1);
        // Deleting the whole folder deletes one file after the other: by now the database may be
        // gone too, and then this process has the only copy and must not end.
        const auto now = files_.look(static_cast<std::uint64_t>(log_bytes));
        if (now == FileWatch::Found::kMoved) found = now;
    }
    // The log must stay in place on close: it may be the only copy.
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                      misplaced || sync_failed_ ? 1 : 0, nullptr);
    misplaced_ = misplaced;
    if (!misplaced) return {};
    if (found == FileWatch::Found::kMoved)
        return Error{core::ErrorCode::kStorageUnavailable, files_.explain(found), {}};
    return watch_sync(Error{core::ErrorCode::kStorageSyncFailed, files_.explain(found), {}});
}

void SqliteStore::rollback() {
    journal_.rollback();
    // After some errors SQLite has already rolled back, with the same result.
    if (database_.in_transaction()) (void)sql_.rollback.run();
    // It may have begun the log from the start again: where its last frame is tells the next
    // commit.
    if (!misplaced_) log_.length = 0;
}

Result<std::optional<SessionKey>> SqliteStore::find(std::string_view id) {
    Rows rows{sql_.find.bind(1, id)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found) return std::optional<SessionKey>{};
    return std::optional{SessionKey{rows->integer(0)}};
}

Result<SessionKey> SqliteStore::create(std::string_view id, core::Timestamp now) {
    HEADWAY_CHECK(sql_.create.bind(1, id).bind(2, now).run());
    return database_.last_insert_rowid();
}

Result<std::optional<std::uint64_t>> SqliteStore::find_event_id(SessionKey key,
                                                                std::string_view id) {
    Rows rows{sql_.find_event_id.bind(1, key).bind(2, id)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found) return std::optional<std::uint64_t>{};
    return std::optional{static_cast<std::uint64_t>(rows->integer(0))};
}

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_copy.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/assert.hpp"
#include "storage/base/checksum.hpp"
#include "storage/codec/codec.hpp"
#include "storage/files/journal_scan.hpp"
#include "storage/sqlite/schema.hpp"

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error failed(std::string detail) {
    return {ErrorCode::kBackupFailed, std::move(detail), {}};
}

Error corrupt(const std::filesystem::path& file, const std::string& what) {
    return {ErrorCode::kStorageCorrupt, file.string() + ": " + what, {}};
}

/// All of SQLite's own checks.
Result<> check_integrity(Database& database, const std::filesystem::path& file) {
    HEADWAY_TRY(Statement check, database.prepare("PRAGMA integrity_check(3)"));
    std::string found;
    while (true) {
        HEADWAY_TRY(const bool row, check.step());
        if (!row) break;
        if (check.text(0) == "ok") return {};
        found += (found.empty() ? "" : "; ") + std::string{check.text(0)};
    }
    return corrupt(file, found.empty() ? "nothing can be checked" : found);
}

/// Checks that every row can be decoded, and that rows do not overlap.
Result<> count_journal(Database& database, const std::filesystem::path& file,
                       DatabaseCounts& counts) {
    HEADWAY_TRY(Statement rows,
                database.prepare("SELECT cursor,session,n,prev,events,crc FROM journal "
                                 "ORDER BY cursor"));
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) return {};
        const std::int64_t cursor = rows.integer(0);
        HEADWAY_CHECK(check_row(rows));
        const auto events =
            decode_events(rows.blob(4), static_cast<std::uint64_t>(rows.integer(2)));
        if (!events || cursor <= counts.head) {
            return corrupt(file, "journal row " + std::to_string(cursor) + " cannot be read");
        }
        HEADWAY_ASSERT(!events->empty());
        counts.events += events->size();
        counts.head = cursor + static_cast<std::int64_t>(events->size()) - 1;
    }
}

Result<> sync_descriptor(const std::filesystem::path& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd < 0) {
        return Error{ErrorCode::kStorageUnavailable,
                     path.string() + ": " + std::generic_category().message(errno),
                     {}};
    }
    const int failed = ::fsync(fd) == 0 ? 0 : errno;
    ::close(fd);
    if (failed == 0) return {};
    return Error{ErrorCode::kStorageSyncFailed,
                 "sync of " + path.string() + ": " + std::generic_category().message(failed),
                 {}};
}

/// Counts the rows of sessions, and those that are damaged: the daemon serves all others. The
/// journal takes the place of a damaged snapshot; without its place in the journal a session cannot
/// be read.
Result<> count_sessions(Database& database, DatabaseCounts& counts) {
    HEADWAY_TRY(Statement rows,
                database.prepare("SELECT key,name,n,tail,ended_at,state,crc FROM session "
                                 "WHERE name IS NOT NULL"));
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) return {};
        ++counts.sessions;
        if (rows.is_null(6)) continue;  // never saved
        const std::int64_t key = rows.integer(0);
        const auto sum = SessionChecksum::from_column(rows.integer(6));
        const auto place =
            place_checksum(key, rows.text(1), rows.integer(2), rows.integer(3), rows.integer(4));
        if (sum.place != place) {
            ++counts.damaged_sessions;
        } else if (sum.snapshot != snapshot_checksum(key, rows.integer(2), rows.blob(5))) {
            ++counts.damaged_snapshots;
        }
    }
}

/// Everything that verify_database() looks at behind the header.
Result<> check_all(Database& database, const std::filesystem::path& file, DatabaseCounts& counts) {
    HEADWAY_CHECK(check_integrity(database, file));
    HEADWAY_CHECK(count_journal(database, file, counts));
    return count_sessions(database, counts);
}

}  // namespace

void DatabaseCopy::Finish::operator()(sqlite3_backup* copy) const {
    sqlite3_backup_finish(copy);
}

Result<DatabaseCopy> DatabaseCopy::start(Database& from, const std::filesystem::path& file,
                                         const std::string& vfs) {
    DatabaseCopy copy;
    auto target = Database::open(file.string(), vfs);
    if (!target) return failed(target.error().detail);
    copy.target_ = *std::move(target);
    // The copy is synced once, at the end; before that it is useless anyway.
    auto set = copy.target_.execute("PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF");
    if (!set) return failed(set.error().detail);
    copy.copy_.reset(sqlite3_backup_init(copy.target_.get(), "main", from.get(), "main"));
    if (!copy.copy_) return failed(sqlite_error(copy.target_.get(), "backup").detail);
    return copy;
}

Result<BackupStep> DatabaseCopy::step(int pages) {
    HEADWAY_ASSERT(copy_ != nullptr && pages != 0);
    const int code = sqlite3_backup_step(copy_.get(), pages);
    BackupStep step;
    step.done = code == SQLITE_DONE;
    step.pages = static_cast<std::uint64_t>(sqlite3_backup_pagecount(copy_.get()));
    step.pages_left = static_cast<std::uint64_t>(sqlite3_backup_remaining(copy_.get()));
    if (code == SQLITE_OK) return step;
    const int finished = sqlite3_backup_finish(copy_.release());
    if (step.done && finished == SQLITE_OK) {
        target_ = Database{};
        return step;
    }
    return failed("cannot write the copy: " +
                  std::string{sqlite3_errstr(finished == SQLITE_OK ? code : finished)});
}

Result<DatabaseCounts> verify_database(const std::filesystem::path& file) {
    DatabaseCounts counts;
    std::error_code ec;
    counts.bytes = std::filesystem::file_size(file, ec);
    if (ec) return Error{ErrorCode::kStorageUnavailable, file.string() + ": " + ec.message(), {}};
    HEADWAY_TRY(Database database, Database::open_untouched(file.string()));
    auto asked = database.query_integer("PRAGMA application_id");
    if (!asked) return opening_error(database, file.string(), std::move(asked).error());
    if (*asked != kApplicationId) return corrupt(file, "it is not a database of Headway");
    HEADWAY_TRY(const std::int64_t schema, database.query_integer("PRAGMA user_version"));
    if (schema != kSchemaVersion) {
        return Error{ErrorCode::kStorageTooNew,
                     file.string() + " was written by another Headway (schema " +
                         std::to_string(schema) + ")",
                     {}};
    }
    counts.schema = static_cast<int>(schema);
    auto sound = check_no_programs(database);
    if (sound) sound = check_all(database, file, counts);
    if (sound) return counts;
    Error error = std::move(sound).error();
    if (error.detail.find(file.string()) == std::string::npos)
        error.detail = file.string() + ": " + error.detail;
    return error;
}

Result<> sync_file(const std::filesystem::path& file) {
    HEADWAY_CHECK(sync_descriptor(file, O_RDONLY));
    const auto folder = file.parent_path();
    return sync_descriptor(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

Result<> SqliteBackups::start_backup(const std::filesystem::path& file) {
    if (copy_) return Error{ErrorCode::kBackupRunning, "a backup is being made already", {}};
    HEADWAY_TRY(copy_, DatabaseCopy::start(database_, file));
    return {};
}

Result<BackupStep> SqliteBackups::step_backup(int pages) {
    if (!copy_) return failed("no backup was started");
    auto step = copy_->step(pages);
    if (!step || step->done) copy_.reset();
    return step;
}

}  // namespace headway::storage

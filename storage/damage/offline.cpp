// SPDX-License-Identifier: Apache-2.0
#include "storage/damage/offline.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "storage/files/database_files.hpp"
#include "storage/files/database_lock.hpp"
#include "storage/sql/sqlite_handle.hpp"

namespace headway::storage {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

/// True if the file is the leftover of an interrupted backup: SQLite locks a copy while it writes
/// it, and a finished one has another name.
bool is_left_behind(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat file {};
    const bool ours =
        ::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const bool free = ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
    ::close(fd);
    return ours && free;
}

/// A new machine has no state directory yet.
Result<> make_folder_of(const fs::path& database) {
    const fs::path folder = database.parent_path();
    std::error_code ec;
    if (folder.empty() || fs::exists(folder, ec)) return {};
    if (fs::create_directories(folder, ec); ec) {
        return Error{ErrorCode::kStorageUnavailable,
                     "cannot make the folder " + folder.string() + ": " + ec.message(),
                     {}};
    }
    return {};
}

/// Exclusive, like the daemon.
Result<Database> open_alone(const fs::path& file) {
    std::error_code ec;
    if (!fs::exists(file, ec)) {
        return Error{ErrorCode::kStorageUnavailable, "there is no " + file.string(), {}};
    }
    HEADWAY_TRY(Database database, Database::open(file.string()));
    auto alone = database.execute("PRAGMA locking_mode=EXCLUSIVE");
    if (alone) alone = database.execute("BEGIN IMMEDIATE;COMMIT");
    if (alone) return database;
    return opening_error(database, file.string(), std::move(alone).error());
}

}  // namespace

Result<std::optional<LogDamage>> copy_offline(const fs::path& database, const fs::path& file) {
    HEADWAY_TRY(auto damage, keep_log_if_damaged(database));
    HEADWAY_TRY(Database from, open_alone(database));
    HEADWAY_CHECK(make_private(file));
    auto done = [&]() -> Result<> {
        HEADWAY_TRY(DatabaseCopy copy, DatabaseCopy::start(from, file));
        HEADWAY_CHECK(copy.step(-1));
        return {};
    }();
    if (done) return damage;
    remove_database(file);
    return std::move(done).error();
}

Result<Restored> restore_database(const fs::path& backup, const fs::path& database) {
    std::error_code ec;
    const auto log_bytes = fs::file_size(backup.string() + "-wal", ec);
    if (!ec && log_bytes > 0) {
        return Error{ErrorCode::kStorageCorrupt,
                     backup.string() +
                         " has a log beside it: it is a database in use or a copy of "
                         "one, not a backup",
                     {}};
    }
    HEADWAY_CHECK(verify_database(backup));
    HEADWAY_CHECK(make_folder_of(database));
    HEADWAY_TRY(const DatabaseLock lock, DatabaseLock::take(database));
    Restored restored;
    const fs::path copy = unused_name(database, ".restoring-");
    HEADWAY_CHECK(copy_database(backup, copy));
    fs::remove(copy.string() + "-wal", ec);  // an empty one may lie beside a backup
    auto done = sync_file(copy);
    if (done) {
        auto counts = verify_database(copy);
        if (counts) restored.counts = *counts;
        if (!counts) done = std::move(counts).error();
    }
    if (done) {
        const fs::path aside = unused_name(database, ".replaced-");
        if (fs::exists(database, ec)) restored.replaced = aside;
        done = replace_database(copy, database, aside);
    }
    if (done) done = sync_file(database);
    if (done) return restored;
    remove_database(copy);
    return std::move(done).error();
}

void remove_left_copy(const std::filesystem::path& file) {
    if (is_left_behind(file)) ::unlink(file.c_str());
}

}  // namespace headway::storage

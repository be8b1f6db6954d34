// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "storage/sql/sqlite_handle.hpp"
#include "storage/tables/backup.hpp"

struct sqlite3_backup;

namespace headway::storage {

/// A page-by-page copy of an open database into a file. Writes that the database's connection makes
/// meanwhile also go into the copy. The database must outlive the copy. One thread.
class DatabaseCopy {
public:
    /// `file` must be empty or missing. Error: kBackupFailed.
    static core::Result<DatabaseCopy> start(Database& from, const std::filesystem::path& file,
                                            const std::string& vfs = {});
    /// Copies `pages` pages, or all if negative. After the last step the file is complete and
    /// closed; sync_file() makes it durable. Error: kBackupFailed.
    core::Result<BackupStep> step(int pages);

private:
    struct Finish {
        void operator()(sqlite3_backup* copy) const;
    };
    Database target_;
    std::unique_ptr<sqlite3_backup, Finish> copy_;  ///< destroyed before its target
};

/// The BackupSource of a SQLite store. The database must outlive this object.
class SqliteBackups final : public BackupSource {
public:
    explicit SqliteBackups(Database& database) : database_(database) {}

    core::Result<> start_backup(const std::filesystem::path& file) override;
    core::Result<BackupStep> step_backup(int pages) override;
    void abandon_backup() override { copy_.reset(); }

private:
    Database& database_;
    std::optional<DatabaseCopy> copy_;  ///< the current backup
};

/// The contents of a database.
struct DatabaseCounts {
    int schema = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    std::int64_t head = 0;  ///< cursor of the last event
    std::uint64_t bytes = 0;
    /// Number of damaged snapshots. Their sessions are read from the journal instead.
    std::uint64_t damaged_snapshots = 0;
    std::uint64_t damaged_sessions = 0;  ///< number of sessions that cannot be read at all
};

/// Checks every page, index, journal row and session of a closed database, and returns the counts.
/// Does not change the database. Errors: kStorageCorrupt, with the finding; kStorageTooNew;
/// kStorageUnavailable. Any thread.
core::Result<DatabaseCounts> verify_database(const std::filesystem::path& file);

/// Blocks until the file and its directory entry are on disk. Errors: kStorageSyncFailed,
/// kStorageUnavailable. Any thread.
core::Result<> sync_file(const std::filesystem::path& file);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "storage/backup.hpp"
#include "storage/sqlite_handle.hpp"

struct sqlite3_backup;

namespace headway::storage {

/// A copy of an open database into a file, page by page. What its connection writes meanwhile goes
/// into the copy too. The database must outlive it. One thread.
class DatabaseCopy {
public:
    /// `file` is empty or not there. Error: kBackupFailed.
    static core::Result<DatabaseCopy> start(Database& from, const std::filesystem::path& file,
                                            const std::string& vfs = {});
    /// Copies so many pages, all of them when it is negative. When it is done the file is complete
    /// and closed; whether it is on disk is up to sync_file(). Error: kBackupFailed.
    core::Result<BackupStep> step(int pages);

private:
    struct Finish {
        void operator()(sqlite3_backup* copy) const;
    };
    Database target_;
    std::unique_ptr<sqlite3_backup, Finish> copy_;  ///< goes before its target
};

/// What a database holds.
struct DatabaseCounts {
    int schema = 0;
    std::uint64_t sessions = 0;
    std::uint64_t events = 0;
    std::int64_t head = 0;  ///< cursor of the last event
    std::uint64_t bytes = 0;
};

/// Checks every page, index and journal row of a database that nobody has open, and counts. Leaves
/// it untouched. Errors: kStorageCorrupt with what is wrong, kStorageTooNew, kStorageUnavailable.
/// Any thread.
core::Result<DatabaseCounts> verify_database(const std::filesystem::path& file);

/// Returns when the file and its entry in its folder are on disk. Errors: kStorageSyncFailed,
/// kStorageUnavailable. Any thread.
core::Result<> sync_file(const std::filesystem::path& file);

}  // namespace headway::storage

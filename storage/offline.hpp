// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.hpp"
#include "storage/sqlite_copy.hpp"

// Backups of a database that no daemon uses. Each waits for the disk.

namespace headway::storage {

/// Copies the database, with what is in its log, to a file that it makes; checks of it are up to
/// the caller. Errors: kFileExists; kStorageUnavailable where a daemon runs; kBackupFailed.
core::Result<> copy_offline(const std::filesystem::path& database,
                            const std::filesystem::path& file);

/// What restore_database() did.
struct Restored {
    DatabaseCounts counts;
    std::filesystem::path replaced;  ///< where the database lies that was there, or empty
};

/// Checks a backup and puts a copy of it in the place of the database, which is kept beside it.
/// Errors: kStorageCorrupt or kStorageTooNew for the backup, kStorageUnavailable where a daemon
/// runs, kStorageFull; the database is as before then.
core::Result<Restored> restore_database(const std::filesystem::path& backup,
                                        const std::filesystem::path& database);

/// Deletes what is left of a copy whose maker died: a regular file of our own user that nobody has
/// locked, as SQLite locks a copy for as long as it writes it. Leaves everything else alone.
void remove_left_copy(const std::filesystem::path& file);

}  // namespace headway::storage

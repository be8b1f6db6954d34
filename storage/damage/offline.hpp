// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.hpp"
#include "storage/sqlite/sqlite_copy.hpp"

// Backups of a database without a running daemon. Blocking.

namespace headway::storage {

/// Copies the database and its WAL into a new file, which the caller verifies. Errors: kFileExists;
/// kStorageUnavailable while a daemon runs; kBackupFailed.
core::Result<> copy_offline(const std::filesystem::path& database,
                            const std::filesystem::path& file);

/// Result of restore_database().
struct Restored {
    DatabaseCounts counts;
    std::filesystem::path replaced;  ///< new place of the replaced database, or empty
};

/// Verifies a backup and replaces the database with a copy of the backup; the old database is kept
/// in the same folder. Errors, which leave the database unchanged: kStorageCorrupt or
/// kStorageTooNew for the backup, kStorageUnavailable while a daemon runs, kStorageFull.
core::Result<Restored> restore_database(const std::filesystem::path& backup,
                                        const std::filesystem::path& database);

/// Deletes the leftover of an interrupted copy: a regular file of this user that is not locked,
/// because SQLite locks a copy while writing. Touches nothing else.
void remove_left_copy(const std::filesystem::path& file);

}  // namespace headway::storage

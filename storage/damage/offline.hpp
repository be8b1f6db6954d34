// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.hpp"
#include "storage/sqlite/sqlite_copy.hpp"

// Backups of a database without a running daemon. Blocking.

namespace headway::storage {

/// Copies the database and its log into a new file; the caller verifies it. Errors: kFileExists;
/// kStorageUnavailable while a daemon runs; kBackupFailed.
core::Result<> copy_offline(const std::filesystem::path& database,
                            const std::filesystem::path& file);

/// Result of restore_database().
struct Restored {
    DatabaseCounts counts;
    std::filesystem::path replaced;  ///< new place of the replaced database, or empty
};

/// Verifies a backup and puts a copy of it in place of the database, which is kept beside it.
/// Errors: kStorageCorrupt or kStorageTooNew for the backup, kStorageUnavailable while a daemon
/// runs, kStorageFull; then the database is unchanged.
core::Result<Restored> restore_database(const std::filesystem::path& backup,
                                        const std::filesystem::path& database);

/// Deletes the leftover of an interrupted copy: a regular file of our own user that is not locked,
/// because SQLite locks a copy while it writes it. Touches nothing else.
void remove_left_copy(const std::filesystem::path& file);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "storage/files/log_check.hpp"
#include "storage/sqlite/sqlite_copy.hpp"

// Backups and their restoration, for a database that no daemon uses. Blocking.

namespace headway::storage {

/// Copies the database and its WAL into a new file, which the caller verifies. Returns the WAL's
/// damage; the copy has the WAL's sound part, and SQLite discards the rest. Errors: kFileExists;
/// kStorageUnavailable while a daemon runs; kBackupFailed.
core::Result<std::optional<LogDamage>> copy_offline(const std::filesystem::path& database,
                                                    const std::filesystem::path& file);

/// Result of restore_database().
struct Restored {
    DatabaseCounts counts;
    std::filesystem::path replaced;  ///< where the replaced database is now, or empty
};

/// Verifies a backup and replaces the database with a copy of the backup; the old database is kept
/// in the same folder. Errors, all of which leave the database unchanged: kStorageCorrupt or
/// kStorageTooNew for the backup, kStorageUnavailable while a daemon runs, kStorageFull.
core::Result<Restored> restore_database(const std::filesystem::path& backup,
                                        const std::filesystem::path& database);

/// Deletes the leftover of an interrupted copy: `file` must be a regular file of this user, and not
/// locked, since SQLite locks a copy that it is writing. Otherwise nothing is deleted.
void remove_left_copy(const std::filesystem::path& file);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "storage/files/log_check.hpp"
#include "storage/sqlite/sqlite_copy.hpp"

// Backup and restoration of a database that no daemon uses. All functions block.

namespace headway::storage {

/// Copies the database and its WAL into a new file, which the caller must verify. Returns the WAL's
/// damage, if any. The copy has the sound part of the WAL; SQLite discards the rest. Errors:
/// kFileExists; kStorageUnavailable while a daemon runs; kBackupFailed.
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

/// Deletes `file`, the remainder of an interrupted copy. Does nothing if `file` is not a regular
/// file of this user, or if it is locked, since SQLite locks a copy that it is writing.
void remove_left_copy(const std::filesystem::path& file);

}  // namespace headway::storage

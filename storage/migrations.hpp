// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/result.hpp"
#include "storage/sqlite_handle.hpp"

namespace headway::storage {

/// The schema this build writes; kept in `PRAGMA user_version`.
inline constexpr int kSchemaVersion = 9;

/// Copies a database that migrate() will change to `<file>.before-schema-<N>`, N being the first
/// schema that it lacks, and syncs the copy. Gives its name, empty where nothing needs to be
/// migrated. Errors: kBackupFailed, and those of SQLite.
core::Result<std::filesystem::path> save_before_migration(Database& database,
                                                          const std::filesystem::path& file,
                                                          const std::string& vfs);

/// Brings the database to kSchemaVersion, each step in one transaction. Errors: kStorageTooNew (a
/// newer Headway wrote it; nothing was touched), kStorageCorrupt (it is the database of another
/// program), and those of SQLite.
core::Result<> migrate(Database& database);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.hpp"
#include "storage/sql/sqlite_handle.hpp"

namespace headway::storage {

/// "HDWY", in `PRAGMA application_id`.
inline constexpr std::int64_t kApplicationId = 0x48445759;
/// The schema of this build; stored in `PRAGMA user_version`.
inline constexpr int kSchemaVersion = 11;

/// Copies a database that migrate() will change to `<file>.before-schema-<N>`, N being the first
/// missing schema, and syncs the copy. Returns its name, empty if no migration is needed. Errors:
/// kBackupFailed, and those of SQLite.
core::Result<std::filesystem::path> save_before_migration(Database& database,
                                                          const std::filesystem::path& file,
                                                          const std::string& vfs);

/// Migrates the database to kSchemaVersion, each step in one transaction. Errors: kStorageTooNew
/// (written by a newer Headway; nothing was touched), kStorageCorrupt (another program's database),
/// and those of SQLite.
core::Result<> migrate(Database& database);

}  // namespace headway::storage

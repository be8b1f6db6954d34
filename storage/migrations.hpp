#pragma once

#include "core/result.hpp"
#include "storage/sqlite_handle.hpp"

namespace headway::storage {

/// The schema this build writes; kept in `PRAGMA user_version`.
inline constexpr int kSchemaVersion = 6;

/// Brings the database to kSchemaVersion, each step in one transaction. Errors: kStorageTooNew (a
/// newer Headway wrote it; nothing was touched), kStorageCorrupt (it is the database of another
/// program), and those of SQLite.
core::Result<> migrate(Database& database);

}  // namespace headway::storage

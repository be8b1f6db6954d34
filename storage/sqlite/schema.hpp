// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.hpp"
#include "storage/sql/sqlite_handle.hpp"

namespace headway::storage {

/// "HDWY", stored in `PRAGMA application_id`.
inline constexpr std::int64_t kApplicationId = 0x48445759;
/// The schema of this build; stored in `PRAGMA user_version`.
inline constexpr int kSchemaVersion = 2;

/// Creates the tables in an empty file, in one transaction. Errors: kStorageTooNew (an unknown
/// schema, newer or from before 0.1.0; the file is unchanged), kStorageCorrupt (another program's
/// database, or a damaged header), and the errors of check_no_programs() and of SQLite.
core::Result<> prepare_schema(Database& database);

/// Checks that the file has no triggers and no views. Headway never creates any, and one of them
/// could change the effect of Headway's statements. Error: kStorageCorrupt.
core::Result<> check_no_programs(Database& database);

}  // namespace headway::storage

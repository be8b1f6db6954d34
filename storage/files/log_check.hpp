// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/result.hpp"

// Looks at the log of a database that no process has open, before SQLite does: SQLite takes over
// what is sound from its start and discards the rest without a word.

namespace headway::storage {

struct LogDamage {
    std::uint64_t frame = 0;         ///< the first that is not sound, counted from 1; 0: the header
    std::uint64_t lost_commits = 0;  ///< behind it
    std::filesystem::path kept = {};  ///< the copy of it, where one was made
};

/// Nothing for a log that is sound or not there. A power cut may leave the last commit incomplete,
/// which was not acknowledged: only two commits or more behind the first bad frame are damage. A
/// cut at the end leaves no trace. Reads the whole log.
std::optional<LogDamage> find_log_damage(const std::filesystem::path& database);

/// Copies a damaged log to the first unused name of `<database>-wal.damaged-<number>`, for its
/// owner only. Nothing for a log that is sound, or that another process has open, which changes
/// while it is read. Errors: kStorageUnavailable, kStorageFull.
core::Result<std::optional<LogDamage>> keep_log_if_damaged(const std::filesystem::path& database);

/// SQLite would discard a log whose database is missing, and with it what it holds. Error:
/// kStorageUnavailable.
core::Result<> check_log_has_database(const std::filesystem::path& database);

}  // namespace headway::storage

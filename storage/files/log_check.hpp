// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/result.hpp"

// Checks of the WAL of a database that no process has open. They must run before SQLite opens the
// database, because SQLite keeps only the valid prefix of the WAL and silently discards the rest.

namespace headway::storage {

struct LogDamage {
    std::uint64_t frame = 0;          ///< first bad frame, counted from 1; 0: the header
    std::uint64_t lost_commits = 0;   ///< commits from this frame on
    std::filesystem::path kept = {};  ///< the copy of the WAL; empty if there is none
};

/// The damage of the WAL; nothing if the WAL is sound or missing, or if its header has no valid
/// page size. A power cut may leave the last, unacknowledged commit incomplete, so only two or more
/// commits from the first bad frame on count as damage. A WAL that was truncated between two
/// commits cannot be recognised. Reads the whole WAL.
std::optional<LogDamage> find_log_damage(const std::filesystem::path& database);

/// Copies a damaged WAL to the first unused name of `<database>-wal.damaged-<number>`. Only its
/// owner can read the copy. Returns nothing if the WAL is sound, or if another process has the WAL
/// open, because the WAL may then change while it is read. Errors: kStorageUnavailable,
/// kStorageFull.
core::Result<std::optional<LogDamage>> keep_log_if_damaged(const std::filesystem::path& database);

/// Error: kStorageUnavailable if a WAL with frames exists without its database, since SQLite would
/// discard such a WAL and its commits.
core::Result<> check_log_has_database(const std::filesystem::path& database);

}  // namespace headway::storage

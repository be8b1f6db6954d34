// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.hpp"

namespace headway::storage {

/// Result of reading a damaged database.
struct Repair {
    std::filesystem::path damaged;  ///< new place of the unchanged original
    std::uint64_t sessions = 0;     ///< saved, completely or in part
    std::uint64_t events = 0;
    std::uint64_t cut = 0;            ///< of these: cut at the first gap
    std::uint64_t lost = 0;           ///< sessions without any saved event
    std::uint64_t unread_rows = 0;    ///< of the journal: found, but not decodable
    std::uint64_t unread_places = 0;  ///< unreadable places of the file
    std::uint64_t renamed = 0;        ///< sessions with a lost id; now called recovered-<number>
};

/// Builds a new database from the readable parts and puts it in place; the damaged one is renamed
/// with its log and not changed. Every session is kept up to its first missing event, so that `n`
/// has no gaps. Errors: kStorageUnavailable if a process has it open or nothing can be read,
/// kStorageFull; then the file is unchanged.
core::Result<Repair> repair_database(const std::filesystem::path& file);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.hpp"

namespace headway::storage {

/// Result of repair_database().
struct Repair {
    std::filesystem::path damaged;  ///< new name of the unchanged original
    std::uint64_t sessions = 0;     ///< sessions that were saved, completely or in part
    std::uint64_t events = 0;
    std::uint64_t cut = 0;            ///< saved sessions that were cut at the first gap
    std::uint64_t lost = 0;           ///< sessions without any saved event
    std::uint64_t unread_rows = 0;    ///< journal rows that were found but cannot be decoded
    std::uint64_t unread_places = 0;  ///< unreadable places in the file
    std::uint64_t renamed = 0;        ///< sessions whose id was lost; they are now named
                                      ///< recovered-<number>
};

/// Replaces the database with a new one that is built from its readable parts. The damaged database
/// and its WAL are renamed, but not changed. Every session is kept up to its first missing event,
/// so that `n` has no gaps. Errors, all of which leave the file unchanged: kStorageUnavailable if a
/// process has the file open or nothing can be read, kStorageFull.
core::Result<Repair> repair_database(const std::filesystem::path& file);

}  // namespace headway::storage

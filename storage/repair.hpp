// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/result.hpp"

namespace headway::storage {

/// What could be read of a damaged database.
struct Repair {
    std::filesystem::path damaged;  ///< where it lies now, as it was
    std::uint64_t sessions = 0;     ///< saved, whole or in part
    std::uint64_t events = 0;
    std::uint64_t cut = 0;   ///< of these sessions: events behind the first gap were left out
    std::uint64_t lost = 0;  ///< sessions of which nothing could be saved
    std::uint64_t unread_rows = 0;    ///< of the journal: found, but not to be decoded
    std::uint64_t unread_places = 0;  ///< where the file itself could not be read
    std::uint64_t renamed = 0;  ///< sessions whose id was lost; they are called recovered-<number>
};

/// Makes a new database of what can be read of this one, and puts it in its place; the damaged one
/// is renamed, with its log, and not changed. Every session is kept up to the first event that is
/// missing, so that `n` has no gaps. Errors: kStorageUnavailable where a process has it open or it
/// cannot be read at all, kStorageFull; the file is as before then.
core::Result<Repair> repair_database(const std::filesystem::path& file);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.hpp"

// The files of a closed database: the database and its WAL.

namespace headway::storage {

/// `<file><suffix><number>` with the first unused number from 1.
std::filesystem::path unused_name(const std::filesystem::path& file, const std::string& suffix);

/// Replaces `file` with `target`, which has no WAL. An existing `file` is kept as `aside`, with its
/// WAL. With hard links, a database named `file` exists at every moment: without one, a starting
/// daemon would create an empty database. If root runs this, the file gets the owner of its folder.
/// Error: kStorageUnavailable.
core::Result<> replace_database(const std::filesystem::path& target,
                                const std::filesystem::path& file,
                                const std::filesystem::path& aside);

/// Deletes both files, and leftovers of SQLite.
void remove_database(const std::filesystem::path& file);

/// Copies both files; the WAL may be missing. Only their owner can access the copies. Errors:
/// kStorageUnavailable, kStorageFull; in both cases no copy remains.
core::Result<> copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

/// Appends zeros up to the size in the header, since SQLite refuses a shorter file. Zeros are
/// invalid pages: only reads of the appended part fail.
core::Result<> lengthen_database(const std::filesystem::path& copy);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.hpp"

// The files of a closed database: the database and its WAL.

namespace headway::storage {

/// `<file><suffix><number>`, with the lowest number from 1 on that is not in use.
std::filesystem::path unused_name(const std::filesystem::path& file, const std::string& suffix);

/// Makes an empty file that only its owner can access; SQLite gives the WAL the same permissions,
/// whatever the umask. Errors: kFileExists, kBackupFailed.
core::Result<> make_private(const std::filesystem::path& file);

/// Renames `target`, which must have no WAL, to `file`. An existing `file` and its WAL are kept
/// under the name `aside`. Hard links ensure that a database named `file` exists at every moment;
/// otherwise a daemon that starts meanwhile would create an empty one. If root runs this, the file
/// gets the owner of its folder. Error: kStorageUnavailable.
core::Result<> replace_database(const std::filesystem::path& target,
                                const std::filesystem::path& file,
                                const std::filesystem::path& aside);

/// Deletes the database, its WAL, and other files that SQLite left behind.
void remove_database(const std::filesystem::path& file);

/// Copies the database and its WAL, which may be missing. Only the owner can access the copies.
/// Errors: kStorageUnavailable, kStorageFull; after either, no copy remains.
core::Result<> copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

/// Appends zeros up to the size stated in the header, since SQLite refuses a shorter file. Pages of
/// zeros are invalid, so only reads of the appended part fail.
core::Result<> lengthen_database(const std::filesystem::path& copy);

}  // namespace headway::storage

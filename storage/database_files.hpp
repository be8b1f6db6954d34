// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/result.hpp"

// A database that nobody has open, as files: it and the log beside it.

namespace headway::storage {

/// `<file><suffix><number>` with the first number from 1 that is free.
std::filesystem::path unused_name(const std::filesystem::path& file, const std::string& suffix);

/// Puts `made`, which has no log, in the place of `file`, if there is one; that is kept as `aside`,
/// with its log. Where the file system has hard links there is a database of this name at every
/// moment: a start that found none would make an empty one. Root gives it to the owner of its
/// folder. Error: kStorageUnavailable.
core::Result<> replace_database(const std::filesystem::path& made,
                                const std::filesystem::path& file,
                                const std::filesystem::path& aside);

/// Deletes both, and what SQLite may have left.
void remove_database(const std::filesystem::path& file);

/// Copies both; a log that is not there is fine. The copies are their owner's only. Error:
/// kStorageUnavailable, kStorageFull; there is no copy then.
core::Result<> copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

/// SQLite opens no file that is shorter than its header says. What was cut off is made of zeros,
/// which are no pages: who comes there meets an error, and what lies before can be read.
core::Result<> lengthen_database(const std::filesystem::path& copy);

}  // namespace headway::storage

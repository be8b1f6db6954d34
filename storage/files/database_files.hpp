// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.hpp"

// A closed database as files: the database and its log.

namespace headway::storage {

/// `<file><suffix><number>` with the first unused number from 1.
std::filesystem::path unused_name(const std::filesystem::path& file, const std::string& suffix);

/// Replaces `file` by `made`, which has no log. An existing `file` is kept as `aside`, with its
/// log. With hard links, a database of this name exists at every moment: a start that found none
/// would create an empty one. If root runs this, the file gets the owner of its folder. Error:
/// kStorageUnavailable.
core::Result<> replace_database(const std::filesystem::path& target,
                                const std::filesystem::path& file,
                                const std::filesystem::path& aside);

/// Deletes both, and leftovers of SQLite.
void remove_database(const std::filesystem::path& file);

/// Copies both; a missing log is fine. Only their owner can access the copies. Error:
/// kStorageUnavailable, kStorageFull; then there is no copy.
core::Result<> copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

/// SQLite refuses a file that is shorter than the size in its header. This appends zeros, which are
/// invalid pages: reads there fail, and everything before can be read.
core::Result<> lengthen_database(const std::filesystem::path& copy);

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"

// Files of agents, read and replaced: by a rename in the same folder, with mode and owner, through
// links to the file that is meant.

namespace headway::cli {

/// Content of a file, now or planned. Nothing: there is none.
struct FileChange {
    std::filesystem::path path;  ///< as an agent names it
    std::optional<std::string> before;
    std::optional<std::string> after;
    mode_t mode = 0600;               ///< of a new file
    bool backup = false;              ///< what is there is kept beside it
    std::filesystem::path project{};  ///< no link is followed below this folder; empty: all are

    bool changes() const { return before != after; }
};

/// Error: kInvalidParameter when `path` or a folder between it and `project` is a link: a checkout
/// says where that leads, and it is not for a checkout to say which file is changed. No `project`:
/// none is.
core::Result<> check_no_link(const std::filesystem::path& project,
                             const std::filesystem::path& path);

/// Up to 4 MiB of a file. Nothing: there is none. Error: kInvalidParameter, with the reason.
core::Result<std::optional<std::string>> read_settings(const std::filesystem::path& path);

/// Why this file cannot be replaced; empty: it can. A file that no user may write to is meant to
/// stay as it is, also when root asks.
std::string why_not_writable(const std::filesystem::path& path);

/// Writes, makes or deletes. A backup is NAME.headway-backup beside the file, numbered where that
/// is another; a file that becomes what a backup holds loses the backup. Error:
/// kInvalidParameter with the reason, when the file is not `before` any more, or cannot be written;
/// it is then as it was.
core::Result<> apply_change(const FileChange& change);

/// The backups beside a file, oldest first.
std::vector<std::filesystem::path> backups_of(const std::filesystem::path& path);

}  // namespace headway::cli

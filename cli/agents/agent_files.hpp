// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"

// Reads and replaces files of agents. A file is replaced by a rename in the same folder; its mode
// and owner are kept, and a link is followed to its target.

namespace headway::cli {

/// A planned change of a file: its content `before` and `after` the change. A content that is not
/// set means that there is no file.
struct FileChange {
    std::filesystem::path path;  ///< path by which the agent finds it
    std::optional<std::string> before;
    std::optional<std::string> after;
    mode_t mode = 0600;               ///< mode of a new file
    bool backup = false;              ///< the old file is kept next to it
    std::filesystem::path project{};  ///< below this folder no link is followed; empty: links are
                                      ///< followed everywhere

    bool changes() const { return before != after; }
};

/// Checks that neither `path` nor a folder between it and `project` is a link, because a checkout
/// could make a link point anywhere. Error: kInvalidParameter. No error without `project`.
core::Result<> check_no_link(const std::filesystem::path& project,
                             const std::filesystem::path& path);

/// Up to 4 MiB of a file; nothing if there is no file. Error: kInvalidParameter, with the reason.
core::Result<std::optional<std::string>> read_settings(const std::filesystem::path& path);

/// Why this file cannot be replaced; empty if it can. A file that no user may write to stays
/// unchanged, even for root.
std::string why_not_writable(const std::filesystem::path& path);

/// Writes, makes or deletes the file. A backup is NAME.headway-backup next to it, numbered if that
/// name is taken; if the file becomes equal to a backup, that backup is deleted. Error:
/// kInvalidParameter with the reason, if the file's content is no longer `before` or the file
/// cannot be written; the file is then unchanged.
core::Result<> apply_change(const FileChange& change);

/// The backups next to a file, oldest first.
std::vector<std::filesystem::path> backups_of(const std::filesystem::path& path);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"

// Files of agents, read and replaced: by a rename in the same folder, keeping mode and owner, and
// following links to their target.

namespace headway::cli {

/// Content of a file, now and as planned; nothing if there is no file.
struct FileChange {
    std::filesystem::path path;  ///< as an agent names it
    std::optional<std::string> before;
    std::optional<std::string> after;
    mode_t mode = 0600;               ///< of a new file
    bool backup = false;              ///< the old file is kept next to it
    std::filesystem::path project{};  ///< no link is followed below this folder; empty: all are

    bool changes() const { return before != after; }
};

/// Error: kInvalidParameter if `path` or a folder between it and `project` is a link: a checkout
/// could point it anywhere, but must not choose the file to be changed. No error without `project`.
core::Result<> check_no_link(const std::filesystem::path& project,
                             const std::filesystem::path& path);

/// Up to 4 MiB of a file; nothing if there is no file. Error: kInvalidParameter, with the reason.
core::Result<std::optional<std::string>> read_settings(const std::filesystem::path& path);

/// Why this file cannot be replaced; empty: it can. A file that no user may write to stays
/// unchanged, even for root.
std::string why_not_writable(const std::filesystem::path& path);

/// Writes, makes or deletes the file. A backup is NAME.headway-backup next to it, numbered if that
/// name is taken; a file that becomes equal to a backup loses that backup. Error: kInvalidParameter
/// with the reason, if the file is no longer `before` or cannot be written; the file is then
/// unchanged.
core::Result<> apply_change(const FileChange& change);

/// The backups next to a file, oldest first.
std::vector<std::filesystem::path> backups_of(const std::filesystem::path& path);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.hpp"

namespace headway::storage {

/// The progress of a backup.
struct BackupStep {
    bool done = false;
    std::uint64_t pages = 0;
    std::uint64_t pages_left = 0;
};

/// Copies the database while it is in use, step by step. This class is a part of the Store, with
/// the same thread and errors. Writes made meanwhile also go into the copy, so that it equals the
/// database at the time of the last step.
class BackupSource {
public:
    virtual ~BackupSource() = default;

    /// Starts a copy into the empty `file`. Only one copy can exist at a time. Errors:
    /// kBackupRunning, kBackupFailed.
    virtual core::Result<> start_backup(const std::filesystem::path& file) = 0;
    /// Copies `pages` pages, outside of a transaction. After the last step the file is complete,
    /// but not synced. Error: kBackupFailed, after which the copy has ended and its file is
    /// useless.
    virtual core::Result<BackupStep> step_backup(int pages) = 0;
    /// Ends the current copy, if any.
    virtual void abandon_backup() = 0;
};

}  // namespace headway::storage

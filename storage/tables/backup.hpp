// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.hpp"

namespace headway::storage {

/// Progress of a copy.
struct BackupStep {
    bool done = false;
    std::uint64_t pages = 0;
    std::uint64_t pages_left = 0;
};

/// A step-by-step copy of the database in use: part of the Store, with its thread and errors.
/// Concurrent writes also go into the copy, so that it equals the database at its last step.
class BackupSource {
public:
    virtual ~BackupSource() = default;

    /// Starts a copy into the empty `file`. One at a time. Errors: kBackupRunning, kBackupFailed.
    virtual core::Result<> start_backup(const std::filesystem::path& file) = 0;
    /// Copies this many pages; outside a transaction. After the last step the file is complete, but
    /// not synced. Error: kBackupFailed; the copy has then ended and its file is useless.
    virtual core::Result<BackupStep> step_backup(int pages) = 0;
    /// Ends the current copy, if any.
    virtual void abandon_backup() = 0;
};

}  // namespace headway::storage

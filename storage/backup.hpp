// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/result.hpp"

namespace headway::storage {

/// How far a copy has come.
struct BackupStep {
    bool done = false;
    std::uint64_t pages = 0;
    std::uint64_t pages_left = 0;
};

/// A copy of the database that is made while it is in use, step by step: a part of the Store, with
/// its thread and errors. What is written meanwhile goes into the copy too, so that it ends as the
/// database of its last step.
class BackupSource {
public:
    virtual ~BackupSource() = default;

    /// Begins a copy into `file`, which is empty. One at a time. Errors: kBackupRunning,
    /// kBackupFailed.
    virtual core::Result<> start_backup(const std::filesystem::path& file) = 0;
    /// Copies so many pages; outside of a transaction. After the last one the file is complete, but
    /// not synced. Error: kBackupFailed; the copy has ended and its file is of no use.
    virtual core::Result<BackupStep> step_backup(int pages) = 0;
    /// Ends a copy that is under way, if there is one.
    virtual void abandon_backup() = 0;
};

}  // namespace headway::storage

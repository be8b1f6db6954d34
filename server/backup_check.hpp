// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <thread>

#include "core/result.hpp"
#include "server/net.hpp"
#include "storage/sqlite_copy.hpp"

namespace headway::server {

/// The end of a backup on a thread of its own, since it reads all of it: syncs the finished copy,
/// checks it, and gives it its name. I/O thread only.
class BackupCheck {
public:
    using Done = std::function<void(core::Result<storage::DatabaseCounts>)>;

    explicit BackupCheck(net::io_context& io) : io_(io) {}
    /// Waits for the one that is under way; its `done` is not called any more.
    ~BackupCheck();

    /// `copy` becomes `file`, which must not be there, or is deleted when it is not good. `done` is
    /// called on the I/O thread. One at a time. Errors: kBackupFailed, kFileExists.
    void start(std::filesystem::path copy, std::filesystem::path file, Done done);

private:
    net::io_context& io_;
    std::thread thread_;
};

/// A backup of a database that no daemon uses, here and now. Errors: kFileExists, kBackupFailed,
/// kStorageUnavailable.
core::Result<storage::DatabaseCounts> backup_offline(const std::filesystem::path& database,
                                                     const std::filesystem::path& file);

}  // namespace headway::server

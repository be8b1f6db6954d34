// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "core/base/result.hpp"
#include "server/http/sockets/net.hpp"
#include "storage/files/log_check.hpp"
#include "storage/sqlite/sqlite_copy.hpp"

namespace headway::server {

/// Completes a backup: syncs the finished copy, checks it, and renames it. This takes place on a
/// thread of its own, because the check reads the whole copy. Functions are called on the I/O
/// thread only.
class BackupCheck {
public:
    using Done = std::function<void(core::Result<storage::DatabaseCounts>)>;

    explicit BackupCheck(net::io_context& io) : io_(io) {}
    /// Waits for a running check. Its `done` is not called.
    ~BackupCheck();

    /// Renames `copy` to `file`, which must not exist, or deletes `copy` if the check fails. `done`
    /// is called on the I/O thread. One check at a time. Errors: kBackupFailed, kFileExists.
    void start(std::filesystem::path copy, std::filesystem::path file, Done done);

private:
    net::io_context& io_;
    std::thread thread_;
};

/// A backup made without a daemon.
struct OfflineBackup {
    storage::DatabaseCounts counts;
    std::optional<storage::LogDamage> damage;  ///< damage of the database's log, if any
};

/// Makes a backup of a database that no daemon uses, and waits for the result. Errors: kFileExists,
/// kBackupFailed, kStorageUnavailable.
core::Result<OfflineBackup> backup_offline(const std::filesystem::path& database,
                                           const std::filesystem::path& file);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "server/backups/backup_check.hpp"
#include "server/engine/base/publication.hpp"
#include "server/http/connection/replies.hpp"

namespace headway::server {

/// The at most one running backup: creates an empty file, which the engine fills between its
/// batches and a separate thread checks before it gets its final name. I/O thread only.
class Backups {
public:
    Backups(net::io_context& io, Replies& replies) : replies_(replies), check_(io) {}

    /// The database that is copied, and what a copy has to leave free on its disk, where reports
    /// need it. Without one, no room is asked for.
    void copy_of(std::filesystem::path database, std::uint64_t free_min) {
        database_ = std::move(database);
        free_min_ = free_min;
    }
    /// Creates the empty file that the engine fills and returns its name. Errors:
    /// kBackupRunning, kFileExists, kInvalidField, kStorageFull; no file is left then.
    core::Result<std::string> begin(const std::string& file);
    /// Undoes begin(): the request did not reach the engine.
    void abandon(const std::string& partial);
    /// The copy is complete or failed: answers the request.
    void copied(const CopiedFile& copied);

private:
    Replies& replies_;
    BackupCheck check_;
    std::filesystem::path database_;
    std::uint64_t free_min_ = 0;
    bool running_ = false;
};

}  // namespace headway::server

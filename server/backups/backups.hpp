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

/// Runs at most one backup: it creates an empty file; the engine fills this file between its
/// batches; a separate thread checks the file and gives it its final name. I/O thread only.
class Backups {
public:
    Backups(net::io_context& io, Replies& replies) : replies_(replies), check_(io) {}

    /// Sets the database to copy, and how many bytes a copy must leave free for reports, on the
    /// disk that holds the database. If there is no database, free space is not checked.
    void copy_of(std::filesystem::path database, std::uint64_t free_min) {
        database_ = std::move(database);
        free_min_ = free_min;
    }
    /// Creates the empty file for the engine to fill, and returns the name of the file. Errors:
    /// kBackupRunning, kFileExists, kInvalidField, kStorageFull; after an error, no file is left.
    core::Result<std::string> begin(const std::string& file);
    /// Undoes begin() if the request did not reach the engine.
    void abandon(const std::string& partial);
    /// Called when the copy is complete or has failed. Sends a failure as the reply to the request;
    /// checks a complete copy before it sends the reply.
    void copied(const CopiedFile& copied);

private:
    Replies& replies_;
    BackupCheck check_;
    std::filesystem::path database_;
    std::uint64_t free_min_ = 0;
    bool running_ = false;
};

}  // namespace headway::server

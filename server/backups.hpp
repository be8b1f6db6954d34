// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/backup_check.hpp"
#include "server/replies.hpp"

namespace headway::server {

/// The one backup that may be on its way: an empty file is made, the supervisor fills it between
/// its turns, and a thread of its own checks it before it gets its name. I/O thread only.
class Backups {
public:
    Backups(net::io_context& io, Replies& replies) : replies_(replies), check_(io) {}

    /// Makes the empty file that the supervisor fills and returns its name. Errors: kBackupRunning,
    /// kFileExists, kInvalidField; nothing is left behind then.
    core::Result<std::string> begin(const std::string& file);
    /// The supervisor was not asked after all.
    void abandon(const std::string& partial);
    /// The file is full, or there is none: answers who asked for it.
    void copied(const CopiedFile& copied);

private:
    Replies& replies_;
    BackupCheck check_;
    bool running_ = false;
};

}  // namespace headway::server

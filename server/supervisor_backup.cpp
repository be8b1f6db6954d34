// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Online backup: copies a few pages of the database between two turns.

namespace headway::server {

using core::Error;
using core::ErrorCode;

void Supervisor::start_backup(const Request& request, const BackupCommand& command) {
    core::Result<> started;
    if (lost_ || sync_failed_) {
        started = Error{ErrorCode::kStorageUnavailable, "the journal cannot be read", {}};
    } else {
        started = store_.start_backup(command.file);
    }
    if (started) {
        copying_ = Copying{request.reply_to, command.file};
    } else {
        announce_copy({request.reply_to, command.file, std::move(started).error()});
    }
}

void Supervisor::announce_copy(CopiedFile copied) {
    auto publication = std::make_unique<Publication>();
    publication->stats = stats_;
    publication->copied = std::move(copied);
    publish_(std::move(publication));
}

void Supervisor::backup_step() {
    if (!copying_) return;
    auto step = store_.step_backup(core::limits::kBackupPagesPerStep);
    if (step && !step->done) return;
    core::Result<> done;
    if (!step) done = std::move(step).error();
    announce_copy({copying_->reply_to, copying_->file, std::move(done)});
    copying_.reset();
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/backup_copy.hpp"

#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {

void BackupCopy::start(const ReplyTo& to, const std::string& file) {
    if (auto started = store_.backups().start_backup(file); !started) {
        refuse(to, file, std::move(started).error());
        return;
    }
    HEADWAY_ASSERT(!running());
    copying_ = Copying{to, file};
}

void BackupCopy::step() {
    if (!running()) return;
    const auto step = store_.backups().step_backup(core::limits::kBackupPagesPerStep);
    if (!step) {
        end(step.error());
    } else if (step->done) {
        end({});
    }
}

void BackupCopy::abandon() {
    if (!running()) return;
    store_.backups().abandon_backup();
    end(core::Error{core::ErrorCode::kDraining, "the daemon is going down", {}});
}

void BackupCopy::end(core::Result<> done) {
    CopiedFile copied{copying_->to, copying_->file, std::move(done)};
    copying_.reset();
    announce_(std::move(copied));
}

}  // namespace headway::server

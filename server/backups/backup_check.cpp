// SPDX-License-Identifier: Apache-2.0
#include "server/backups/backup_check.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "storage/damage/offline.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Renames the copy. Fails if the file exists by now.
Result<> name_it(const std::filesystem::path& copy, const std::filesystem::path& file) {
    int failed = ::renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && errno == EINVAL) {  // not supported by every file system
        failed = ::link(copy.c_str(), file.c_str());
        if (failed == 0) ::unlink(copy.c_str());
    }
    if (failed != 0) {
        const auto code = errno == EEXIST ? ErrorCode::kFileExists : ErrorCode::kBackupFailed;
        return Error{code,
                     "cannot make " + file.string() + ": " + std::generic_category().message(errno),
                     "/file"};
    }
    return storage::sync_file(file);
}

Result<storage::DatabaseCounts> finish_backup(const std::filesystem::path& copy,
                                              const std::filesystem::path& file) {
    auto checked = storage::sync_file(copy);
    Result<storage::DatabaseCounts> counts{storage::DatabaseCounts{}};
    if (checked) {
        counts = storage::verify_database(copy);
        checked = counts ? name_it(copy, file) : Result<>{counts.error()};
    }
    if (checked) return counts;
    ::unlink(copy.c_str());
    Error error = std::move(checked).error();
    if (error.code != ErrorCode::kFileExists) error.code = ErrorCode::kBackupFailed;
    return error;
}

}  // namespace

Result<OfflineBackup> backup_offline(const std::filesystem::path& database,
                                     const std::filesystem::path& file) {
    const std::filesystem::path partial = file.string() + ".partial";
    if (std::error_code ec; std::filesystem::exists(file, ec)) {
        return Error{
            ErrorCode::kFileExists, file.string() + " is there already; choose another name", {}};
    }
    storage::remove_left_copy(partial);
    OfflineBackup backup;
    HEADWAY_TRY(backup.damage, storage::copy_offline(database, partial));
    HEADWAY_TRY(backup.counts, finish_backup(partial, file));
    return backup;
}

BackupCheck::~BackupCheck() {
    if (thread_.joinable()) thread_.join();
}

void BackupCheck::start(std::filesystem::path copy, std::filesystem::path file, Done done) {
    if (thread_.joinable()) thread_.join();  // it has finished already
    thread_ = std::thread{
        [this, copy = std::move(copy), file = std::move(file), done = std::move(done)]() mutable {
            auto counts = finish_backup(copy, file);
            net::post(io_.get_executor(),
                      [report = std::move(done), result = std::move(counts)]() mutable {
                          report(std::move(result));
                      });
        }};
}

}  // namespace headway::server

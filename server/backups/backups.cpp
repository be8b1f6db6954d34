// SPDX-License-Identifier: Apache-2.0
#include "server/backups/backups.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "api/admin/backup.hpp"
#include "storage/damage/offline.hpp"

namespace headway::server {
namespace {

namespace fs = std::filesystem;

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kUnfinished = ".partial";

/// Creates the file so that no other user can ever read it and no existing file is overwritten.
Result<> make_empty(const std::string& path) {
    storage::remove_left_copy(path);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
        return {};
    }
    if (errno == EEXIST) {
        return Error{
            ErrorCode::kFileExists,
            path + " is there already, and is no backup of ours that did not end; delete it",
            "/file"};
    }
    return Error{ErrorCode::kInvalidField,
                 "the daemon cannot write there (" + std::generic_category().message(errno) +
                     "); name a folder that its user and its sandbox may write to",
                 "/file"};
}

/// 0 if it is no file.
std::uint64_t file_bytes(const std::string& file) {
    std::error_code ec;
    const std::uintmax_t size = fs::file_size(file, ec);
    return ec ? 0 : size;
}

bool on_one_disk(const fs::path& a, const fs::path& b) {
    struct stat of_a {};
    struct stat of_b {};
    return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev;
}

std::string in_mebibytes(std::uint64_t bytes) {
    constexpr std::uint64_t kMebibyte = 1U << 20;
    return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

/// With less, the copy would end half way, or the reports that follow would be refused.
Result<> check_room(const fs::path& folder, const fs::path& database, std::uint64_t free_min) {
    const std::uint64_t log = file_bytes(database.string() + "-wal");
    const std::uint64_t bytes = file_bytes(database.string()) + log;
    // The log has yet to find room in the database.
    const std::uint64_t kept = on_one_disk(folder, database) ? free_min + log : 0;
    std::error_code ec;
    const fs::space_info space = fs::space(folder, ec);
    if (ec || bytes == 0 || space.available >= bytes + kept) return {};
    std::string detail = "the copy takes up to " + in_mebibytes(bytes) + " and " +
                         in_mebibytes(space.available) + " are free there";
    if (kept > 0) {
        detail += ", of which reports need " + in_mebibytes(kept) +
                  " (storage.free_space_min, and the log)";
    }
    return Error{ErrorCode::kStorageFull, detail + "; free some of it, or name another disk",
                 "/file"};
}

}  // namespace

Result<std::string> Backups::begin(const std::string& file) {
    if (running_) {
        return Error{
            ErrorCode::kBackupRunning, "another backup is being made; ask again later", {}};
    }
    if (::access(file.c_str(), F_OK) == 0) {
        return Error{ErrorCode::kFileExists, file + " is there already; choose another name",
                     "/file"};
    }
    HEADWAY_CHECK(check_room(fs::path{file}.parent_path(), database_, free_min_));
    std::string partial = file + std::string{kUnfinished};
    HEADWAY_CHECK(make_empty(partial));
    running_ = true;
    return partial;
}

void Backups::abandon(const std::string& partial) {
    ::unlink(partial.c_str());
    running_ = false;
}

void Backups::copied(const CopiedFile& copied) {
    if (!copied.done) {
        ::unlink(copied.file.c_str());
        running_ = false;
        replies_.respond(copied.to, problem_response(copied.done.error(), "/v1/backup"));
        return;
    }
    const std::string file = copied.file.substr(0, copied.file.size() - kUnfinished.size());
    check_.start(copied.file, file,
                 [this, to = copied.to, file](Result<storage::DatabaseCounts> counts) {
                     running_ = false;
                     if (!counts) {
                         replies_.respond(to, problem_response(counts.error(), "/v1/backup"));
                         return;
                     }
                     Response response;
                     response.status = 201;
                     api::append_backup(response.body, {file, counts->bytes, counts->sessions,
                                                        counts->events, counts->schema});
                     replies_.respond(to, response);
                 });
}

}  // namespace headway::server

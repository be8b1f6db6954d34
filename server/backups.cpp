// SPDX-License-Identifier: Apache-2.0
#include "server/backups.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "api/backup.hpp"
#include "storage/offline.hpp"

namespace headway::server {
namespace {

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

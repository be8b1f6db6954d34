// SPDX-License-Identifier: Apache-2.0
#include "storage/file_watch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/assert.hpp"

namespace headway::storage {
namespace {

/// The current name of a file that this process has open, even after a rename; empty if it is not
/// open.
std::string open_as(dev_t device, ino_t inode) {
    const std::string folder = "/proc/" + std::to_string(::getpid()) + "/fd";
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator{folder, ec}) {
        struct stat found {};
        const bool same = ::stat(entry.path().c_str(), &found) == 0 && found.st_dev == device &&
                          found.st_ino == inode;
        if (same) return entry.path().string();
    }
    return {};
}

}  // namespace

FileWatch::FileWatch(const std::filesystem::path& database) {
    std::error_code ec;
    const auto absolute = std::filesystem::absolute(database, ec);
    database_.path = (ec ? database : absolute).string();
    log_.path = database_.path + "-wal";
    for (File* file : {&database_, &log_}) {
        struct stat found {};
        if (::stat(file->path.c_str(), &found) != 0) {
            *this = FileWatch{};  // not on a file system: nothing to check
            return;
        }
        file->device = found.st_dev;
        file->inode = found.st_ino;
    }
}

FileWatch::State FileWatch::look_at(File& file, std::uint64_t& bytes) {
    struct stat found {};
    if (::stat(file.path.c_str(), &found) != 0) {
        // EACCES, ENOMEM, EINTR on a network disk prove nothing, so they are no reason to stop.
        return errno == ENOENT || errno == ENOTDIR ? State::kGone : State::kHere;
    }
    if (found.st_dev != file.device || found.st_ino != file.inode) {
        // Some file systems change inode numbers: check whether it is our file anyway.
        if (open_as(found.st_dev, found.st_ino).empty()) return State::kGone;
        file.device = found.st_dev;
        file.inode = found.st_ino;
    }
    bytes = static_cast<std::uint64_t>(std::max<off_t>(found.st_size, 0));
    return bytes < file.bytes_min ? State::kShort : State::kHere;
}

FileWatch::Found FileWatch::look(std::uint64_t log_bytes) {
    if (database_.path.empty()) return Found::kSound;
    std::uint64_t bytes = database_.bytes_min;
    const State database = look_at(database_, bytes);
    if (database == State::kGone) return Found::kMoved;
    if (database == State::kShort) return Found::kCut;
    HEADWAY_ASSERT(database_.bytes_min <= bytes);
    database_.bytes_min = bytes;  // it never shrinks: there is no vacuum
    log_.bytes_min = log_bytes;
    const State log = look_at(log_, bytes);
    if (log == State::kGone) return Found::kLogGone;
    return log == State::kShort ? Found::kCut : Found::kSound;
}

std::string FileWatch::explain(Found found) const {
    switch (found) {
        case Found::kMoved: {
            const std::string database = open_as(database_.device, database_.inode);
            const std::string log = open_as(log_.device, log_.inode);
            return database_.path +
                   " was deleted, renamed or replaced while headway has it open. Nothing is stored "
                   "until it is back under this name. Without it, save what it holds before this "
                   "process ends: `cp " +
                   database + " headway.db && cp " + log +
                   " headway.db-wal` in an empty folder, and start headway with that as "
                   "--state-dir";
        }
        case Found::kLogGone:
            return log_.path +
                   " was deleted, renamed or replaced while headway has it open. What was in it is "
                   "in the database now, and nothing more is stored";
        case Found::kCut:
            return database_.path +
                   " or its log was cut while headway has it open. What was acknowledged last may "
                   "be lost with what was cut";
        case Found::kSound:
            break;
    }
    return {};
}

}  // namespace headway::storage

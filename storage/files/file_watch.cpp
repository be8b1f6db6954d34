// SPDX-License-Identifier: Apache-2.0
#include "storage/files/file_watch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/assert.hpp"
#include "storage/files/wal.hpp"

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

constexpr std::string_view kMagic{"\x37\x7f\x06", 3};  ///< and the order of the checksums

/// False when they cannot be read.
bool read_at(int fd, std::uint64_t offset, std::span<char> out) {
    const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    return got == static_cast<ssize_t>(out.size());
}

std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

}  // namespace

FileWatch::FileWatch(FileWatch&& other) noexcept
    : database_(std::move(other.database_)),
      log_(std::move(other.log_)),
      written_(other.written_),
      log_fd_(std::exchange(other.log_fd_, -1)) {}

FileWatch& FileWatch::operator=(FileWatch&& other) noexcept {
    std::swap(database_, other.database_);
    std::swap(log_, other.log_);
    std::swap(written_, other.written_);
    std::swap(log_fd_, other.log_fd_);
    return *this;
}

FileWatch::~FileWatch() {
    if (log_fd_ >= 0) ::close(log_fd_);
}

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
    log_fd_ = ::open(log_.path.c_str(), O_RDONLY | O_CLOEXEC);
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
    // Up to here it had been written when it was looked at last, and nothing was missing. After a
    // rollback its length is not known, until the next commit.
    const std::uint64_t before = std::min(written_, log_bytes);
    if (log_bytes != 0) written_ = log_bytes;
    log_.bytes_min = log_bytes;
    const State log = look_at(log_, bytes);
    if (log == State::kGone) return Found::kLogGone;
    const bool whole = log == State::kHere && is_written(before) && is_written(log_bytes);
    return whole ? Found::kSound : Found::kCut;
}

/// Whether the header and the frame that ends at `bytes` are there. Where a log was cut and then
/// written further they are zeros; each frame repeats the salts of the header. An unreadable file
/// is no reason to stop.
bool FileWatch::is_written(std::uint64_t bytes) const {
    if (log_fd_ < 0 || bytes < wal::kHeaderBytes) return true;
    std::array<char, wal::kHeaderBytes> header{};
    if (!read_at(log_fd_, 0, header)) return true;
    const std::string_view text{header.data(), header.size()};
    if (!text.starts_with(kMagic)) return false;
    const std::uint64_t frame_bytes =
        wal::kFrameHeaderBytes + big_endian(text.substr(wal::kPageBytesAt, 4));
    if (bytes < wal::kHeaderBytes + frame_bytes) return true;
    std::array<char, wal::kFrameHeaderBytes> frame{};
    if (!read_at(log_fd_, bytes - frame_bytes, frame)) return true;
    return std::string_view{frame.data(), frame.size()}.substr(wal::kFrameSaltsAt,
                                                               wal::kSaltsBytes) ==
           text.substr(wal::kSaltsAt, wal::kSaltsBytes);
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
                   " was deleted, renamed or replaced while headway has it open. Its content is "
                   "in the database now, and nothing more is stored";
        case Found::kCut:
            return database_.path +
                   " or its log was cut while headway has it open. The last acknowledged data may "
                   "be lost with the part that was cut";
        case Found::kSound:
            break;
    }
    return {};
}

}  // namespace headway::storage

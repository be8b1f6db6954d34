// SPDX-License-Identifier: Apache-2.0
#include "storage/base/disk_space.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::storage {

namespace fs = std::filesystem;

static_assert(sizeof(off_t) == sizeof(std::uint64_t), "files may be larger than 2 GB");

BallastFile::BallastFile(fs::path file, std::uint64_t bytes)
    : file_(std::move(file)), bytes_(bytes) {
    std::error_code ec;
    held_ = bytes_ == 0 || fs::file_size(file_, ec) == bytes_;
    if (bytes_ == 0 || !held_) fs::remove(file_, ec);
}

std::optional<std::uint64_t> BallastFile::free_bytes() {
    std::error_code ec;
    const fs::space_info space = fs::space(file_.parent_path(), ec);
    if (ec) return std::nullopt;
    return space.available;
}

bool BallastFile::release() {
    if (!held_ || bytes_ == 0) return false;
    std::error_code ec;
    if (!fs::remove(file_, ec)) return false;
    held_ = false;
    return true;
}

bool BallastFile::reserve(std::uint64_t leave) {
    if (held_) return true;
    const auto free = free_bytes();
    if (!free || *free < bytes_ || *free - bytes_ < leave) return false;
    HEADWAY_ASSERT(bytes_ > 0);
    const int fd = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    // Allocated blocks, not only a size: a hole reserves nothing.
    held_ = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes_)) == 0;
    ::close(fd);
    std::error_code ec;
    if (!held_) fs::remove(file_, ec);
    return held_;
}

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#include "storage/files/database_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::storage {

DatabaseLock::DatabaseLock(DatabaseLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

DatabaseLock& DatabaseLock::operator=(DatabaseLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}

DatabaseLock::~DatabaseLock() {
    if (file_ >= 0) ::close(file_);
}

core::Result<DatabaseLock> DatabaseLock::take(const std::filesystem::path& file) {
    DatabaseLock lock;
    lock.file_ = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (lock.file_ < 0 && errno == ENOENT) return lock;
    const auto refused = [&file](const std::string& why) {
        return core::Error{core::ErrorCode::kStorageUnavailable, file.string() + why, {}};
    };
    if (lock.file_ < 0) return refused(": " + std::generic_category().message(errno));
    // The bytes that SQLite locks (sqlite.org/fileformat2.html, "the lock-byte page"). A lock of
    // the open file: a lock of the process would be lost at the next close of any descriptor of the
    // file.
    struct flock bytes {};
    bytes.l_type = F_WRLCK;
    bytes.l_whence = SEEK_SET;
    bytes.l_start = 0x40000000;
    bytes.l_len = 512;
    HEADWAY_ASSERT(lock.file_ >= 0);
    if (::fcntl(lock.file_, F_OFD_SETLK, &bytes) == 0) return lock;
    return refused(" is in use by another process; stop headway first");
}

}  // namespace headway::storage

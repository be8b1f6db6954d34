// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.hpp"

namespace headway::storage {

/// A lock on a database file, like that of a running daemon: no daemon can use the file while it is
/// moved or replaced. The destructor releases the lock.
class DatabaseLock {
public:
    /// A missing file needs no lock. Error: kStorageUnavailable if another process has the file
    /// open, or if the file cannot be opened.
    static core::Result<DatabaseLock> take(const std::filesystem::path& file);

    DatabaseLock() = default;
    DatabaseLock(DatabaseLock&& other) noexcept;
    DatabaseLock& operator=(DatabaseLock&& other) noexcept;
    ~DatabaseLock();

private:
    int file_ = -1;
};

}  // namespace headway::storage

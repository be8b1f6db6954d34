// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/result.hpp"

namespace headway::storage {

/// Keeps every daemon away from a database file, as one that runs does, while it is moved or
/// replaced. Released when it is destroyed.
class DatabaseLock {
public:
    /// A file that is not there needs no lock. Error: kStorageUnavailable where somebody has it
    /// open, or it cannot be opened.
    static core::Result<DatabaseLock> take(const std::filesystem::path& file);

    DatabaseLock() = default;
    DatabaseLock(DatabaseLock&& other) noexcept;
    DatabaseLock& operator=(DatabaseLock&& other) noexcept;
    ~DatabaseLock();

private:
    int file_ = -1;
};

}  // namespace headway::storage

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/result.hpp"

namespace headway::storage {

/// The free space on the database's disk, and a reserve of space. The reserve is needed because
/// SQLite cannot even delete on a full disk. One thread.
class DiskSpace {
public:
    virtual ~DiskSpace() = default;

    /// Bytes that may still be written; nothing if unknown.
    virtual std::optional<std::uint64_t> free_bytes() = 0;
    /// Size of the reserve.
    virtual std::uint64_t size() const = 0;
    /// True if the reserve is allocated. A reserve of size 0 is always allocated.
    virtual bool reserved() const = 0;
    /// Frees the space of the reserve. False if the reserve is not allocated.
    virtual bool release() = 0;
    /// Allocates the reserve if at least `leave` bytes remain free after that; otherwise returns
    /// false.
    virtual bool reserve(std::uint64_t leave) = 0;
};

/// Keeps the reserve as a file next to the database.
class BallastFile final : public DiskSpace {
public:
    /// Uses an existing file if it has the right size, and deletes it otherwise.
    BallastFile(std::filesystem::path file, std::uint64_t bytes);

    std::optional<std::uint64_t> free_bytes() override;
    std::uint64_t size() const override { return bytes_; }
    bool reserved() const override { return held_; }
    bool release() override;
    bool reserve(std::uint64_t leave) override;

private:
    std::filesystem::path file_;
    std::uint64_t bytes_;
    bool held_ = false;
};

}  // namespace headway::storage

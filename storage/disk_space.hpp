// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/result.hpp"

namespace headway::storage {

/// The room on the disk that the database lies on, and a reserve of it: where there is none at all
/// SQLite cannot even delete. One thread.
class DiskSpace {
public:
    virtual ~DiskSpace() = default;

    /// Bytes that may still be written; nothing where that cannot be told.
    virtual std::optional<std::uint64_t> free_bytes() = 0;
    /// How large the reserve is.
    virtual std::uint64_t size() const = 0;
    /// Whether the reserve is held. One of size 0 always is.
    virtual bool reserved() const = 0;
    /// Gives the reserve back to the disk; false when it is not held.
    virtual bool release() = 0;
    /// Takes it, when that leaves at least `leave` bytes; false when it does not.
    virtual bool reserve(std::uint64_t leave) = 0;
};

/// The reserve as a file of that size beside the database.
class BallastFile final : public DiskSpace {
public:
    /// Adopts a file of the right size that is there, and deletes one of another.
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

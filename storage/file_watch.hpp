// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/result.hpp"

namespace headway::storage {

/// Whether the database and its log are still under their names, and as long as what was written.
/// SQLite does not look: it writes on into files that were deleted, renamed or cut, and all of it
/// is gone with the process. Two calls of stat() a look, some microseconds.
class FileWatch {
public:
    enum class Found : std::uint8_t {
        kSound,
        kMoved,    ///< the database is not under its name, or another one is; it may come back
        kLogGone,  ///< the same of the log alone: what is in it can still be read
        kCut       ///< one of them is shorter than what was written
    };

    FileWatch() = default;  ///< looks at nothing
    /// Both must be there.
    explicit FileWatch(const std::filesystem::path& database);

    /// `log_bytes`: how long the log must be at least.
    Found look(std::uint64_t log_bytes);
    /// What was found and what to do about it, for the log and for people.
    std::string explain(Found found) const;

private:
    struct File {
        std::string path;
        dev_t device = 0;
        ino_t inode = 0;
        std::uint64_t bytes_min = 0;
    };
    enum class State : std::uint8_t { kHere, kGone, kShort };
    static State look_at(File& file, std::uint64_t& bytes);

    File database_;
    File log_;
};

}  // namespace headway::storage

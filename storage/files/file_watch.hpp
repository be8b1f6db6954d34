// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.hpp"

namespace headway::storage {

/// Checks that the database and its WAL still have their names and have not become shorter. SQLite
/// does not check this: it continues to write to deleted, renamed or truncated files, and these
/// writes are lost when the process ends. A WAL that was truncated and then written to is as long
/// as before but has a hole, so its header and its last frames are read as well. A check takes a
/// few microseconds.
class FileWatch {
public:
    enum class Found : std::uint8_t {
        kSound,
        kMoved,    ///< the database was renamed or replaced; it may get its name back
        kLogGone,  ///< only the WAL is gone; its content can still be read
        kCut       ///< a file is shorter than written, or has a hole
    };

    FileWatch() = default;  ///< checks nothing
    /// Both files must exist.
    explicit FileWatch(const std::filesystem::path& database);

    FileWatch(FileWatch&& other) noexcept;
    FileWatch& operator=(FileWatch&& other) noexcept;
    ~FileWatch();

    /// `log_bytes`: length of the WAL up to its last frame; 0 if it has no frames.
    Found look(std::uint64_t log_bytes);
    /// A text for the log and for people: the finding, and the action that it requires.
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
    bool is_written(std::uint64_t bytes) const;

    File database_;
    File log_;
    std::uint64_t written_ = 0;  ///< last known length of the WAL
    int log_fd_ = -1;            ///< the WAL, open for reading; closing it loses no lock, since
                                 ///< SQLite locks other files
};

}  // namespace headway::storage

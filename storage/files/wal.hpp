// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

// Layout of the write-ahead log of a SQLite database:
// https://www.sqlite.org/fileformat2.html#the_write_ahead_log

namespace headway::storage::wal {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kPageBytesAt = 8;  ///< offset in the header, like kSaltsAt and kSumsAt
constexpr std::size_t kSaltsAt = 16;
constexpr std::size_t kSaltsBytes = 8;
constexpr std::size_t kSumsAt = 24;
/// Length of a frame's header, which precedes each page.
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::size_t kCommitAt = 4;  ///< offset in a frame's header, like the next two
constexpr std::size_t kFrameSaltsAt = 8;
constexpr std::size_t kFrameSumsAt = 16;

inline std::filesystem::path path_of(const std::filesystem::path& database) {
    return database.string() + "-wal";
}

}  // namespace headway::storage::wal

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "cli/records/file_stream.hpp"
#include "cli/scan/scanned_session.hpp"
#include "cli/stores/stored_line.hpp"
#include "core/base/result.hpp"

// Files of stored sessions, read and judged. Nothing is written.

namespace headway::cli {

/// A file that may hold stored sessions.
struct StoreFile {
    std::filesystem::path path;
    const StoreFormat* format = nullptr;  ///< null: by its first lines
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970
    std::uint64_t inode = 0;
};

/// Called now and then; true ends the reading, and what was read is the result.
using StopScan = std::function<bool()>;

/// Reads and judges one stored session. Memory: one line and the state of one session. Error:
/// kBadRequest for a file of no known format. Pure but for `lines`.
core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options, const StopScan& stop);

/// All sessions of a file of a store. It is opened again, and taken only as a regular file of
/// this user. Error: kBadRequest, why not, without the name.
core::Result<std::vector<ScannedSession>> scan_file(const StoreFile& file,
                                                    const JudgeOptions& options,
                                                    const StopScan& stop);

/// The same of a file that a person named; nothing unless its first lines are those of a stored
/// session, and then the stream is at its beginning still. Error: kBadRequest, the detail names the
/// file.
std::optional<core::Result<ScannedSession>> scan_if_stored(FileStream& stream,
                                                           const std::string& file,
                                                           const JudgeOptions& options);

}  // namespace headway::cli

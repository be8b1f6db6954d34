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
    const StoreFormat* format = nullptr;  ///< null: recognised by its first lines
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970
    std::uint64_t inode = 0;
};

/// Called from time to time. If it returns true, reading ends, and the result is what was read so
/// far.
using StopScan = std::function<bool()>;

/// Reads and judges one stored session. Memory: one line and the state of one session. Error:
/// kBadRequest for a file of no known format. Pure, except for `lines`.
core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options, const StopScan& stop);

/// All sessions in a store's file, which is opened again and accepted only as a regular file of
/// this user. Error: kBadRequest, the reason without the file's name.
core::Result<std::vector<ScannedSession>> scan_file(const StoreFile& file,
                                                    const JudgeOptions& options,
                                                    const StopScan& stop);

/// Takes a line of a stored session, with its `reports`, and the session as far as it has been
/// read. If it returns false, reading ends.
using TakeStored = std::function<bool(StoredLine& line, const StoredAbout& about)>;

/// Reads one session of a store's file once more: in a database the one with this id. Errors: as
/// scan_file().
core::Result<> read_reports(const StoreFile& file, const std::string& id, const TakeStored& take);

/// The session in a file that a person named. Nothing if the file is not a stored session; the
/// stream is then still at its beginning. Error: kBadRequest, the detail names the file.
std::optional<core::Result<ScannedSession>> scan_if_stored(FileStream& stream,
                                                           const std::string& file,
                                                           const JudgeOptions& options);

}  // namespace headway::cli

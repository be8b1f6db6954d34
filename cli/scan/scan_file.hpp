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

// Reads and judges files of stored sessions. Writes nothing.

namespace headway::cli {

/// A file that may hold stored sessions.
struct StoreFile {
    std::filesystem::path path;
    /// The file's format; null: to be recognised by its first lines.
    const StoreFormat* format = nullptr;
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970
    std::uint64_t inode = 0;
};

/// Called from time to time. If it returns true, reading stops, and the result covers only the
/// lines read until then.
using StopScan = std::function<bool()>;

/// Reads and judges one stored session. Memory: one line and the state of one session. Error:
/// kBadRequest for a file of no known format. Changes only `lines`.
core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options, const StopScan& stop);

/// All sessions in a store's file. The file is opened again and must be a regular file of this
/// user. Error: kBadRequest; the detail does not name the file.
core::Result<std::vector<ScannedSession>> scan_file(const StoreFile& file,
                                                    const JudgeOptions& options,
                                                    const StopScan& stop);

/// Receives one line of a stored session, with its `reports`, and the facts about the session read
/// so far. If it returns false, reading stops.
using TakeStored = std::function<bool(StoredLine& line, const StoredAbout& about)>;

/// Reads one session of a store's file again. In a database, `id` selects the session. Errors: as
/// in scan_file().
core::Result<> read_reports(const StoreFile& file, const std::string& id, const TakeStored& take);

/// The session in a file that a person named. Nothing if the file is not a stored session; `stream`
/// is then still at its beginning. The session is empty if no line of it is understood. Error:
/// kBadRequest; the detail names the file.
std::optional<core::Result<ScannedSession>> scan_if_stored(FileStream& stream,
                                                           const std::string& file,
                                                           const JudgeOptions& options);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace headway::cli {

/// The longest time between two events that is believed, 30 years: a broken clock must not overflow
/// ours.
inline constexpr double kRecordedSecondsMax = 1e9;

/// The advice for a file that is no recording.
inline constexpr const char* kRecordingHint =
    "a recording is JSONL, as `headway events SESSION --jsonl` prints it";

/// One event ready to be reported, and when it happened in the recording.
struct RecordedEvent {
    std::string event;              ///< JSON text: {"type","event_id","data"}
    std::optional<double> seconds;  ///< of the recording's own clock
    std::size_t line = 0;           ///< of the file, from 1
    bool acknowledges = false;      ///< `event` is empty: the newest advice, if there is any
};

/// One event as the daemon stored it.
struct StoredLine {
    std::string text;      ///< JSON
    std::size_t line = 0;  ///< of the file, from 1
};

/// A recorded session in the daemon's words.
struct Recording {
    std::string session;  ///< the id it suggests; may be empty or not valid as an id
    std::string open;     ///< JSON text: body of PUT /v1/sessions/{id}
    std::string meta;     ///< JSON text of its `meta` line, which says what it is for; or empty
    std::optional<double> opened;  ///< of the recording's own clock
    std::vector<RecordedEvent> events;
    /// A whole export, from the first event without a gap; else empty. `events` are then what of it
    /// can be reported again.
    std::vector<StoredLine> journal;
    std::size_t lines = 0;    ///< that are not blank
    std::size_t skipped = 0;  ///< lines that only a daemon writes, or of an unknown type
    std::string gap;          ///< where an export is not whole, in words; empty: it is, or is none
};

/// Reads JSONL: either a recorded agent session (`session_start`, `tool_call`, ..., `end`, one
/// object a line), the daemon's own export (`headway events --jsonl`), or events as an agent
/// reports them ({"type","data"}; {"ack":true} acknowledges the newest advice). Event ids come from
/// the line's number in the recording, so playing it again is idempotent. Error: kInvalidJson when
/// a line is not a JSON object, or of another session than those before it; the detail begins with
/// its number ("12: ..."), to stand behind the file.
core::Result<Recording> read_recording(std::istream& lines);

/// The same of a file, for a verb that was given its name. Errors: as above, and kBadRequest where
/// there is nothing to read, be it a folder; the detail names the file.
core::Result<Recording> read_recording_file(const std::string& file);

/// The id for a recording that suggests `suggested`: that, or the file's name, made valid. Pure.
std::string recorded_id(const std::string& suggested, const std::string& file);

}  // namespace headway::cli

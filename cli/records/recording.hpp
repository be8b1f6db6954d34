// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/events/event.hpp"

namespace headway::cli {

class FileStream;

/// The longest accepted time between two events, 30 years: a broken clock must not overflow
/// Headway's times.
inline constexpr double kRecordedSecondsMax = 1e9;

/// The advice for a file that is not a recording.
inline constexpr const char* kRecordingHint =
    "a recording is JSONL, as `headway events SESSION --jsonl` prints it";

/// The purpose of reading a recording.
enum class ReadFor : std::uint8_t {
    kPlay,        ///< each event as text that a daemon accepts
    kJudge,       ///< a whole export as its stored events, any other recording as for kJudgeAgain
    kJudgeAgain,  ///< each event decoded, without those that Headway wrote
};

/// One event ready to be reported, and when it happened in the recording.
struct RecordedEvent {
    std::string text;  ///< for kPlay, JSON: {"type","event_id","data"}
    /// For kJudge and kJudgeAgain. Errors: those of api::decode_report().
    core::Result<core::Event> event;
    std::optional<double> seconds;  ///< time of the event by the recording's own clock
    std::size_t line = 0;           ///< number of the line in the file, from 1
    /// True: this is not an event. It acknowledges the newest advice, if there is any.
    bool acknowledges = false;
};

/// One event as the daemon stored it.
struct StoredEvent {
    core::Result<core::Event> event;  ///< errors: those of api::decode_stored_event()
    std::size_t line = 0;             ///< number of the line in the file, from 1
};

/// A recorded session in the form that the daemon uses.
struct Recording {
    std::string session;  ///< suggested id; may be empty or invalid
    std::string open;     ///< JSON text: body of PUT /v1/sessions/{id}
    std::string meta;     ///< JSON text of the `meta` line with the recording's purpose, or empty
    std::optional<double> opened;  ///< time of the opening by the recording's own clock
    std::vector<RecordedEvent> events;
    /// For kJudge: events of a whole export, from the first one on without a gap; `events` is then
    /// empty.
    std::vector<StoredEvent> journal;
    bool whole_export = false;
    std::size_t lines = 0;    ///< lines that are not blank
    std::size_t skipped = 0;  ///< lines that only a daemon writes, or that have an unknown type
    std::string gap;  ///< where an export is incomplete, in words; empty: the export is whole, or
                      ///< the file is not an export
};

/// Reads JSONL: either a recorded agent session (`session_start`, `tool_call`, ..., `end`, one
/// object per line), the daemon's own export (`headway events --jsonl`), or events as an agent
/// reports them ({"type","data"}; {"ack":true} acknowledges the newest advice). Event ids come from
/// the line's number in the recording, so playing it again is idempotent. Error: kInvalidJson for a
/// line that is not a JSON object, for a line of another session than the lines before and, for
/// kPlay, for an event that no daemon accepts. The detail begins with the line's number ("12:
/// ..."), so that it can follow the file's name.
core::Result<Recording> read_recording(std::istream& lines, ReadFor use);

/// Reads the recording in a file that a verb was given. Errors: as above, and kBadRequest if
/// nothing can be read, as from a folder; the detail names the file.
core::Result<Recording> read_recording_file(const std::string& file, ReadFor use);
/// Reads the recording in a file that is open; its beginning may have been examined. Errors: as
/// above.
core::Result<Recording> read_recording_file(FileStream& stream, const std::string& file,
                                            ReadFor use);

/// The id for a recording: `suggested` or, if that is empty, the file's name, made valid. Pure.
std::string recorded_id(const std::string& suggested, const std::string& file);

}  // namespace headway::cli

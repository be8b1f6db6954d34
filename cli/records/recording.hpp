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

/// The longest time between two events that is believed, 30 years: a broken clock must not overflow
/// ours.
inline constexpr double kRecordedSecondsMax = 1e9;

/// The advice for a file that is no recording.
inline constexpr const char* kRecordingHint =
    "a recording is JSONL, as `headway events SESSION --jsonl` prints it";

/// Purpose of reading a recording.
enum class ReadFor : std::uint8_t {
    kPlay,        ///< each event as text that a daemon takes
    kJudge,       ///< a whole export as the events that it holds, all else as below
    kJudgeAgain,  ///< each event decoded, what Headway wrote left out
};

/// One event ready to be reported, and when it happened in the recording.
struct RecordedEvent {
    std::string text;  ///< for kPlay, JSON: {"type","event_id","data"}
    /// For the others. Errors: those of api::decode_report().
    core::Result<core::Event> event;
    std::optional<double> seconds;  ///< of the recording's own clock
    std::size_t line = 0;           ///< of the file, from 1
    bool acknowledges = false;      ///< it is no event: the newest advice is, if there is any
};

/// One event as the daemon stored it.
struct StoredEvent {
    core::Result<core::Event> event;  ///< errors: those of api::decode_stored_event()
    std::size_t line = 0;             ///< of the file, from 1
};

/// A recorded session in the daemon's words.
struct Recording {
    std::string session;  ///< the id it suggests; may be empty or not valid as an id
    std::string open;     ///< JSON text: body of PUT /v1/sessions/{id}
    std::string meta;     ///< JSON text of its `meta` line, which says what it is for; or empty
    std::optional<double> opened;  ///< of the recording's own clock
    std::vector<RecordedEvent> events;
    /// For kJudge: a whole export, from the first event without a gap; `events` are then empty.
    std::vector<StoredEvent> journal;
    bool whole_export = false;
    std::size_t lines = 0;    ///< that are not blank
    std::size_t skipped = 0;  ///< lines that only a daemon writes, or of an unknown type
    std::string gap;          ///< where an export is not whole, in words; empty: it is, or is none
};

/// Reads JSONL: either a recorded agent session (`session_start`, `tool_call`, ..., `end`, one
/// object a line), the daemon's own export (`headway events --jsonl`), or events as an agent
/// reports them ({"type","data"}; {"ack":true} acknowledges the newest advice). Event ids come from
/// the line's number in the recording, so playing it again is idempotent. Error: kInvalidJson when
/// a line is not a JSON object, or of another session than those before it, or, for kPlay, an event
/// that no daemon takes; the detail begins with its number ("12: ..."), to stand behind the file.
core::Result<Recording> read_recording(std::istream& lines, ReadFor use);

/// The same of a file, for a verb that was given its name. Errors: as above, and kBadRequest where
/// there is nothing to read, be it a folder; the detail names the file.
core::Result<Recording> read_recording_file(const std::string& file, ReadFor use);
/// The same of one that is open, be it with its beginning looked at.
core::Result<Recording> read_recording_file(FileStream& stream, const std::string& file,
                                            ReadFor use);

/// The id for a recording that suggests `suggested`: that, or the file's name, made valid. Pure.
std::string recorded_id(const std::string& suggested, const std::string& file);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/json/json_document.hpp"
#include "cli/records/recording.hpp"
#include "core/base/result.hpp"
#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"
#include "core/values/verdict.hpp"

// A recording judged without a daemon, by the decoder and the core that the daemon uses.

namespace headway::cli {

/// Policy from the words of --policy: `balanced`, `strict` or KEY=VALUE with the keys of `policy`
/// in PUT /v1/sessions/{id}. Errors: those of api::decode_open, naming the key. Pure.
core::Result<core::PolicyOverride> policy_of(const std::vector<std::string>& words);

struct JudgeOptions {
    core::PolicyOverride policy;  ///< wins over what the recording was opened with
    bool keep_journal = false;
    /// A judge that answers every question at once, and always with this: what becomes of the
    /// verdicts beside one that lies. Absent: there is no judge.
    std::optional<core::CheckAnswer> opinion;
    /// An unreadable line costs an event and not the recording: Timeline::unreadable.
    bool lenient = false;
};

/// A verdict or a directive, and where a reader finds what led to it.
struct Step {
    core::Event event;
    std::size_t line = 0;            ///< of the file: the event it followed
    std::size_t call = 0;            ///< how many calls had finished then
    std::chrono::milliseconds at{};  ///< since the opening
};

/// One event of the journal that judging made.
struct JournalEntry {
    core::Event event;
    std::size_t line = 0;  ///< of the file it came from; 0: from the opening
    std::size_t call = 0;
};

struct Timeline {
    std::size_t events = 0;        ///< judged
    std::size_t duplicates = 0;    ///< event ids seen before, counted once as the daemon does
    std::size_t refused = 0;       ///< after the end, or of an attempt that was taken over
    std::size_t unreadable = 0;    ///< left out, see JudgeOptions::lenient
    std::string first_unreadable;  ///< why, and the line: "12: ..."
    std::size_t calls = 0;         ///< tool.finished among the events
    std::vector<Step> verdicts;
    std::vector<Step> directives;
    core::Judgement last;
    /// After how many calls simpler rules would have stopped it, to compare: the same call this
    /// often in a row, or this many minutes without an event.
    std::optional<std::size_t> same_3, same_5, quiet_10, quiet_30;
    bool timed = false;                 ///< the recording says when its events were
    std::vector<JournalEntry> journal;  ///< entry k is event k + 1; empty unless it was asked for
};

/// Judges the events of one session as they come, for what is read piece by piece.
class EventJudge {
public:
    /// `options` has to live as long.
    EventJudge(const JudgeOptions& options, core::SessionStarted about);
    EventJudge(const EventJudge&) = delete;
    EventJudge& operator=(const EventJudge&) = delete;
    ~EventJudge();

    /// `at`: since the opening; a clock that runs backwards stands still.
    void report(core::Event event, std::chrono::milliseconds at, std::size_t line);
    /// The newest advice to change the approach; nothing without one.
    void acknowledge(std::chrono::milliseconds at, std::size_t line);
    /// Timeline of the events so far, without `last`.
    const Timeline& timeline() const;
    Timeline finish();

private:
    class Judge;
    core::Timestamp moved_to(std::chrono::milliseconds at);

    std::unique_ptr<Judge> judge_;
    std::chrono::milliseconds now_{};
};

/// The way in which a recording has to be read for this judgement. Pure.
ReadFor reading_for(const JudgeOptions& options);

/// A whole export is judged by judge_journal(), unless another policy or a judge is asked for. All
/// else event after event, at the times of the recording's own clock; one second an event where
/// it has none. Nothing is judged between events: a recording does not tell whether an agent that
/// wrote nothing was silent. Errors: those of api::decode_report and decode_open; the detail begins
/// with the line ("12: ..."). Precondition: it was read for this. Pure; `document` is scratch
/// memory.
core::Result<Timeline> judge_recording(Recording recording, const JudgeOptions& options,
                                       api::JsonDocument& document);

}  // namespace headway::cli

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

// Judges recordings without a daemon, with the same decoder and core that the daemon uses.

namespace headway::cli {

/// Policy from the words of --policy: `balanced`, `strict` or KEY=VALUE with the keys of `policy`
/// in PUT /v1/sessions/{id}. Errors: those of api::decode_open, which name the key. Pure.
core::Result<core::PolicyOverride> policy_of(const std::vector<std::string>& words);

/// The time of the opening in a recording without a clock of its own. It is not 0, which means
/// "never" in the core.
inline constexpr core::Timestamp kRecordingZero{
    std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

struct JudgeOptions {
    core::PolicyOverride policy;  ///< takes precedence over the policy in the recording's opening
    bool keep_journal = false;
    /// The answer that an assumed judge gives at once to every question. It shows the verdicts that
    /// a wrong judge would cause. Absent: no judge.
    std::optional<core::CheckAnswer> opinion;
    /// An unreadable line loses one event, not the recording; see Timeline::unreadable.
    bool lenient = false;
};

/// A verdict or a directive, and where a reader finds its cause.
struct Step {
    core::Event event;
    std::size_t line = 0;            ///< line, in the file, of the event that led to it
    std::size_t call = 0;            ///< number of calls that had finished before it
    std::chrono::milliseconds at{};  ///< time since the opening
};

/// One event of the journal that results from judging.
struct JournalEntry {
    core::Event event;
    std::size_t line = 0;  ///< line in the file; 0: from the opening
    std::size_t call = 0;
};

struct Timeline {
    std::size_t events = 0;  ///< number of events judged
    /// Events whose id came before; they are ignored, as by the daemon.
    std::size_t duplicates = 0;
    std::size_t refused = 0;  ///< events after the end, or of an attempt that a later one
                              ///< replaced
    /// Number of unreadable events, which are left out (JudgeOptions::lenient).
    std::size_t unreadable = 0;
    /// "12: ...": line of the first unreadable event, and the reason.
    std::string first_unreadable;
    std::size_t calls = 0;  ///< number of tool.finished among the events
    std::vector<Step> verdicts;
    std::vector<Step> directives;
    core::Judgement last;
    /// For comparison with simpler rules: the number of calls after which each of them would have
    /// stopped the session. These rules are 3 or 5 consecutive equal calls, and 10 or 30 minutes
    /// without an event.
    std::optional<std::size_t> same_3, same_5, quiet_10, quiet_30;
    bool timed = false;                 ///< the recording has times of events
    std::vector<JournalEntry> journal;  ///< entry k is event k + 1; empty without keep_journal
};

/// Judges the events of one session as they come, for input that is read piece by piece.
class EventJudge {
public:
    /// `options` must outlive this object. `opened`: time of the opening; an agent's reset times
    /// use the same clock.
    EventJudge(const JudgeOptions& options, core::SessionStarted about,
               core::Timestamp opened = kRecordingZero);
    EventJudge(const EventJudge&) = delete;
    EventJudge& operator=(const EventJudge&) = delete;
    ~EventJudge();

    /// `at`: time since the opening; if it is earlier than the previous event's, the previous
    /// event's is used.
    void report(core::Event event, std::chrono::milliseconds at, std::size_t line);
    /// Acknowledges the newest advice to change the approach, if any.
    void acknowledge(std::chrono::milliseconds at, std::size_t line);
    /// Timeline of the events so far, without `last`.
    const Timeline& timeline() const;
    Timeline finish();

private:
    class Judge;
    core::Timestamp moved_to(std::chrono::milliseconds at);

    const core::Timestamp opened_;
    std::unique_ptr<Judge> judge_;
    std::chrono::milliseconds now_{};
};

/// The way in which a recording must be read for these options. Pure.
ReadFor reading_for(const JudgeOptions& options);

/// A whole export is judged by judge_journal(), unless `options` has a policy or a judge. Otherwise
/// the recording is judged event by event, at the times of its own clock or, if it has none, at one
/// event each second. Nothing is judged between events: a recording does not show whether an agent
/// that wrote nothing was silent. Errors: those of api::decode_report and decode_open; the detail
/// begins with the line ("12: ..."). Precondition: the recording was read as reading_for()
/// requires. Changes only `document`, which is scratch memory.
core::Result<Timeline> judge_recording(Recording recording, const JudgeOptions& options,
                                       api::JsonDocument& document);

}  // namespace headway::cli

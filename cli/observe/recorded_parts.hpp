// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/observe/observed_events.hpp"
#include "cli/scan/scanned_session.hpp"
#include "cli/stores/stored_line.hpp"

namespace headway::cli {

/// Maximum number of events that are taken from one stored session.
inline constexpr std::size_t kRecordedEventsMax = 100'000;

/// Makes, from one stored session, the parts that a daemon adds to its history (POST
/// /v1/sessions/{id}/recorded). The same file always gives the same events, so a part that is sent
/// again adds nothing. Memory: one part. Pure, except for `send`.
class RecordedParts {
public:
    /// Sends one part, a JSON array; false ends the reading.
    using Send = std::function<bool(std::string part)>;

    /// `session`: the scanned session. `session` and `send` must outlive this object.
    RecordedParts(const ScannedSession& session, const Send& send);

    /// Takes the next line. False: no more lines are needed.
    bool take(const StoredLine& line, const StoredAbout& about);
    /// For a dry run: sends only the opening. False if `send` returned false.
    bool begin();
    /// Sends the rest, with the end of the session. False if there was nothing to send, or if
    /// `send` returned false.
    bool finish();

    std::size_t events() const { return events_; }  ///< number of the agent's events, in all parts
    bool cut() const { return cut_; }               ///< the session has more events than are taken

private:
    bool flush();
    std::string opening() const;
    std::string ending() const;

    const ScannedSession& session_;
    const Send& send_;
    ObservedEvents observed_{0, ReportTimes::kOfLines};
    std::string goal_;
    std::string part_;      ///< the next part, without its brackets
    std::size_t held_ = 0;  ///< number of events in `part_`
    std::size_t events_ = 0;
    bool opened_ = false;
    bool rests_ = false;    ///< the turn was over at the last event
    bool aborted_ = false;  ///< that turn was cut short
    bool answers_ = false;  ///< the last event is an answer, and may be the last of its turn
    bool cut_ = false;
};

}  // namespace headway::cli

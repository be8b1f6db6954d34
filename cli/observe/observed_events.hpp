// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stores/stored_line.hpp"

namespace headway::cli {

class Json;

/// Prefix of the ids of all events that are reported from a stored session.
inline constexpr std::string_view kTranscriptEvent = "transcript-";

/// The label `adapter` of a session that is reported from a stored session.
inline constexpr std::string_view kTranscriptAdapter = "transcript";

/// "2026-11-28T10:00:00.000Z", from seconds since 1970.
std::string time_text(double seconds);

/// The session ids that the daemon uses for a stored session and its parent. Hooks use the same
/// ids.
struct ObservedNames {
    std::string session;
    std::string parent;  ///< the parent's session id; empty: none
};
ObservedNames names_of(const StoredAbout& about);

/// The opening with which a stored session is reported; it has no policy.
Json opening_of(const StoredAbout& about, const std::string& parent);

/// Whether the `at` of a report is its line's time; kNone: a report has no `at`.
enum class ReportTimes : std::uint8_t { kNone, kOfLines };

/// Makes reports from the lines of one stored session. The id of a report is a digest of its
/// content and its line's time. So a report that is made again, after a restart or from a rewritten
/// file, is counted once. Pure.
class ObservedEvents {
public:
    /// Lines from before `since`, in seconds since 1970, are the past: they only identify the
    /// session and its running calls, and make no reports.
    explicit ObservedEvents(double since, ReportTimes times = ReportTimes::kNone)
        : since_(since), times_(times) {}

    /// Adds the reports of one line, as JSON text. `sub_agent`: the session ends with its turn.
    void take(const StoredLine& line, bool sub_agent, std::vector<std::string>& reports);
    /// Ends the past, and adds reports of calls from the past that are still running. Has an effect
    /// only once; take() calls it at the first line after the past.
    void begin(std::vector<std::string>& reports);

private:
    static constexpr std::size_t kOpenMax = 64;

    bool is_live(const StoredLine& line);
    void note_past(const StoredLine& line);
    void add(const std::string& type, const Json& data, std::vector<std::string>& reports) const;
    void add_text(std::string_view text, std::vector<std::string>& reports) const;
    void add_use(const StoredUse& use, std::vector<std::string>& reports);
    void put(Json report, std::vector<std::string>& reports) const;

    double since_;
    ReportTimes times_;
    double last_ = 0;  ///< time of the last line with a time
    bool begun_ = false;
    std::map<std::string, std::string> open_;  ///< reports of calls from the past, by call id
    std::string answer_;                       ///< answer whose tokens were reported last
    LineTokens used_;                          ///< tokens of that answer so far
};

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/session/session.hpp"
#include "core/values/verdict.hpp"
#include "storage/base/keys.hpp"

// Lists and counts over all sessions. A query reads only the sessions concerned. Implemented in SQL
// (sql_sessions.cpp).

namespace headway::storage {

/// Selects sessions; an empty filter selects all.
struct SessionFilter {
    std::vector<core::Verdict> verdicts;
    std::optional<bool> open;
    std::optional<bool> recorded;
    std::optional<core::Label> label;
    std::string agent_type;
    std::string parent;
    /// A text that occurs in the id, the goal, the agent or a label's value; letter case is
    /// ignored.
    std::string text;
    std::optional<std::vector<std::string>> ids;  ///< unknown ids are ignored
};

/// A need of an open session: a reason for attention other than an approval or an alarm.
struct SessionNeed {
    SessionKey session = 0;
    core::Timestamp since = core::kNever;
    /// True if the reason is the session's budget. False if it is the verdict: blocked, stuck,
    /// silent, or waiting for a person.
    bool over_budget = false;
};

/// A session, open or ended, with an unacknowledged alarm.
struct SessionAlarm {
    SessionKey session = 0;
    /// Kind of the most urgent alarm.
    core::ApprovalAlarmKind kind = core::ApprovalAlarmKind::kNeverExecuted;
    core::Timestamp at = core::kNever;
};

/// Numbers of sessions, by their most urgent alarm.
using AlarmCounts =
    std::array<std::uint64_t, core::EnumNames<core::ApprovalAlarmKind>::kNames.size()>;

using VerdictCounts = std::array<std::uint64_t, core::kVerdictCount>;

/// True if the indexes can answer the filter; otherwise each session must be read.
inline bool is_indexed(const SessionFilter& filter) {
    return filter.ids || !filter.parent.empty() ||
           (filter.text.empty() && filter.agent_type.empty() && !filter.label);
}

class SessionIndex {
public:
    virtual ~SessionIndex() = default;

    /// Called in the transaction of events that opened or ended the session, or changed its
    /// verdict, budget level or alarms; `now` is the time of these events.
    virtual core::Result<> index_session(SessionKey key, const core::Session& session,
                                         core::Timestamp now) = 0;
    /// The keys of matching sessions that are below `before`, newest first.
    virtual core::Result<std::vector<SessionKey>> list(const SessionFilter& filter,
                                                       SessionKey before, std::size_t limit) = 0;
    virtual core::Result<std::uint64_t> count(const SessionFilter& filter) = 0;
    /// Numbers of open sessions, by verdict.
    virtual core::Result<VerdictCounts> count_open() = 0;
    /// Needs, the most urgent first: stuck, over the budget, blocked and waiting, silent; among
    /// equally urgent ones, the oldest first.
    virtual core::Result<std::vector<SessionNeed>> needs(std::size_t limit) = 0;
    /// Number of needs, plus the number of sessions with an unacknowledged alarm.
    virtual core::Result<std::uint64_t> count_needs() = 0;
    /// The keys of matching sessions that are at least `from` and below `before`, newest first.
    /// This is one step of a list that must read many sessions.
    virtual core::Result<std::vector<SessionKey>> list_range(const SessionFilter& filter,
                                                             SessionKey from,
                                                             SessionKey before) = 0;
    /// A key greater than all keys in use.
    virtual core::Result<SessionKey> sessions_end() = 0;
    /// Alarms, the most urgent first; among equally urgent ones, the oldest first.
    virtual core::Result<std::vector<SessionAlarm>> alarms(std::size_t limit) = 0;
    /// Numbers of sessions with an unacknowledged alarm, by their most urgent alarm.
    virtual core::Result<AlarmCounts> count_alarms() = 0;
};

}  // namespace headway::storage

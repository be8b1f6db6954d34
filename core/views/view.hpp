// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/session/session.hpp"
#include "core/values/watch.hpp"

namespace headway::core {

/// The facts about a session that readers need; with these they need not ask the session's owner. A
/// view is published after every commit that changed the session. It takes about 400 bytes.
struct SessionView {
    std::string id;
    std::uint64_t n = 0;
    bool ended = false;
    JudgementPtr judgement;
    EstimatePtr estimate;  ///< the newest estimate; null before the first one
    std::string end_code;  ///< SessionState::end_code
    std::optional<Outcome> outcome;
    bool says_complete = false;
    Timestamp last_beat_at = kNever;
    Millis asked_interval{0};
    std::uint64_t heartbeats = 0;
    std::uint64_t state_changes = 0;
    std::optional<EventType> last_change;
    Timestamp last_change_at = kNever;
    std::string phase;
    std::optional<std::uint64_t> iteration;
    std::optional<ApprovalAlarmKind> alarm;              ///< the most urgent unacknowledged alarm
    std::array<std::uint64_t, kVerdictCount> reached{};  ///< as SessionState::reached
    Timestamp heard_at = kNever;                         ///< as SessionState::heard_at()
    bool held = false;        ///< a person was asked or has paused the session: silence is expected
    bool quiet_call = false;  ///< a call is in flight, and no heartbeat has arrived since its start
};

/// Pure.
SessionView view_of(const Session& session);

/// True if the session counts as alive: it has not ended, its last heartbeat is less than two
/// heartbeat intervals old (with credit for attention gaps), and its verdict is not silent. Pure.
bool is_alive(const SessionView& view, Timestamp now, const Watch& watch);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/approval_payloads.hpp"
#include "core/budget_payloads.hpp"
#include "core/judge_payloads.hpp"
#include "core/run_payloads.hpp"
#include "core/session_payloads.hpp"
#include "core/time.hpp"
#include "core/work_payloads.hpp"

namespace headway::core {

using Payload =
    std::variant<SessionStarted, Heartbeat, ToolStarted, ToolFinished, Message, Reflection,
                 TestResult, PhaseStarted, PhaseCompleted, PlanUpdated, ProgressEstimated,
                 FactLearned, StateChanged, ErrorReported, Compacted, VerdictChanged,
                 DirectiveIssued, DirectiveAcknowledged, CancelRequested, SessionEnded,
                 ProgressStats, BudgetSet, BudgetExtended, BudgetLevelChanged, ChildProgress,
                 ApprovalRequested, ApprovalDecided, ApprovalRedeemed, ApprovalExpired,
                 ApprovalRevoked, ApprovalAlarm, RunConflict, CheckRequested, CheckCompleted,
                 SessionAmended, BudgetUpdated, AlarmAcknowledged>;

/// One immutable entry in the journal of a session.
struct Event {
    std::uint64_t n = 0;  ///< 1, 2, 3 ... within the session, without gaps
    Timestamp at = kNever;
    std::uint32_t attempt = 0;  ///< as reported; 0 = not given
    /// The interval asked for from here on, when it changed; else 0.
    std::uint32_t next_heartbeat_ms = 0;
    /// What the agent does from here on, when this event changed it; the row of a journal keeps it
    /// so that a stream shows it.
    std::optional<AgentState> state;
    std::optional<AgentState> from;  ///< what it did before, with `state`
    std::string event_id;            ///< the client's key for deduplication, or empty
    Payload payload;

    bool operator==(const Event&) const = default;
};

/// Which type a payload is. Pure.
EventType type_of(const Payload& payload) noexcept;

/// A default payload of that type, to be filled by a decoder; nothing for a number that is no type.
/// Pure.
std::optional<Payload> make_payload(EventType type);

/// The name of a change for `last_change` ("tool_call"), empty when the type is no state change:
/// heartbeats, chatter, estimates and Headway's own events never are (DESIGN 1.2, first design
/// "stateChange").
std::string_view change_name(EventType type) noexcept;

/// True for the types a client may report.
bool reportable(EventType type) noexcept;

/// Whether the agent said it, as opposed to a judge who says what agents may say too.
bool of_agent(const Payload& payload) noexcept;

}  // namespace headway::core

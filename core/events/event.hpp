// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/judge_payloads.hpp"
#include "core/events/run_payloads.hpp"
#include "core/events/session_payloads.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::core {

/// One alternative for each type of event, in the order of EventType.
using AnyPayload = std::variant<
    SessionStarted, Heartbeat, ToolStarted, ToolFinished, Message, Reflection, TestResult,
    PhaseStarted, PhaseCompleted, PlanUpdated, ProgressEstimated, FactLearned, StateChanged,
    ErrorReported, Compacted, VerdictChanged, DirectiveIssued, DirectiveAcknowledged,
    CancelRequested, SessionEnded, ProgressStats, BudgetSet, BudgetExtended, BudgetLevelChanged,
    ChildProgress, ApprovalRequested, ApprovalDecided, ApprovalRedeemed, ApprovalExpired,
    ApprovalRevoked, ApprovalAlarm, RunConflict, CheckRequested, CheckCompleted, SessionAmended,
    BudgetUpdated, AlarmAcknowledged, DirectiveDelivered, ApprovalClosed>;

/// A value that can be assigned to a payload.
template <class T>
concept PayloadValue = std::is_constructible_v<AnyPayload, T> &&
    !std::is_base_of_v<AnyPayload, std::remove_cvref_t<T>>;

/// The content of an event: a variant whose copying, moving and destruction are compiled once, in
/// event.cpp. Otherwise nearly every source file would compile them for all types.
class Payload : public AnyPayload {
public:
    Payload();
    Payload(const Payload& other);
    Payload(Payload&& other) noexcept;
    Payload& operator=(const Payload& other);
    Payload& operator=(Payload&& other) noexcept;
    ~Payload();

    template <PayloadValue T>
    Payload(T&& value) : AnyPayload(std::forward<T>(value)) {}
    template <PayloadValue T>
    Payload& operator=(T&& value) {
        return *this = Payload(std::forward<T>(value));
    }

    bool operator==(const Payload& other) const;
};

/// One immutable entry in the journal of a session.
struct Event {
    std::uint64_t n = 0;  ///< number within the session: 1, 2, 3 ... without gaps
    Timestamp at = kNever;
    std::uint32_t attempt = 0;  ///< attempt as reported; 0 = not given
    /// The heartbeat interval in force from this event on, if the event changed it; else 0.
    std::uint32_t next_heartbeat_ms = 0;
    /// The agent's new state if this event changed it. Stored in the journal row, so that streams
    /// can show it.
    std::optional<AgentState> state;
    std::optional<AgentState> from;  ///< the state before `state`
    std::string event_id;            ///< the client's key for deduplication, or empty
    Payload payload;

    bool operator==(const Event&) const = default;
};

/// The type of a payload. Pure.
EventType type_of(const Payload& payload) noexcept;

/// Replaces `payload` with a default payload of `type`, for a decoder to fill. Returns false and
/// changes nothing for an unknown number.
bool set_payload(Payload& payload, EventType type);

/// A default payload of `type`, for a decoder to fill; nothing for an unknown number. Pure.
std::optional<Payload> make_payload(EventType type);

/// The name that `last_change` gives to this type ("tool_call"). Empty if events of this type are
/// no state changes: heartbeats, messages, estimates and Headway's own events (docs/detection.md,
/// section 1).
std::string_view change_name(EventType type) noexcept;

/// True for the types a client may report.
bool reportable(EventType type) noexcept;

/// True if the payload is the agent's own report, not a judge's or Headway's.
bool of_agent(const Payload& payload) noexcept;

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/values/policy.hpp"

// Closed enumerations of events. Values are stored: append only, never renumber.

namespace headway::core {

/// Values are stored: append only, never renumber.
enum class EventType : std::uint8_t {
    kSessionStarted,
    kHeartbeat,
    kToolStarted,
    kToolFinished,
    kMessage,
    kReflection,
    kTestResult,
    kPhaseStarted,
    kPhaseCompleted,
    kPlanUpdated,
    kProgressEstimated,
    kFactLearned,
    kStateChanged,
    kErrorReported,
    kCompacted,
    kVerdictChanged,
    kDirectiveIssued,
    kDirectiveAcknowledged,
    kCancelRequested,
    kSessionEnded,
    kProgressStats,
    kBudgetSet,
    kBudgetExtended,
    kBudgetLevel,
    kChildProgress,
    kApprovalRequested,
    kApprovalDecided,
    kApprovalRedeemed,
    kApprovalExpired,
    kApprovalRevoked,
    kApprovalAlarm,
    kRunConflict,
    kCheckRequested,
    kCheckCompleted,
    kSessionAmended,
    kBudgetUpdated,
    kAlarmAcknowledged,
    kDirectiveDelivered,
    kApprovalClosed,
};

template <>
struct EnumNames<EventType> {
    static constexpr std::array<std::string_view, 39> kNames{"session.started",
                                                             "heartbeat",
                                                             "tool.started",
                                                             "tool.finished",
                                                             "message",
                                                             "reflection",
                                                             "test.result",
                                                             "phase.started",
                                                             "phase.completed",
                                                             "plan.updated",
                                                             "progress.estimated",
                                                             "fact.learned",
                                                             "state.changed",
                                                             "error.reported",
                                                             "compacted",
                                                             "verdict.changed",
                                                             "directive.issued",
                                                             "directive.acknowledged",
                                                             "session.cancel_requested",
                                                             "session.ended",
                                                             "progress.stats",
                                                             "budget.set",
                                                             "budget.extended",
                                                             "budget.level",
                                                             "child.progress",
                                                             "approval.requested",
                                                             "approval.decided",
                                                             "approval.redeemed",
                                                             "approval.expired",
                                                             "approval.revoked",
                                                             "approval.alarm",
                                                             "run.conflict",
                                                             "check.requested",
                                                             "check.completed",
                                                             "session.amended",
                                                             "budget.updated",
                                                             "alarm.acknowledged",
                                                             "directive.delivered",
                                                             "approval.closed"};
};

template <>
struct EnumNames<Profile> {
    static constexpr std::array<std::string_view, 2> kNames{"balanced", "strict"};
};

/// Only Headway ends a session as `halted`, if the policy requires this. An agent may end its
/// session as `budget_exhausted`, but only once the budget is exhausted.
enum class Outcome : std::uint8_t { kCompleted, kFailed, kCancelled, kHalted, kBudgetExhausted };
template <>
struct EnumNames<Outcome> {
    static constexpr std::array<std::string_view, 5> kNames{"completed", "failed", "cancelled",
                                                            "halted", "budget_exhausted"};
};

/// The agent's own state (docs/first-designs.md, design 004).
enum class AgentState : std::uint8_t {
    kIdle,
    kProcessingPrompt,
    kStreamingResponse,
    kExecutingTool,
    kAwaitingPermission,
    kErrorRecovery,
    kProgressCheck,
    kPhaseTransition,
    kHalted,
};
template <>
struct EnumNames<AgentState> {
    static constexpr std::array<std::string_view, 9> kNames{
        "idle",           "processing_prompt",   "streaming_response",
        "executing_tool", "awaiting_permission", "error_recovery",
        "progress_check", "phase_transition",    "halted"};
};

enum class DirectiveKind : std::uint8_t {
    kContinue,
    kWrapUp,
    kStop,
    kPause,
    kWaitApproval,
    kChangeApproach,
};
template <>
struct EnumNames<DirectiveKind> {
    static constexpr std::array<std::string_view, 6> kNames{
        "continue", "wrap_up", "stop", "pause", "wait_approval", "change_approach"};
};

}  // namespace headway::core

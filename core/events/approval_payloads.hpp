// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/event_type.hpp"
#include "core/text/text.hpp"

// Events about approvals (api/API.md, "Approvals"). The rules of session_payloads.hpp apply. The id
// of an approval is `<session>.a<n>`, where n is the number of its approval.requested event. Thus
// the session can be found without a table, and no request can be decided under another session's
// name.

namespace headway::core {

/// A JSON value kept byte for byte as the approver sees it, at most limits::kApprovalArgsBytesMax.
/// Empty = absent.
struct ExactJson {
    std::string text;
    bool empty() const noexcept { return text.empty(); }
    bool operator==(const ExactJson&) const = default;
    static constexpr auto fields() { return field_list(field("text", &ExactJson::text)); }
};

enum class ApprovalKind : std::uint8_t { kTool, kQuestion, kAuth, kBudgetExtension };
template <>
struct EnumNames<ApprovalKind> {
    static constexpr std::array<std::string_view, 4> kNames{"tool", "question", "auth",
                                                            "budget_extension"};
};

enum class Risk : std::uint8_t { kUnknown, kLow, kMedium, kHigh, kCritical };
template <>
struct EnumNames<Risk> {
    static constexpr std::array<std::string_view, 5> kNames{"unknown", "low", "medium", "high",
                                                            "critical"};
};

enum class Decision : std::uint8_t { kApprove, kEdit, kReject, kRespond, kIgnore };
template <>
struct EnumNames<Decision> {
    static constexpr std::array<std::string_view, 5> kNames{"approve", "edit", "reject", "respond",
                                                            "ignore"};
};

/// The effect of expiry on a request without a decision.
enum class OnExpiry : std::uint8_t { kHold, kReject, kApprove, kEscalate };
template <>
struct EnumNames<OnExpiry> {
    static constexpr std::array<std::string_view, 4> kNames{"hold", "reject", "approve",
                                                            "escalate"};
};

/// Scope of an approval: this request, all equal requests of the session, or equal requests until a
/// given time.
enum class GrantScope : std::uint8_t { kOnce, kSession, kUntil };
template <>
struct EnumNames<GrantScope> {
    static constexpr std::array<std::string_view, 3> kNames{"once", "session", "until"};
};

/// Which later calls a grant covers: calls with exactly these arguments, or all calls of the tool.
enum class GrantMatch : std::uint8_t { kArgs, kTool };
template <>
struct EnumNames<GrantMatch> {
    static constexpr std::array<std::string_view, 2> kNames{"args", "tool"};
};

/// Values are stored: append only.
enum class ApprovalAlarmKind : std::uint8_t {
    kNeverExecuted,           ///< approved, but not executed in time
    kExecutedThoughRejected,  ///< a rejected call was executed
    kExecutedUnapproved,      ///< a call that needs approval was executed without it
    kStartedAfterRejection,   ///< a rejected call was started
    kApprovedButRefused,      ///< approved, and then refused by the agent's own rules
    kFanOut,                  ///< more sub-agents than the daemon allows (core/meters/fan_out.hpp)
};
template <>
struct EnumNames<ApprovalAlarmKind> {
    static constexpr std::array<std::string_view, 6> kNames{
        "never_executed",          "executed_though_rejected", "executed_unapproved",
        "started_after_rejection", "approved_but_refused",     "fan_out"};
};

/// Why a request no longer needs a decision, though no person has decided about it.
/// Values are stored: append only.
enum class ApprovalClosing : std::uint8_t {
    kAnsweredAtAgent,  ///< a person answered the agent's own dialog
    kLeftToAgent,      ///< the agent no longer waits for Headway's answer: its dialog decides
    kStopped,          ///< the session had to stop, so nothing waits for the decision
    kNotNeeded,        ///< a daily cap has room again, or the day is over
    kGrantEnded,       ///< approved by a grant that ended before the approval was used
    kRejected,         ///< a person rejected an equal call before the approval was used
    kTakenBack,        ///< the agent or its user gave up the held call before a decision
};
template <>
struct EnumNames<ApprovalClosing> {
    static constexpr std::array<std::string_view, 7> kNames{
        "answered_at_agent", "left_to_agent", "stopped",   "not_needed",
        "grant_ended",       "rejected",      "taken_back"};
};

struct ApprovalRequested {
    static constexpr EventType kType = EventType::kApprovalRequested;
    ApprovalKind kind = ApprovalKind::kTool;
    std::string tool;
    std::string call_id;
    ExactJson args;
    /// Digest of the canonical arguments: "sha256:" and 64 hexadecimal digits.
    std::string args_digest;
    Text summary;  ///< text for the approver, may be Markdown
    Risk risk = Risk::kUnknown;
    std::vector<std::string> options;  ///< answers to choose from, for a question
    std::optional<std::uint64_t> expires_in_ms;
    OnExpiry on_expiry = OnExpiry::kHold;
    std::optional<BudgetLimits> extend;  ///< amounts requested by a budget_extension
    /// The origin of the request: "agent", "call" (a tool.started that requests it), "policy",
    /// "headway" or "dialog" (kDialogSource).
    std::string source;
    /// Bytes of the arguments and the summary that are not shown. The approver must know of them,
    /// because `args_digest` covers them too.
    std::uint64_t hidden_bytes = 0;
    bool operator==(const ApprovalRequested&) const = default;
    static constexpr auto fields() {
        using A = ApprovalRequested;
        return field_list(field("kind", &A::kind), field("tool", &A::tool),
                          field("call_id", &A::call_id), field("args", &A::args),
                          field("args_digest", &A::args_digest), field("summary", &A::summary),
                          field("risk", &A::risk), field("options", &A::options),
                          field("expires_in_ms", &A::expires_in_ms),
                          field("on_expiry", &A::on_expiry), field("extend", &A::extend),
                          field("source", &A::source), field("hidden_bytes", &A::hidden_bytes));
    }
};

/// A decision about a request, with the person, the channel and the exact arguments. Its time is
/// Event::at.
struct ApprovalDecided {
    static constexpr EventType kType = EventType::kApprovalDecided;
    std::string id;
    Decision decision = Decision::kReject;
    std::string reason;
    std::string by;           ///< the person, if known; "policy" or "grant:<id>" if no person
                              ///< decided
    std::string channel;      ///< api, cli, dashboard, approve-agent, expiry, grant
    std::string args_digest;  ///< digest of the arguments that may run, as shown or as edited
    ExactJson edited_args;
    Text response;
    GrantScope scope = GrantScope::kOnce;
    Timestamp until = kNever;  ///< end of a grant of the scope kUntil
    bool stop = false;         ///< a rejection that ends the agent's run
    GrantMatch match = GrantMatch::kArgs;
    Timestamp execute_by = kNever;  ///< an approved call that has not run by then raises an alarm
    bool operator==(const ApprovalDecided&) const = default;
    static constexpr auto fields() {
        using A = ApprovalDecided;
        return field_list(required("id", &A::id), required("decision", &A::decision),
                          field("reason", &A::reason), field("by", &A::by),
                          field("channel", &A::channel), field("args_digest", &A::args_digest),
                          field("edited_args", &A::edited_args), field("response", &A::response),
                          field("scope", &A::scope), field("until", &A::until),
                          field("stop", &A::stop), field("match", &A::match),
                          field("execute_by", &A::execute_by));
    }
};

struct ApprovalRedeemed {
    static constexpr EventType kType = EventType::kApprovalRedeemed;
    std::string id;
    std::string args_digest;
    /// Key chosen by the redeeming client. A repetition with the same key gets the same reply.
    std::string key;
    bool operator==(const ApprovalRedeemed&) const = default;
    static constexpr auto fields() {
        return field_list(required("id", &ApprovalRedeemed::id),
                          field("args_digest", &ApprovalRedeemed::args_digest),
                          field("key", &ApprovalRedeemed::key));
    }
};

/// The deadline passed. If `action` is reject or approve, an approval.decided follows.
struct ApprovalExpired {
    static constexpr EventType kType = EventType::kApprovalExpired;
    std::string id;
    OnExpiry action = OnExpiry::kHold;
    bool operator==(const ApprovalExpired&) const = default;
    static constexpr auto fields() {
        return field_list(required("id", &ApprovalExpired::id),
                          field("action", &ApprovalExpired::action));
    }
};

/// A grant ends early. Calls that the grant has already covered stay allowed.
struct ApprovalRevoked {
    static constexpr EventType kType = EventType::kApprovalRevoked;
    std::string id;
    std::string by;
    std::string reason;
    bool operator==(const ApprovalRevoked&) const = default;
    static constexpr auto fields() {
        return field_list(required("id", &ApprovalRevoked::id), field("by", &ApprovalRevoked::by),
                          field("reason", &ApprovalRevoked::reason));
    }
};

/// A request ended without a decision, or an approval ended unused; `how` is the reason. No
/// decision follows: an answer that a person gave in the agent's own dialog is not known here.
struct ApprovalClosed {
    static constexpr EventType kType = EventType::kApprovalClosed;
    std::string id;
    ApprovalClosing how = ApprovalClosing::kAnsweredAtAgent;
    bool operator==(const ApprovalClosed&) const = default;
    static constexpr auto fields() {
        return field_list(required("id", &ApprovalClosed::id),
                          required("how", &ApprovalClosed::how));
    }
};

struct ApprovalAlarm {
    static constexpr EventType kType = EventType::kApprovalAlarm;
    ApprovalAlarmKind alarm = ApprovalAlarmKind::kNeverExecuted;
    std::string id;  ///< id of the request; empty without a request
    std::string tool;
    std::vector<std::uint64_t> evidence;
    std::string detail;  ///< for kFanOut: the count and its limit
    bool operator==(const ApprovalAlarm&) const = default;
    static constexpr auto fields() {
        return field_list(field("alarm", &ApprovalAlarm::alarm), field("id", &ApprovalAlarm::id),
                          field("tool", &ApprovalAlarm::tool),
                          field("evidence", &ApprovalAlarm::evidence),
                          field("detail", &ApprovalAlarm::detail));
    }
};

/// A person has seen these alarms, so they no longer need attention. Only an operator may report
/// this.
struct AlarmAcknowledged {
    static constexpr EventType kType = EventType::kAlarmAcknowledged;
    std::vector<std::uint64_t> alarms;  ///< numbers of approval.alarm events
    std::string by;
    std::string reason;
    bool operator==(const AlarmAcknowledged&) const = default;
    static constexpr auto fields() {
        return field_list(field("alarms", &AlarmAcknowledged::alarms),
                          field("by", &AlarmAcknowledged::by),
                          field("reason", &AlarmAcknowledged::reason));
    }
};

}  // namespace headway::core

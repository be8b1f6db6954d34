// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/event_type.hpp"
#include "core/events/judge_payloads.hpp"
#include "core/text/text.hpp"

// Events about the agent's work (api/API.md, "Events"). The rules of session_payloads.hpp apply.

namespace headway::core {

/// A call in flight, and a counter that grows with its work (bytes, tokens, CPU ticks).
struct InFlightBeat {
    std::string call_id;
    std::uint64_t counter = 0;
    bool operator==(const InFlightBeat&) const = default;
    static constexpr auto fields() {
        return field_list(required("call_id", &InFlightBeat::call_id),
                          field("counter", &InFlightBeat::counter));
    }
};

/// Resources used by the agent's process tree.
struct Resources {
    std::uint64_t cpu_ms = 0;
    std::uint64_t rss_bytes = 0;
    std::uint64_t disk_bytes = 0;
    bool operator==(const Resources&) const = default;
    static constexpr auto fields() {
        return field_list(field("cpu_ms", &Resources::cpu_ms),
                          field("rss_bytes", &Resources::rss_bytes),
                          field("disk_bytes", &Resources::disk_bytes));
    }
};

struct Heartbeat {
    static constexpr EventType kType = EventType::kHeartbeat;
    std::string phase;
    std::optional<std::uint64_t> iteration;
    std::string note;
    std::optional<std::uint64_t> last_event;
    std::optional<InFlightBeat> in_flight;
    std::optional<Resources> resources;
    std::optional<Usage> usage;  ///< tokens and cost since the last such report
    std::string adapter{};       ///< set by Headway: an adapter whose hooks now report here
    bool operator==(const Heartbeat&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("phase", &Heartbeat::phase), field("iteration", &Heartbeat::iteration),
            field("note", &Heartbeat::note), field("last_event", &Heartbeat::last_event),
            field("in_flight", &Heartbeat::in_flight), field("resources", &Heartbeat::resources),
            field("usage", &Heartbeat::usage), internal("adapter", &Heartbeat::adapter));
    }
};

struct ToolStarted {
    static constexpr EventType kType = EventType::kToolStarted;
    std::string call_id;
    std::string tool;
    Json args;
    std::string args_digest;
    std::string target;
    std::optional<std::uint64_t> round;
    std::string origin;              ///< "hook": made by a hook; detectors ignore the call if
                                     ///< Policy::trust_origin is set
    bool requires_approval = false;  ///< a person must allow the call before it runs
    Text description;                ///< describes the tool or the call; becomes the summary of its
                                     ///< approval
    bool of_agent = false;           ///< set by Headway: Channel::kAgent
    bool operator==(const ToolStarted&) const = default;
    static constexpr auto fields() {
        return field_list(
            required("call_id", &ToolStarted::call_id), required("tool", &ToolStarted::tool),
            field("args", &ToolStarted::args), field("args_digest", &ToolStarted::args_digest),
            field("target", &ToolStarted::target), field("round", &ToolStarted::round),
            field("origin", &ToolStarted::origin),
            field("requires_approval", &ToolStarted::requires_approval),
            field("description", &ToolStarted::description),
            internal("of_agent", &ToolStarted::of_agent));
    }
};

struct ToolError {
    std::string error_class;
    Text message;
    bool operator==(const ToolError&) const = default;
    static constexpr auto fields() {
        return field_list(field("class", &ToolError::error_class),
                          field("message", &ToolError::message));
    }
};

struct Mutation {
    std::string path;
    std::string digest;
    bool operator==(const Mutation&) const = default;
    static constexpr auto fields() {
        return field_list(required("path", &Mutation::path), field("digest", &Mutation::digest));
    }
};

struct ToolFinished {
    static constexpr EventType kType = EventType::kToolFinished;
    std::string call_id;
    std::string tool;
    Json args;
    std::string args_digest;
    std::string target;
    bool ok = true;
    std::optional<ToolError> error;
    Json result;
    std::string result_digest;
    std::vector<Mutation> mutated;
    std::optional<std::uint64_t> duration_ms;
    std::optional<std::uint64_t> round;
    std::string origin;
    /// Identifies the agent that made the call, if one program reports for several agents. For a
    /// shell command that a hook reports, the folder in which it runs.
    std::string lane;
    std::optional<CallFingerprint> fingerprint;  ///< made by the decoder; tests may leave it out
    std::optional<Usage> usage;
    /// Set by Headway if it refused the call before the call ran: no approval is used up, and no
    /// alarm is raised.
    bool refused_here = false;
    /// Set by Headway if it closed the call because the agent had not reported its end. If the
    /// agent reports the end later, that report is not a second execution.
    bool end_assumed = false;
    bool of_agent = false;  ///< set by Headway: Channel::kAgent
    /// Set by Headway: a session that this call opened has changed something.
    bool changed_below = false;
    bool operator==(const ToolFinished&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("call_id", &ToolFinished::call_id), required("tool", &ToolFinished::tool),
            field("args", &ToolFinished::args), field("args_digest", &ToolFinished::args_digest),
            field("target", &ToolFinished::target), field("ok", &ToolFinished::ok),
            field("error", &ToolFinished::error), field("result", &ToolFinished::result),
            field("result_digest", &ToolFinished::result_digest),
            field("mutated", &ToolFinished::mutated),
            field("duration_ms", &ToolFinished::duration_ms), field("round", &ToolFinished::round),
            field("origin", &ToolFinished::origin), field("lane", &ToolFinished::lane),
            internal("print", &ToolFinished::fingerprint), field("usage", &ToolFinished::usage),
            internal("refused_here", &ToolFinished::refused_here),
            internal("end_assumed", &ToolFinished::end_assumed),
            internal("of_agent", &ToolFinished::of_agent),
            internal("changed_below", &ToolFinished::changed_below));
    }
};

struct Message {
    static constexpr EventType kType = EventType::kMessage;
    std::string role;
    Text text;
    std::string digest;
    std::optional<Usage> usage;
    /// Set by Headway: role `operator`, from a caller with a token of the scope `control`.
    bool of_operator = false;
    /// With role `system`: a timer, a loop or background work woke the agent. No person sent the
    /// message. As after a sleep, calls that are repeated after it are not a loop.
    bool wake_up = false;
    bool operator==(const Message&) const = default;
    static constexpr auto fields() {
        return field_list(field("role", &Message::role), field("text", &Message::text),
                          field("digest", &Message::digest), field("usage", &Message::usage),
                          internal("of_operator", &Message::of_operator),
                          field("wake_up", &Message::wake_up));
    }
};

struct Reflection {
    static constexpr EventType kType = EventType::kReflection;
    std::string assessment;
    std::optional<double> confidence;  ///< 0 to 1
    std::string next_action;
    Text text;
    bool operator==(const Reflection&) const = default;
    static constexpr auto fields() {
        return field_list(field("assessment", &Reflection::assessment),
                          field("confidence", &Reflection::confidence),
                          field("next_action", &Reflection::next_action),
                          field("text", &Reflection::text));
    }
};

struct TestResult {
    static constexpr EventType kType = EventType::kTestResult;
    std::optional<std::uint64_t> passed;
    std::optional<std::uint64_t> failed;
    std::optional<std::uint64_t> errors;
    std::vector<std::string> failures;
    std::string command;
    bool operator==(const TestResult&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("passed", &TestResult::passed), field("failed", &TestResult::failed),
            field("errors", &TestResult::errors), field("failures", &TestResult::failures),
            field("command", &TestResult::command));
    }
};

struct PhaseStarted {
    static constexpr EventType kType = EventType::kPhaseStarted;
    std::optional<std::uint64_t> number;
    std::string name;
    std::optional<std::uint64_t> expected_ms;
    std::string description;
    std::optional<std::uint64_t> total;  ///< phases of the whole task
    bool operator==(const PhaseStarted&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("number", &PhaseStarted::number), required("name", &PhaseStarted::name),
            field("expected_ms", &PhaseStarted::expected_ms),
            field("description", &PhaseStarted::description), field("total", &PhaseStarted::total));
    }
};

struct PhaseCompleted {
    static constexpr EventType kType = EventType::kPhaseCompleted;
    std::optional<std::uint64_t> number;
    std::string name;
    std::optional<bool> ok;
    std::vector<std::string> blockers;
    bool operator==(const PhaseCompleted&) const = default;
    static constexpr auto fields() {
        return field_list(field("number", &PhaseCompleted::number),
                          field("name", &PhaseCompleted::name), field("ok", &PhaseCompleted::ok),
                          field("blockers", &PhaseCompleted::blockers));
    }
};

struct PlanStep {
    std::string title;
    std::string status;
    bool operator==(const PlanStep&) const = default;
    static constexpr auto fields() {
        return field_list(required("title", &PlanStep::title), field("status", &PlanStep::status));
    }
};

struct PlanUpdated {
    static constexpr EventType kType = EventType::kPlanUpdated;
    Text text;
    std::vector<PlanStep> steps;
    bool operator==(const PlanUpdated&) const = default;
    static constexpr auto fields() {
        return field_list(field("text", &PlanUpdated::text), field("steps", &PlanUpdated::steps));
    }
};

struct ProgressEstimated {
    static constexpr EventType kType = EventType::kProgressEstimated;
    double percent = 0;  ///< the progress, 0 to 100
    Text reasoning;
    std::string next_milestone;
    std::vector<std::string> blockers;
    std::string source;
    bool fallback = false;  ///< set by Headway: stands in for the judge's missing estimate
    std::string judge;      ///< set by Headway: the judge's name in the configuration; empty = the
                            ///< agent's own estimate
    std::string model;      ///< set by Headway: the judge's model
    std::optional<JudgeUse> use;  ///< set by Headway: time, tokens and cost of the judge's answer
    std::uint64_t calls = 0;  ///< number of finished calls at that time, for scoring the estimate
                              ///< when the session ends
    std::optional<bool> is_stuck;  ///< set by Headway: the estimate is within five points of the
                                   ///< last two estimates
    bool operator==(const ProgressEstimated&) const = default;
    /// True for a judge's estimate. Not derived from `source`, because in old journals `source` may
    /// be the agent's own text.
    bool by_judge() const noexcept { return !judge.empty(); }
    static constexpr auto fields() {
        return field_list(
            required("percent", &ProgressEstimated::percent),
            field("reasoning", &ProgressEstimated::reasoning),
            field("next_milestone", &ProgressEstimated::next_milestone),
            field("blockers", &ProgressEstimated::blockers),
            field("source", &ProgressEstimated::source),
            field("fallback", &ProgressEstimated::fallback),
            field("judge", &ProgressEstimated::judge), field("model", &ProgressEstimated::model),
            field("use", &ProgressEstimated::use), internal("calls", &ProgressEstimated::calls),
            field("is_stuck", &ProgressEstimated::is_stuck));
    }
};

struct FactLearned {
    static constexpr EventType kType = EventType::kFactLearned;
    Text text;
    std::string source;
    bool operator==(const FactLearned&) const = default;
    static constexpr auto fields() {
        return field_list(required("text", &FactLearned::text),
                          field("source", &FactLearned::source));
    }
};

struct StateChanged {
    static constexpr EventType kType = EventType::kStateChanged;
    AgentState state = AgentState::kIdle;
    std::string detail;
    std::optional<AgentState> from;  ///< set by Headway: the state before
    bool invalid = false;            ///< set by Headway: `from` has no transition to this state
    /// With `idle`: the names of the work that goes on after the turn ("shell: npm run dev"), at
    /// most limits::kListItemsMax. An empty list means that no such work goes on; but if the agent
    /// was idle already, the work reported before still goes on.
    std::vector<std::string> background{};
    bool operator==(const StateChanged&) const = default;
    static constexpr auto fields() {
        return field_list(
            required("state", &StateChanged::state), field("detail", &StateChanged::detail),
            field("from", &StateChanged::from), field("invalid", &StateChanged::invalid),
            field("background", &StateChanged::background));
    }
};

struct ErrorReported {
    static constexpr EventType kType = EventType::kErrorReported;
    Text message;
    std::string error_class;
    std::string tool;
    std::optional<std::uint64_t> status;
    std::optional<bool> retryable;
    Timestamp retry_at = kNever;  ///< when the provider accepts requests again, if reported
    bool ends_turn = false;       ///< the error ended the agent's turn
    bool operator==(const ErrorReported&) const = default;
    static constexpr auto fields() {
        return field_list(
            required("message", &ErrorReported::message),
            field("class", &ErrorReported::error_class), field("tool", &ErrorReported::tool),
            field("status", &ErrorReported::status), field("retryable", &ErrorReported::retryable),
            field("retry_at", &ErrorReported::retry_at),
            field("ends_turn", &ErrorReported::ends_turn));
    }
};

struct Compacted {
    static constexpr EventType kType = EventType::kCompacted;
    std::string trigger;
    Text summary;
    std::optional<std::uint64_t> tokens_before;
    std::optional<std::uint64_t> tokens_after;
    bool operator==(const Compacted&) const = default;
    static constexpr auto fields() {
        return field_list(field("trigger", &Compacted::trigger),
                          field("summary", &Compacted::summary),
                          field("tokens_before", &Compacted::tokens_before),
                          field("tokens_after", &Compacted::tokens_after));
    }
};

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/failure.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/state/person_time.hpp"

namespace headway::core {
namespace {

/// Attempts that the feedback counts if the policy sets no limit (docs/first-designs.md).
constexpr std::uint64_t kAttempts = 3;

bool past(std::uint64_t value, std::uint64_t limit) {
    return limit != 0 && value > limit;
}

std::string how_often(std::uint64_t times) {
    return times == 1 ? "once" : std::to_string(times) + " times in a row";
}

std::string attempt(std::uint64_t times, std::uint64_t limit) {
    return " (attempt " + std::to_string(times) + " of " + std::to_string(limit) + ")";
}

std::string unreadable_feedback(std::uint64_t times, std::uint64_t set) {
    const std::uint64_t limit = set != 0 ? set : kAttempts;
    return "Your last turn was empty, cut or unreadable" +
           (times < limit ? attempt(times, limit) : " (" + how_often(times) + ")") +
           ". Answer with one complete action in the expected form.";
}

/// The step before the next attempt.
std::string_view remedy(FailureKind kind) {
    switch (kind) {
        case FailureKind::kAuth:
            return "Another attempt will not help: say which permission or credential is missing "
                   "and who can give it, or do what needs none.";
        case FailureKind::kTransient:
        case FailureKind::kNetwork:
            return "Wait before the next attempt, longer each time, or do something else "
                   "meanwhile.";
        case FailureKind::kUnknownTool:
            return "There is no such tool: use one of the tools that you were given.";
        case FailureKind::kContext:
            return "The conversation no longer fits the model: write down what matters in a few "
                   "lines and go on from there.";
        case FailureKind::kRefused:
            return "The request itself is wrong: change it before it is sent again.";
        case FailureKind::kNotFound:
            return "It is not there: list what is there, and use a name that you have seen.";
        case FailureKind::kMismatch:
            return "The text to replace is not there: read the file again and copy it exactly.";
        case FailureKind::kAssertion:
            return "Read the first error, change the code that causes it, and run it again.";
        case FailureKind::kTruncated:
            return "It could not be read: send it again in full, smaller and in the expected form.";
        case FailureKind::kTimeout:
            return "It took too long: ask for less at a time, or let it run in the background.";
        default:
            return "Read the error and change what it complains about before the next attempt.";
    }
}

std::string failure_feedback(const SessionState& state, std::uint64_t times) {
    const std::uint64_t limit =
        state.policy->max_tool_failures != 0 ? state.policy->max_tool_failures : kAttempts;
    const std::string_view last{state.last_failure};
    const std::size_t line = last.find('\n');
    const std::string_view tool = last.substr(0, line);
    const std::string_view words =
        line == std::string_view::npos ? std::string_view{} : last.substr(line + 1);
    std::string text = tool.empty() ? "This tool" : "The tool " + std::string{tool};
    HEADWAY_ASSERT(times > 0 && limit > 0);
    text += " has failed " + how_often(times);
    if (times < limit) text += attempt(times, limit);
    if (!words.empty()) text += ": " + std::string{words};
    text += text.back() == '.' ? " " : ". ";
    return text + std::string{times < limit ? remedy(state.last_failure_kind)
                                            : "Do not call it in the same way again: use another "
                                              "tool or report what blocks you."};
}

std::string seconds_text(Millis time) {
    if (time < std::chrono::seconds{10} && time.count() % 1000 != 0)
        return std::to_string(time.count()) + " ms";
    return std::to_string(time.count() / 1000) + " s";
}

/// True if the agent's last problem was not a failure of a tool.
bool needs_remedy(const SessionState& state) {
    switch (state.last_failure_kind) {
        case FailureKind::kAuth:
        case FailureKind::kTransient:
        case FailureKind::kUnknownTool:
        case FailureKind::kContext:
        case FailureKind::kRefused:
            return !state.last_failure.empty();
        default:
            return state.last_failure.starts_with('\n');  // an error without a tool
    }
}

/// For failures that are not the tool's: permissions, limits, missing tools, the model's API.
std::string refusal_feedback(const SessionState& state) {
    const std::string_view last{state.last_failure};
    HEADWAY_ASSERT(!last.empty());
    const std::size_t line = std::min(last.find('\n'), last.size());
    const std::string_view tool = last.substr(0, line);
    const std::string_view words = last.substr(std::min(line + 1, last.size()));
    std::string text = tool.empty() ? std::string{"The last request failed"}
                                    : "The last call of the tool " + std::string{tool} + " failed";
    if (!words.empty()) text += ": " + std::string{words};
    text += text.back() == '.' ? " " : ". ";
    return text + std::string{remedy(state.last_failure_kind)};
}

std::string slow_feedback(const OpenCall& call, Millis ran, Millis limit) {
    return "The call of " + call.tool + " has been running for " + seconds_text(ran) +
           ", longer than the " + seconds_text(limit) +
           " it is given: that counts as a failure of the tool. If it does not move, stop it and "
           "try a smaller step or another way; if it moves, let it.";
}

}  // namespace

Failure failure_of(const SessionState& state, const Payload& payload) {
    const Policy& policy = *state.policy;
    if (const auto* reflection = std::get_if<Reflection>(&payload)) {
        if (reflection->assessment == "task_failed")
            return {"task_failed", "the agent reports that the task has failed"};
        if (policy.min_confidence > 0 && state.low_confidence >= policy.low_confidence_attempts) {
            return {"low_confidence", "confidence stayed below the policy's minimum for " +
                                          std::to_string(state.low_confidence) + " reflections"};
        }
    }
    if (past(state.iteration.value_or(0), policy.max_iterations)) {
        return {std::string{kMaxIterationsReached},
                "max_iterations_reached: " + std::to_string(policy.max_iterations)};
    }
    const std::uint32_t failures = state.detectors->tool_failures.count;
    if (std::holds_alternative<ToolFinished>(payload) && past(failures, policy.max_tool_failures)) {
        return {"tool_failures", "one tool failed " + std::to_string(failures) + " times in a row"};
    }
    if (past(state.detectors->empty_turns.count, policy.max_parse_failures)) {
        return {"parse_failures",
                "turns that cannot be read: " + std::to_string(state.detectors->empty_turns.count) +
                    " in a row"};
    }
    return {};
}

std::string feedback_of(const SessionState& state, Timestamp now) {
    const std::uint32_t unread = state.detectors->empty_turns.count;
    if (unread > 0) return unreadable_feedback(unread, state.policy->max_parse_failures);
    const std::uint32_t failures = state.detectors->tool_failures.count;
    if (failures > 0) return failure_feedback(state, failures);
    if (needs_remedy(state)) return refusal_feedback(state);
    for (const OpenCall& call : state.open_calls) {
        const Millis limit = state.policy->time_limit(call.tool);
        if (limit == Millis{0}) continue;
        const Millis ran = running_for(state, call, now);
        if (ran > limit) return slow_feedback(call, ran, limit);
    }
    return {};
}

}  // namespace headway::core

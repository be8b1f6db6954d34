#include "core/failure.hpp"

namespace headway::core {
namespace {

/// Attempts that the feedback counts up to when the policy sets no limit (first design: 3).
constexpr std::uint64_t kAttempts = 3;

bool past(std::uint64_t value, std::uint64_t limit) {
    return limit != 0 && value > limit;
}

}  // namespace

std::string failure_of(const SessionState& state, const Payload& payload) {
    const Policy& policy = state.policy;
    if (const auto* reflection = std::get_if<Reflection>(&payload)) {
        if (reflection->assessment == "task_failed")
            return "the agent says that the task has failed";
        if (policy.min_confidence > 0 && state.low_confidence >= kLowConfidenceMax) {
            return "confidence stayed below the policy's minimum for " +
                   std::to_string(state.low_confidence) + " reflections";
        }
    }
    if (past(state.iteration.value_or(0), policy.max_iterations)) {
        return "max_iterations_reached: " + std::to_string(policy.max_iterations);
    }
    const std::uint32_t failures = state.detectors.tool_failures.count;
    if (std::holds_alternative<ToolFinished>(payload) && past(failures, policy.max_tool_failures)) {
        return "one tool failed " + std::to_string(failures) + " times in a row";
    }
    return {};
}

std::string feedback_of(const SessionState& state) {
    if (state.detectors.empty_turns.count > 0) {
        return "Your last turn was empty, cut or unreadable. Answer with one complete action in "
               "the "
               "expected form.";
    }
    const std::uint32_t failures = state.detectors.tool_failures.count;
    if (failures == 0) return {};
    const std::uint64_t limit =
        state.policy.max_tool_failures != 0 ? state.policy.max_tool_failures : kAttempts;
    const std::string how_often = "This tool has failed " + std::to_string(failures) +
                                  (failures == 1 ? " time" : " times") + " in a row";
    if (failures < limit) {
        return how_often + " (attempt " + std::to_string(failures) + " of " +
               std::to_string(limit) +
               "). Read the error and change what it complains about before the next attempt.";
    }
    return how_often +
           ". Do not call it in the same way again: use another tool or report what blocks you.";
}

}  // namespace headway::core

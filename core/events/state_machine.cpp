// SPDX-License-Identifier: Apache-2.0
#include "core/events/state_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

using A = AgentState;

constexpr std::uint16_t states(std::initializer_list<A> list) {
    std::uint16_t set = 0;
    for (A state : list)
        set = static_cast<std::uint16_t>(set | (1U << static_cast<unsigned>(state)));
    return set;
}

/// Allowed next states. Any state may be halted; halted stays so until a new prompt.
constexpr std::array<std::uint16_t, EnumNames<AgentState>::kNames.size()> kStateTransitions{
    /* idle */ states({A::kProcessingPrompt, A::kPhaseTransition, A::kHalted}),
    /* processing_prompt */
    states({A::kStreamingResponse, A::kExecutingTool, A::kErrorRecovery, A::kIdle, A::kHalted}),
    /* streaming_response */
    states({A::kExecutingTool, A::kProgressCheck, A::kPhaseTransition, A::kErrorRecovery,
            A::kAwaitingPermission, A::kProcessingPrompt, A::kIdle, A::kHalted}),
    /* executing_tool */
    states({A::kProgressCheck, A::kAwaitingPermission, A::kErrorRecovery, A::kStreamingResponse,
            A::kHalted}),
    /* awaiting_permission */
    states({A::kExecutingTool, A::kStreamingResponse, A::kProcessingPrompt, A::kErrorRecovery,
            A::kIdle, A::kHalted}),
    /* error_recovery */
    states({A::kExecutingTool, A::kStreamingResponse, A::kProcessingPrompt, A::kProgressCheck,
            A::kPhaseTransition, A::kIdle, A::kHalted}),
    /* progress_check */
    states({A::kStreamingResponse, A::kExecutingTool, A::kErrorRecovery, A::kPhaseTransition,
            A::kProcessingPrompt, A::kIdle, A::kHalted}),
    /* phase_transition */
    states({A::kProcessingPrompt, A::kStreamingResponse, A::kExecutingTool, A::kIdle, A::kHalted}),
    /* halted */ states({A::kIdle, A::kProcessingPrompt}),
};

static_assert(kStateTransitions.size() <= 16, "a set of states has 16 bits");
static_assert(std::all_of(kStateTransitions.begin(), kStateTransitions.end() - 1,
                          [](std::uint16_t set) { return (set & states({A::kHalted})) != 0; }),
              "whatever an agent does, it can be halted");

std::optional<A> implied_by(const Message& message) {
    if (message.role == "user" || (message.role == "system" && message.wake_up))
        return A::kProcessingPrompt;
    const bool of_agent = message.role == "assistant" || message.role == "agent";
    return of_agent ? std::optional{A::kStreamingResponse} : std::nullopt;
}

}  // namespace

bool valid_transition(AgentState from, AgentState to) noexcept {
    HEADWAY_ASSERT(static_cast<std::size_t>(from) < kStateTransitions.size());
    HEADWAY_ASSERT(static_cast<std::size_t>(to) < kStateTransitions.size());
    if (from == to) return true;
    const unsigned allowed = kStateTransitions[static_cast<std::size_t>(from)];
    return ((allowed >> static_cast<unsigned>(to)) & 1U) != 0;
}

std::optional<AgentState> implied_state(const Payload& payload) noexcept {
    if (const auto* message = std::get_if<Message>(&payload)) return implied_by(*message);
    if (std::holds_alternative<ToolStarted>(payload)) return A::kExecutingTool;
    if (const auto* call = std::get_if<ToolFinished>(&payload)) {
        return call->ok ? A::kProgressCheck : A::kErrorRecovery;
    }
    if (std::holds_alternative<ErrorReported>(payload)) return A::kErrorRecovery;
    if (std::holds_alternative<PhaseStarted>(payload)) return A::kPhaseTransition;
    if (std::holds_alternative<SessionEnded>(payload)) return A::kIdle;
    if (std::holds_alternative<ApprovalRequested>(payload)) return A::kAwaitingPermission;
    return std::nullopt;
}

}  // namespace headway::core

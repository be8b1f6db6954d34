// SPDX-License-Identifier: Apache-2.0
#include "core/state_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/assert.hpp"

namespace headway::core {
namespace {

using S = AgentState;

constexpr std::uint16_t to(std::initializer_list<S> states) {
    std::uint16_t set = 0;
    for (S state : states)
        set = static_cast<std::uint16_t>(set | (1U << static_cast<unsigned>(state)));
    return set;
}

/// Allowed next states. Any state may be halted; halted stays so until a new prompt.
constexpr std::array<std::uint16_t, EnumNames<AgentState>::kNames.size()> kTransitions{
    /* idle */ to({S::kProcessingPrompt, S::kPhaseTransition, S::kHalted}),
    /* processing_prompt */
    to({S::kStreamingResponse, S::kExecutingTool, S::kErrorRecovery, S::kIdle, S::kHalted}),
    /* streaming_response */
    to({S::kExecutingTool, S::kProgressCheck, S::kPhaseTransition, S::kErrorRecovery,
        S::kAwaitingPermission, S::kProcessingPrompt, S::kIdle, S::kHalted}),
    /* executing_tool */
    to({S::kProgressCheck, S::kAwaitingPermission, S::kErrorRecovery, S::kStreamingResponse,
        S::kHalted}),
    /* awaiting_permission */
    to({S::kExecutingTool, S::kStreamingResponse, S::kProcessingPrompt, S::kErrorRecovery, S::kIdle,
        S::kHalted}),
    /* error_recovery */
    to({S::kExecutingTool, S::kStreamingResponse, S::kProcessingPrompt, S::kProgressCheck,
        S::kPhaseTransition, S::kIdle, S::kHalted}),
    /* progress_check */
    to({S::kStreamingResponse, S::kExecutingTool, S::kErrorRecovery, S::kPhaseTransition,
        S::kProcessingPrompt, S::kIdle, S::kHalted}),
    /* phase_transition */
    to({S::kProcessingPrompt, S::kStreamingResponse, S::kExecutingTool, S::kIdle, S::kHalted}),
    /* halted */ to({S::kIdle, S::kProcessingPrompt}),
};

static_assert(kTransitions.size() <= 16, "a set of states has 16 bits");
static_assert(std::all_of(kTransitions.begin(), kTransitions.end() - 1,
                          [](std::uint16_t set) { return (set & to({S::kHalted})) != 0; }),
              "whatever an agent does, it can be halted");

std::optional<S> implied_by(const Message& message) {
    if (message.role == "user") return S::kProcessingPrompt;
    const bool of_agent = message.role == "assistant" || message.role == "agent";
    return of_agent ? std::optional{S::kStreamingResponse} : std::nullopt;
}

}  // namespace

bool valid_transition(AgentState from, AgentState to) noexcept {
    HEADWAY_ASSERT(static_cast<std::size_t>(from) < kTransitions.size());
    HEADWAY_ASSERT(static_cast<std::size_t>(to) < kTransitions.size());
    if (from == to) return true;
    const unsigned allowed = kTransitions[static_cast<std::size_t>(from)];
    return ((allowed >> static_cast<unsigned>(to)) & 1U) != 0;
}

std::optional<AgentState> implied_state(const Payload& payload) noexcept {
    if (const auto* message = std::get_if<Message>(&payload)) return implied_by(*message);
    if (std::holds_alternative<ToolStarted>(payload)) return S::kExecutingTool;
    if (const auto* call = std::get_if<ToolFinished>(&payload)) {
        return call->ok ? S::kProgressCheck : S::kErrorRecovery;
    }
    if (std::holds_alternative<ErrorReported>(payload)) return S::kErrorRecovery;
    if (std::holds_alternative<PhaseStarted>(payload)) return S::kPhaseTransition;
    if (std::holds_alternative<SessionEnded>(payload)) return S::kIdle;
    if (std::holds_alternative<ApprovalRequested>(payload)) return S::kAwaitingPermission;
    return std::nullopt;
}

}  // namespace headway::core

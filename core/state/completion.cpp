// SPDX-License-Identifier: Apache-2.0
#include "core/state/completion.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

/// The action that goes with the reflection (docs/first-designs.md).
constexpr std::uint64_t kCallsAfterClaim = 1;

bool withdraws(const SessionState& state, const Payload& payload) {
    if (const auto* beat = std::get_if<Heartbeat>(&payload))
        return beat->iteration.value_or(0) > state.claim.iteration;
    if (const auto* message = std::get_if<Message>(&payload))
        return message->role == "user" || message->role == "operator";
    if (std::holds_alternative<PhaseStarted>(payload)) return true;
    return state.tool_calls > state.claim.calls + kCallsAfterClaim;
}

}  // namespace

void note_claim(SessionState& state, const Event& event) {
    if (const auto* reflection = std::get_if<Reflection>(&event.payload)) {
        state.claim = {};
        if (reflection->assessment != "task_complete") return;
        state.claim = {event.n, state.tool_calls, state.iteration.value_or(0), event.at};
        return;
    }
    if (state.claim.n == 0) return;
    HEADWAY_ASSERT(state.claim.n < event.n && state.claim.calls <= state.tool_calls);
    // An agent that still talks has not ended; a heartbeat only shows that its process runs.
    const bool speaks =
        of_agent(event.payload) && !std::holds_alternative<Heartbeat>(event.payload);
    if (speaks) state.claim.at = event.at;
    if (withdraws(state, event.payload)) state.claim = {};
}

bool says_complete(const SessionState& state) noexcept {
    return state.claim.n != 0 && !state.ended() && !state.call_in_flight() &&
           !state.waits_for_human() && !state.paused();
}

Timestamp completion_at(const SessionState& state, const Watch& watch) {
    if (!says_complete(state)) return kNever;
    HEADWAY_ASSERT(state.claim.n != 0 && !state.ended());
    return std::max(state.claim.at, watch.since(state.asked_interval)) + state.asked_interval;
}

}  // namespace headway::core

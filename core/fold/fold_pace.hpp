// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// The agent's own pace, judged by the times of its events (docs/detection.md, section 8). A pause
// is a wait only if it is longer than this agent's turns.

namespace headway::core {

/// Between two equal queries, a model may think for kShortRest, or longer if it is slow. A longer
/// time that is unusual for this agent is a pause if the awaited thing has not arrived; from
/// kLongRest on, it is a pause whatever the answer.
inline constexpr Millis kShortRest{30'000};
inline constexpr Millis kLongRest{120'000};

/// Records a pause if a call starts or ends long after the last change, and records how long the
/// model took for its turn. Called before the event is entered.
void note_time(SessionState& state, const Event& event);

/// Records that a timer or background work woke the agent, so that it let time pass. True if its
/// turn was over and, by the clock, it has rested since then.
bool note_wake_up(SessionState& state, const Event& event);

/// Records that the agent let time pass in event `n`. Questions that a wake-up lets it ask again
/// are over then.
void note_sleep(Ledger& ledger, std::uint64_t n);

/// True if the clock shows a pause since the agent last asked this question. `receives`: the call
/// receives messages from others (core/calls/tool_names.hpp). Pure.
bool paused_before(const Ledger& ledger, const CallFingerprint& fingerprint, bool receives);

/// True if a timer or background work has woken the agent after a long rest since it last asked
/// this question. Pure.
bool woken_before(const Ledger& ledger, const CallFingerprint& fingerprint);

}  // namespace headway::core

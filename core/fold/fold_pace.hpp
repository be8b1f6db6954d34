// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/state/session_state.hpp"

// The agent's own pace, by the times of its events (docs/detection.md, section 8): a pause is a
// wait only if it is longer than the agent's turns are.

namespace headway::core {

/// Between two equal queries, a model may think for kShortRest, or longer if it is slow. A longer
/// time is a pause if the awaited thing has not come; from kLongRest on, the time is always a
/// pause.
inline constexpr Millis kShortRest{30'000};
inline constexpr Millis kLongRest{120'000};

/// Notes a pause if a call starts or ends long after the last change, and how long the model took
/// for its turn. Called before the event is entered.
void note_time(SessionState& state, const Event& event);

/// Notes that a timer or background work woke the agent: it let time pass. True if its turn was
/// over and it rested since then, by the clock.
bool note_wake_up(SessionState& state, const Event& event);

/// True if the clock shows a pause since the agent last asked this question. `receives`: the call
/// takes what others send. Pure.
bool paused_before(const Ledger& ledger, const CallFingerprint& fingerprint, bool receives);

}  // namespace headway::core

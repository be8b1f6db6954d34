// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/session_state.hpp"
#include "core/watch.hpp"

namespace headway::core {

/// What a verdict depends on beside the events.
struct Surroundings {
    Timestamp now = kNever;
    Watch watch;                 ///< see silent_at()
    bool children_work = false;  ///< a session that this one opened is alive
};

/// The verdict that the state deserves (DESIGN 5, detection.md 2.5). From good to bad: progressing,
/// exploring, waiting, slow, silent, blocked, suspect, stuck; the worst that holds. A suspicion
/// about repeats, failures or edits stays until P1 or P2, five rounds of P3, advice taken or a new
/// task answer it. Pure.
Verdict verdict_of(const SessionState& state, const Surroundings& around);

/// The same with its grounds; `since` is left to the event that records it. Pure.
Judgement judge(const SessionState& state, const Surroundings& around);

/// A loop's identity as it is shown: 16 hexadecimal digits.
std::string loop_name(std::uint64_t identity);

}  // namespace headway::core

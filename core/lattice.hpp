#pragma once

#include "core/session_state.hpp"

namespace headway::core {

/// The verdict that the state deserves at `now` (DESIGN 5, detection.md 2.5). `watching_since`: see
/// silent_at(). Pure.
Verdict verdict_of(const SessionState& state, Timestamp now, Timestamp watching_since);

/// The same with its grounds; `since` is left to the event that records it. Pure.
Judgement judge(const SessionState& state, Timestamp now, Timestamp watching_since);

}  // namespace headway::core

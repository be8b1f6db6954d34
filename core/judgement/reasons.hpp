// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/state/session_state.hpp"

// Reasons for verdicts that do not come from a detector (one sentence each, for people), and the
// current judgement. Pure.

namespace headway::core {

/// The reason of a session that waits for a person's decision about `asked`.
std::string waiting_reason(const Approval& asked);

/// Why an idle session waits: "idle: it waits for a task", or the background work that it awaits.
std::string rest_reason(const SessionState& state);

/// A sentence about the newest progress; empty unless the verdict is kProgressing or kExploring.
std::string progress_reason(const SessionState& state, Verdict verdict);

/// The current judgement. While a loop goes on, the reason includes the count and the cost so far.
/// Pure.
JudgementPtr live_judgement(const SessionState& state);

/// Why the session failed. If the provider stopped the session, the text names that stop, even if
/// the reported reason does not.
std::string failed_reason(const SessionState& state);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/state/session_state.hpp"

namespace headway::core {

/// Values of Nudge::step for the question to a person and for the stop.
inline constexpr std::uint64_t kStepAsk = 3;
inline constexpr std::uint64_t kStepStop = 4;

/// The text of the directive to a session whose parent has ended. It also marks the session as an
/// orphan.
inline constexpr std::string_view kOrphanAdvice =
    "the session that opened this one has ended: come to your end";

/// A way past a blocker, chosen by fixed rules.
enum class WayOut : std::uint8_t { kNone, kOtherTool, kRephrase, kEscalate, kGiveUp, kCompact };

/// The way out for `blocker`, the kind of blocker that the agent or a judge named, and `failure`,
/// the kind of the last call's failure. Without a blocker there is a way out only from failures for
/// which no detector has better advice: permissions, missing tools, a full context. Pure.
WayOut way_out(FailureKind blocker, FailureKind failure);

/// The way out for the current state. It depends on the last failure and on the blockers of the
/// last estimate. After hard progress, these blockers are ignored. Pure.
WayOut way_out(const SessionState& state);

/// The next directive about the current loop.
struct RecoveryStep {
    DirectiveKind kind = DirectiveKind::kChangeApproach;
    std::uint64_t step = 0;  ///< Nudge::step
    std::string text;  ///< names one alternative and the numbers of the evidence; quotes nothing
};

/// The next recovery step, if one is due (docs/detection.md, section 12). When a loop is suspected,
/// the step is advice, once for each loop. When the session is `stuck` and the policy requires a
/// stop, the step is the stop. Under any other policy, a `stuck` session gets other advice if the
/// first had no effect, and then, if the policy requires it, a person is asked. Called after every
/// event; usually there is nothing to do. `may_stop` is false while a stop waits for confirmation:
/// then no step goes beyond advice. Pure.
std::optional<RecoveryStep> next_recovery_step(const SessionState& state, bool may_stop = true);

}  // namespace headway::core

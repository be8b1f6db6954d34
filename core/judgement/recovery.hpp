// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/state/session_state.hpp"

namespace headway::core {

/// Nudge::step of the question to a person, and of the stop.
inline constexpr std::uint64_t kStepAsk = 3;
inline constexpr std::uint64_t kStepStop = 4;

/// A way around a blocker, chosen by rule.
enum class WayOut : std::uint8_t { kNone, kOtherTool, kRephrase, kEscalate, kGiveUp, kCompact };

/// The way out for the kind of blocker that the agent or a judge named, and for the kind of the
/// last call's failure. Without a blocker, only for failures for which no rule has better advice:
/// permissions, missing tools, a full context. Pure.
WayOut way_out(FailureKind blocker, FailureKind failure);

/// The way out for the current state, from the blockers of the last estimate, unless hard progress
/// followed, and from the last failure. Pure.
WayOut way_out(const SessionState& state);

/// The next directive about the current loop.
struct RecoveryStep {
    DirectiveKind kind = DirectiveKind::kChangeApproach;
    std::uint64_t step = 0;  ///< Nudge::step
    std::string text;        ///< names evidence by number and one alternative, quotes nothing
};

/// The next recovery step, if one is due (docs/detection.md, section 12): advice once per loop when
/// it is suspected; other advice when it is `stuck`; then by policy nothing, a question to a
/// person, or a stop. Called after every event; usually empty. With `may_stop` false, while a stop
/// waits for confirmation, the steps end at advice. Pure.
std::optional<RecoveryStep> next_recovery_step(const SessionState& state, bool may_stop = true);

}  // namespace headway::core

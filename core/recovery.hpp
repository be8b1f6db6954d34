// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/session_state.hpp"

namespace headway::core {

/// Nudge::step of the question to a person.
inline constexpr std::uint64_t kStepAsk = 3;

/// A way round what blocks a session, chosen by rule.
enum class WayOut : std::uint8_t { kNone, kOtherTool, kRephrase, kEscalate, kGiveUp, kCompact };

/// The way out for blockers that the agent or a judge named, by what their words are about, and by
/// why the agent's last call failed. Without blockers only for failures that no rule has better
/// advice about: permissions, missing tools, a full context. Pure.
WayOut way_out(FailureKind blocker, FailureKind failure);

/// Of the session as it stands: by the blockers of the last estimate, unless something hard was
/// proven after it, and by the last failure. Pure.
WayOut way_out(const SessionState& state);

/// What the agent is told next about the loop it is judged to be in.
struct RecoveryStep {
    DirectiveKind kind = DirectiveKind::kChangeApproach;
    std::uint64_t step = 0;  ///< Nudge::step
    std::string text;  ///< names the evidence by number, gives one alternative, quotes nothing
};

/// The next step of the recovery ladder, when one is due (DESIGN 5): advice once for each loop as
/// soon as it is suspected; other advice when it is `stuck`; then what the policy says: nothing, a
/// question to a person, or a stop. Asked after every event; nothing most of the time. With
/// `may_stop` false, while a stop waits for its confirmation, the ladder ends at advice. Pure.
std::optional<RecoveryStep> next_recovery_step(const SessionState& state, bool may_stop = true);

}  // namespace headway::core

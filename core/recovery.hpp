#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/session_state.hpp"

namespace headway::core {

/// Nudge::step of the question to a person.
inline constexpr std::uint64_t kStepAsk = 3;

/// A way round what blocks a session, chosen by rule.
enum class WayOut : std::uint8_t { kNone, kOtherTool, kRephrase, kEscalate, kGiveUp };

/// The way out for blockers that a judge named, by what their words are about, and by why the
/// agent's last call failed; kNone without blockers. Pure.
WayOut way_out(FailureKind blocker, FailureKind failure);

/// Of the session as it stands: by a judge's last answer, unless something hard was proven after
/// it. Pure.
WayOut way_out(const SessionState& state);

/// What the agent is told next about the loop it is judged to be in.
struct RecoveryStep {
    DirectiveKind kind = DirectiveKind::kChangeApproach;
    std::uint64_t step = 0;  ///< Nudge::step
    std::string text;  ///< names the evidence by number, gives one alternative, quotes nothing
};

/// The next step of the recovery ladder, when one is due (DESIGN 5): advice once for each loop as
/// soon as it is suspected; other advice when it is `stuck`; then what the policy says: nothing, a
/// question to a person, or a stop. Asked after every event; nothing most of the time. Pure.
std::optional<RecoveryStep> next_recovery_step(const SessionState& state);

}  // namespace headway::core

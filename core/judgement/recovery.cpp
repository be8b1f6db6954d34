// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/recovery.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/assert.hpp"
#include "core/detection/classify.hpp"

namespace headway::core {
namespace {

/// Rounds between the second advice and the question to a person: time to follow the advice.
constexpr std::uint32_t kRoundsToFollow = 3;

/// For detectors without advice of their own.
constexpr std::string_view kFirst =
    "Read the current state again and choose another way to the goal.";
constexpr std::string_view kSecond =
    "If no other way is left, say what is missing and report that you are blocked.";

struct WayRule {
    FailureKind blocker;  ///< kNone = any
    FailureKind failure;  ///< kNone = any
    WayOut way;
};

// The first match decides. No match means that a person must look. For red tests and compilers the
// detectors have better advice.
constexpr std::array<WayRule, 17> kWays{{
    // by blockers
    {FailureKind::kAuth, FailureKind::kNone, WayOut::kEscalate},
    {FailureKind::kNone, FailureKind::kAuth, WayOut::kEscalate},
    {FailureKind::kContext, FailureKind::kNone, WayOut::kCompact},
    {FailureKind::kUnknownTool, FailureKind::kNone, WayOut::kOtherTool},
    {FailureKind::kTransient, FailureKind::kTransient, WayOut::kGiveUp},
    {FailureKind::kTransient, FailureKind::kNone, WayOut::kOtherTool},
    {FailureKind::kNotFound, FailureKind::kNone, WayOut::kRephrase},
    {FailureKind::kMismatch, FailureKind::kNone, WayOut::kRephrase},
    {FailureKind::kTruncated, FailureKind::kNone, WayOut::kRephrase},
    {FailureKind::kAssertion, FailureKind::kNone, WayOut::kNone},
    {FailureKind::kNone, FailureKind::kAssertion, WayOut::kNone},
    {FailureKind::kNone, FailureKind::kContext, WayOut::kCompact},
    {FailureKind::kNone, FailureKind::kUnknownTool, WayOut::kOtherTool},
    {FailureKind::kNone, FailureKind::kTransient, WayOut::kOtherTool},
    {FailureKind::kNone, FailureKind::kNotFound, WayOut::kRephrase},
    {FailureKind::kNone, FailureKind::kMismatch, WayOut::kRephrase},
    {FailureKind::kNone, FailureKind::kTruncated, WayOut::kRephrase},
}};

constexpr std::array<std::string_view, 6> kWayTexts{
    "",
    "This will not recover by itself: reach the same end with another tool. ",
    "It does not answer as it was asked: ask in other words, broader or in smaller parts. ",
    "It seems to need somebody else: say what is missing and who can give it. ",
    "It may not be possible now: finish what can be finished, and say what is left out and why. ",
    "The conversation no longer fits the model: write down what is known in a few lines and go on "
    "from there in smaller steps. ",
};

static_assert(kWayTexts.size() == static_cast<std::size_t>(WayOut::kCompact) + 1);
static_assert(kWayTexts[static_cast<std::size_t>(WayOut::kNone)].empty());
static_assert(kStepAsk == 3, "two pieces of advice come before a person is asked");

/// Without known blockers.
WayOut way_by_failure(FailureKind failure) {
    switch (failure) {
        case FailureKind::kAuth:
            return WayOut::kEscalate;
        case FailureKind::kUnknownTool:
            return WayOut::kOtherTool;
        case FailureKind::kContext:
            return WayOut::kCompact;
        default:
            return WayOut::kNone;
    }
}

/// Kind of the last call's failure, if recognised; kNone after a success.
FailureKind last_failure_of(const SessionState& state) {
    if (state.last_failure_kind != FailureKind::kNone &&
        state.last_failure_kind != FailureKind::kOther)
        return state.last_failure_kind;
    const std::size_t line_end = state.last_failure.find('\n');
    if (line_end == std::string::npos) return FailureKind::kNone;
    return failure_of_message(std::string_view{state.last_failure}.substr(line_end + 1));
}

/// One concrete alternative for a kind of loop.
std::string_view alternative(std::string_view detector, bool second) {
    std::string_view own;
    DetectorId id{};
    if (parse_name(detector, id)) {
        own = second ? traits_of(id).second_advice : traits_of(id).advice;
    }
    if (!own.empty()) return own;
    return second ? kSecond : kFirst;
}

std::string evidence_text(const std::vector<std::uint64_t>& evidence) {
    std::string text;
    for (std::uint64_t n : evidence)
        text += (text.empty() ? " (events #" : ", #") + std::to_string(n);
    return text.empty() ? text : text + ")";
}

RecoveryStep step_for(const SessionState& state, std::uint64_t step) {
    const Judgement& judgement = *state.judgement;
    const std::string what = judgement.reason + evidence_text(judgement.evidence) + ". ";
    HEADWAY_ASSERT(step >= 1 && step <= kStepStop);
    RecoveryStep recovery_step;
    recovery_step.step = step;
    switch (step) {
        case kStepAsk:
            recovery_step.kind = DirectiveKind::kWaitApproval;
            recovery_step.text = what + "A person has to decide: wait for the answer.";
            break;
        case kStepStop:
            recovery_step.kind = DirectiveKind::kStop;
            recovery_step.text = what + "Stop here and report what is done and what is missing.";
            break;
        default:
            recovery_step.text = what;
            recovery_step.text += kWayTexts[static_cast<std::size_t>(way_out(state))];
            recovery_step.text += alternative(judgement.detector, step == 2);
            break;
    }
    HEADWAY_ASSERT(!recovery_step.text.empty());
    return recovery_step;
}

/// The last recovery step that the policy allows for a stuck session.
std::uint64_t last_step(OnStuck on_stuck) {
    switch (on_stuck) {
        case OnStuck::kByProfile:
        case OnStuck::kAdvise:
            return 2;
        case OnStuck::kAsk:
            return kStepAsk;
        default:
            return kStepStop;
    }
}

}  // namespace

WayOut way_out(FailureKind blocker, FailureKind failure) {
    if (blocker == FailureKind::kNone) return way_by_failure(failure);
    for (const WayRule& rule : kWays) {
        const bool fits = (rule.blocker == FailureKind::kNone || rule.blocker == blocker) &&
                          (rule.failure == FailureKind::kNone || rule.failure == failure);
        if (fits) return rule.way;
    }
    return WayOut::kEscalate;
}

WayOut way_out(const SessionState& state) {
    const Estimates& estimates = *state.estimates;
    const bool blocked = estimates.blocked_n != 0 && state.ledger->hard_n <= estimates.blocked_n;
    return way_out(blocked ? estimates.blocker : FailureKind::kNone, last_failure_of(state));
}

std::optional<RecoveryStep> next_recovery_step(const SessionState& state, bool may_stop) {
    const Judgement& judgement = *state.judgement;
    const bool stuck = judgement.verdict == Verdict::kStuck;
    if (state.ended() || (!stuck && judgement.verdict != Verdict::kSuspect)) return std::nullopt;
    // Heartbeats alone may come from a slow, unreported tool: there is no approach to change.
    const bool only_beats = judgement.detector == name_of(kIdOf<HeartbeatRule>);
    if (only_beats && !stuck) return std::nullopt;
    const auto nudge = std::find_if(state.nudges.begin(), state.nudges.end(),
                                    [&](const Nudge& n) { return n.loop == judgement.loop; });
    const std::uint64_t taken = nudge == state.nudges.end() ? 0 : nudge->step;
    const OnStuck on_stuck = state.policy->when_stuck();
    HEADWAY_ASSERT(on_stuck != OnStuck::kByProfile);
    const bool stops = on_stuck >= OnStuck::kStop;
    if (stuck && stops && may_stop) {
        return taken < kStepStop ? std::optional{step_for(state, kStepStop)} : std::nullopt;
    }
    if (taken == 0) return step_for(state, 1);
    if (!stuck || taken >= last_step(stops ? OnStuck::kAdvise : on_stuck)) return std::nullopt;
    HEADWAY_ASSERT(nudge != state.nudges.end());
    if (state.ledger->rounds <= nudge->round)
        return std::nullopt;  // the agent had no turn to follow it yet
    if (taken >= 2 && state.ledger->rounds < nudge->round + kRoundsToFollow) return std::nullopt;
    return step_for(state, taken + 1);
}

}  // namespace headway::core

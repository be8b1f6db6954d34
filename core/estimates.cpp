#include "core/estimates.hpp"

#include <algorithm>

#include "core/classify.hpp"
#include "core/session_state.hpp"

namespace headway::core {
namespace {

/// Of the blockers' words, the first that tells something.
FailureKind kind_of_blockers(const std::vector<std::string>& blockers) {
    for (const std::string& blocker : blockers) {
        const FailureKind kind = failure_of_message(blocker);
        if (kind != FailureKind::kOther) return kind;
    }
    return blockers.empty() ? FailureKind::kNone : FailureKind::kOther;
}

/// Whether the verdict turned bad, or the fifth quiet round in a row came, or a phase ended, since
/// the last estimate of a judge.
bool stalled(const SessionState& state) {
    const Estimates& last = *state.estimates;
    const Verdict verdict = state.judgement.verdict;
    const bool bad = verdict == Verdict::kSuspect || verdict == Verdict::kSlow;
    if (bad && state.reached[static_cast<std::size_t>(verdict)] > last.n) return true;
    if (state.phase_totals.completed > last.phases) return true;
    const Ledger& ledger = state.ledger;
    return ledger.quiet_rounds >= kStalledRounds &&
           ledger.rounds - ledger.quiet_rounds + kStalledRounds > last.round;
}

}  // namespace

void enter_estimate(SessionState& state, const ProgressEstimated& said, std::uint64_t n) {
    Estimates& estimates = state.estimates.change();
    if (!said.fallback) ++estimates.scored;
    if (!said.by_judge()) return;
    ++estimates.judged;
    estimates.n = n;
    estimates.calls = state.ledger.calls;
    estimates.phases = state.phase_totals.completed;
    estimates.round = state.ledger.rounds;
    if (said.fallback) return;  // nobody said that the blockers are gone
    estimates.blocked_n = said.blockers.empty() ? 0 : n;
    estimates.blocker = kind_of_blockers(said.blockers);
}

void sign_as_agent(ProgressEstimated& said) {
    if (said.source.empty() || said.source == "judge") said.source = "agent";
    said.fallback = false;
    said.judge.clear();
    said.model.clear();
    said.use.reset();
}

ProgressEstimated fallback_estimate(const SessionState& state, std::string_view why) {
    ProgressEstimated made;
    made.percent = state.tool_calls > state.tool_failures ? 50 : 0;
    made.fallback = true;
    const char* rule = made.percent > 0 ? "; 50 stands for it, since a call went well"
                                        : "; 0 stands for it, since no call went well";
    made.reasoning = bounded_text(std::string{why} + rule);
    return made;
}

bool estimate_due(const SessionState& state, const JudgeRules& rules) {
    if (rules.primary.empty() || state.ended() || !state.policy.judge) return false;
    if (state.estimates->judged >= rules.estimates_max) return false;
    switch (rules.estimates) {
        case EstimateMode::kOff:
            return false;
        case EstimateMode::kStall:
            return stalled(state);
        case EstimateMode::kStep:
            return state.ledger.calls > state.estimates->calls;
        case EstimateMode::kEvery:
            return state.ledger.calls >=
                   state.estimates->calls + std::max(rules.estimate_steps, 1U);
    }
    return false;
}

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#include "core/state/estimates.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/detection/classify.hpp"
#include "core/state/session_state.hpp"

namespace headway::core {
namespace {

/// The kind of the first blocker whose words are known.
FailureKind kind_of_blockers(const std::vector<std::string>& blockers) {
    for (const std::string& blocker : blockers) {
        const FailureKind kind = failure_of_message(blocker);
        if (kind != FailureKind::kOther) return kind;
    }
    return blockers.empty() ? FailureKind::kNone : FailureKind::kOther;
}

/// True if, since the last estimate of a judge, the verdict turned bad, the fifth quiet round in a
/// row came, or a phase ended.
bool stalled(const SessionState& state) {
    const Estimates& last = *state.estimates;
    const Verdict verdict = state.judgement->verdict;
    const bool bad = verdict == Verdict::kSuspect || verdict == Verdict::kSlow;
    if (bad && state.reached[static_cast<std::size_t>(verdict)] > last.n) return true;
    if (state.phase_totals.completed > last.phases) return true;
    const Ledger& ledger = *state.ledger;
    return ledger.quiet_rounds >= kStalledRounds &&
           ledger.rounds - ledger.quiet_rounds + kStalledRounds > last.round;
}

/// The newest estimates of one author, with this one.
std::vector<double> recent_with(const Estimates& estimates, const ProgressEstimated& estimate) {
    std::vector<double> recent;
    if (estimates.recent_judged == estimate.by_judge()) recent = estimates.recent;
    if (recent.size() == EstimatePlateau::kWindow) recent.erase(recent.begin());
    recent.push_back(estimate.percent);
    HEADWAY_ASSERT(recent.size() <= EstimatePlateau::kWindow);
    return recent;
}

std::string words(std::string_view text) {
    const std::string_view cut = cut_text(text, limits::kEstimateWordsBytesMax);
    HEADWAY_ASSERT(cut.size() <= limits::kEstimateWordsBytesMax);
    return std::string{cut};
}

/// Makes the estimate the visible one. A fallback has no author: it neither makes nor ends a
/// plateau.
void show(Estimates& estimates, const ProgressEstimated& estimate, const Event& event) {
    const bool stuck = makes_no_way(estimates, estimate);
    if (!estimate.fallback) {
        estimates.recent = recent_with(estimates, estimate);
        estimates.recent_judged = estimate.by_judge();
    }
    CurrentEstimate& current = estimates.current;
    current = {};
    current.percent = estimate.percent;
    current.reasoning = cut_text(estimate.reasoning.kept, limits::kEstimateReasonBytesMax);
    current.next_milestone = words(estimate.next_milestone);
    const std::size_t kept = std::min(estimate.blockers.size(), limits::kEstimateBlockersMax);
    for (std::size_t i = 0; i < kept; ++i)
        current.blockers.push_back(words(estimate.blockers[i]));
    current.is_stuck = stuck;
    current.source =
        estimate.by_judge() ? "judge" : words(estimate.source.empty() ? "agent" : estimate.source);
    current.fallback = estimate.fallback;
    HEADWAY_ASSERT(current.blockers.size() <= limits::kEstimateBlockersMax);
    HEADWAY_ASSERT(current.reasoning.size() <= limits::kEstimateReasonBytesMax);
    current.n = event.n;
    current.at = event.at;
}

}  // namespace

bool makes_no_way(const Estimates& before, const ProgressEstimated& estimate) {
    if (estimate.fallback) return false;
    const std::vector<double> recent = recent_with(before, estimate);
    const auto [low, high] = std::minmax_element(recent.begin(), recent.end());
    return recent.size() == EstimatePlateau::kWindow && *high - *low < EstimatePlateau::kRange;
}

void enter_estimate(SessionState& state, const ProgressEstimated& estimate, const Event& event) {
    Estimates& estimates = state.estimates.change();
    HEADWAY_ASSERT(estimates.n < event.n && estimates.current.n < event.n);
    show(estimates, estimate, event);
    if (estimate.by_judge()) {
        ++estimates.judged;
        estimates.n = event.n;
        estimates.calls = state.ledger->calls;
        estimates.phases = state.phase_totals.completed;
        estimates.round = state.ledger->rounds;
    }
    if (estimate.fallback) return;  // says nothing about the blockers
    ++estimates.scored;
    const bool stands = estimates.blocked_n != 0 && estimates.blocked_by_judge;
    if (stands && !estimate.by_judge() && estimate.blockers.empty()) return;
    estimates.blocked_by_judge = estimate.by_judge();
    estimates.blocked_n = estimate.blockers.empty() ? 0 : event.n;
    estimates.blocker = kind_of_blockers(estimate.blockers);
}

void sign_as_agent(ProgressEstimated& estimate) {
    if (estimate.source.empty() || estimate.source == "judge") estimate.source = "agent";
    estimate.fallback = false;
    estimate.judge.clear();
    estimate.model.clear();
    estimate.use.reset();
    estimate.is_stuck.reset();
    HEADWAY_ASSERT(!estimate.by_judge());
}

ProgressEstimated fallback_estimate(const SessionState& state, std::string_view why) {
    ProgressEstimated estimate;
    estimate.percent = state.tool_calls > state.tool_failures ? 50 : 0;
    estimate.fallback = true;
    const char* rule = estimate.percent > 0 ? "; 50 takes its place, since a call went well"
                                            : "; 0 takes its place, since no call went well";
    estimate.reasoning = bounded_text(std::string{why} + rule);
    return estimate;
}

bool estimate_due(const SessionState& state, const JudgeRules& rules) {
    if (rules.primary.empty() || state.ended() || !state.policy->judge) return false;
    if (state.estimates->judged >= rules.estimates_max) return false;
    switch (rules.estimates) {
        case EstimateMode::kOff:
            return false;
        case EstimateMode::kStall:
            return stalled(state);
        case EstimateMode::kStep:
            return state.ledger->calls > state.estimates->calls;
        case EstimateMode::kEvery:
            return state.ledger->calls >=
                   state.estimates->calls + std::max(rules.estimate_steps, 1U);
    }
    return false;
}

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::core {

struct Event;
struct SessionState;
struct JudgeRules;

/// The newest estimate of progress by the agent or a judge, as readers see it. The journal has the
/// full text.
struct CurrentEstimate {
    double percent = 0;
    std::string reasoning;       ///< cut to limits::kEstimateReasonBytesMax
    std::string next_milestone;  ///< cut to limits::kEstimateWordsBytesMax
    /// Blockers, at most limits::kEstimateBlockersMax, each cut too.
    std::vector<std::string> blockers;
    bool is_stuck = false;  ///< the estimate is within five points of the two before it
    std::string source;     ///< "agent", "judge", or the agent's own name for its source
    bool fallback = false;  ///< stands in for an estimate that the judge did not give
    std::uint64_t n = 0;    ///< number of the estimate's event; 0 = none yet
    Timestamp at = kNever;
    bool operator==(const CurrentEstimate&) const = default;
    static constexpr auto fields() {
        using E = CurrentEstimate;
        return field_list(field("percent", &E::percent), field("reasoning", &E::reasoning),
                          field("next_milestone", &E::next_milestone),
                          field("blockers", &E::blockers), field("is_stuck", &E::is_stuck),
                          field("source", &E::source), field("fallback", &E::fallback),
                          field("n", &E::n), field("at", &E::at));
    }
};

using EstimatePtr = std::shared_ptr<const CurrentEstimate>;

/// Estimates of a session: the current one, and the state that decides when to ask a judge next.
struct Estimates {
    /// Number of estimates by the agent and by judges, without fallbacks. They are scored at the
    /// end of the session.
    std::uint32_t scored = 0;
    std::uint32_t judged = 0;     ///< number of estimates by judges, including fallbacks
    std::uint64_t n = 0;          ///< event of the last estimate by a judge
    std::uint64_t calls = 0;      ///< Ledger::calls at that estimate
    std::uint64_t phases = 0;     ///< PhaseTotals::completed at that estimate
    std::uint32_t round = 0;      ///< Ledger::rounds at that estimate
    std::uint64_t blocked_n = 0;  ///< event of the last estimate if it named blockers; else 0
    FailureKind blocker = FailureKind::kNone;  ///< kind of these blockers
    /// A judge named these blockers, so only a judge can withdraw them.
    bool blocked_by_judge = false;
    CurrentEstimate current;
    /// The newest estimates by one author, at most EstimatePlateau::kWindow.
    std::vector<double> recent;
    bool recent_judged = false;  ///< the author of `recent` is a judge
    bool operator==(const Estimates&) const = default;
    static constexpr auto fields() {
        using E = Estimates;
        return field_list(field("scored", &E::scored), field("judged", &E::judged),
                          field("n", &E::n), field("calls", &E::calls), field("phases", &E::phases),
                          field("round", &E::round), field("blocked_n", &E::blocked_n),
                          field("blocker", &E::blocker), field("current", &E::current),
                          field("recent", &E::recent), field("recent_judged", &E::recent_judged),
                          field("blocked_by_judge", &E::blocked_by_judge));
    }
};

/// True if the estimate is within five points of the two previous estimates by the same author. A
/// fallback has no author. Pure.
bool makes_no_way(const Estimates& before, const ProgressEstimated& estimate);

/// Folds an estimate.
void enter_estimate(SessionState& state, const ProgressEstimated& progress, const Event& event);

/// Marks an estimate in a report as the agent's, because a report must not speak for a judge.
void sign_as_agent(ProgressEstimated& estimate);

/// The fallback when the judge gives no estimate (docs/first-designs.md): 50 if a call has
/// succeeded, else 0, with the reason. Pure.
ProgressEstimated fallback_estimate(const SessionState& state, std::string_view why);

/// True if a judge should be asked for an estimate now. The caller checks that no such question is
/// in flight. Pure.
bool estimate_due(const SessionState& state, const JudgeRules& rules);

/// With EstimateMode::kStall: the number of rounds without progress after which the judge is asked.
inline constexpr std::uint32_t kStalledRounds = 5;

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/call_print.hpp"
#include "core/fields.hpp"
#include "core/time.hpp"
#include "core/work_payloads.hpp"

namespace headway::core {

struct Event;
struct SessionState;
struct JudgeRules;

/// The newest estimate of how far a session has come, of the agent or of a judge, as it is shown
/// (first design `ProgressEstimate`). The journal has its words in full.
struct CurrentEstimate {
    double percent = 0;
    std::string reasoning;              ///< cut to limits::kEstimateReasonBytesMax
    std::string next_milestone;         ///< cut to limits::kEstimateWordsBytesMax
    std::vector<std::string> blockers;  ///< at most limits::kEstimateBlockersMax, each cut too
    bool is_stuck = false;  ///< with the two before it, within five points (first design `isStuck`)
    std::string source;     ///< "agent", "judge", or what the agent calls its own source
    bool fallback = false;  ///< the judge gave none
    std::uint64_t n = 0;    ///< its event; 0 = there was none yet
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

/// What was said about how far the session has come: what readers are shown, and what decides when
/// a judge is asked next.
struct Estimates {
    std::uint32_t scored = 0;     ///< by anybody, without fallbacks: these meet the real end
    std::uint32_t judged = 0;     ///< by judges, fallbacks too
    std::uint64_t n = 0;          ///< the event of the last of those
    std::uint64_t calls = 0;      ///< Ledger::calls then
    std::uint64_t phases = 0;     ///< PhaseTotals::completed then
    std::uint32_t round = 0;      ///< Ledger::rounds then
    std::uint64_t blocked_n = 0;  ///< the last estimate, when it named blockers; 0 = it did not
    FailureKind blocker = FailureKind::kNone;  ///< what their words are about
    bool blocked_by_judge = false;             ///< a judge named them: only a judge takes them back
    CurrentEstimate current;
    std::vector<double> recent;  ///< the last of its author, at most EstimatePlateau::kWindow
    bool recent_judged = false;  ///< that author is a judge
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

/// Fold of the event.
void enter_estimate(SessionState& state, const ProgressEstimated& said, const Event& event);

/// Makes a report's estimate the agent's own: whatever it says, it is not a judge's.
void sign_as_agent(ProgressEstimated& said);

/// What stands for an estimate when the judge gave none (first design): 50 once a call went well,
/// else 0, marked as fallback, with the reason. Pure.
ProgressEstimated fallback_estimate(const SessionState& state, std::string_view why);

/// Whether a judge should be asked now how far the session has come. The caller knows whether one
/// is under way. Pure.
bool estimate_due(const SessionState& state, const JudgeRules& rules);

/// With EstimateMode::kStall: rounds without news after which the judge is asked.
inline constexpr std::uint32_t kStalledRounds = 5;

}  // namespace headway::core

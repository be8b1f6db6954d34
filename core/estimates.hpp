#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/call_print.hpp"
#include "core/fields.hpp"
#include "core/work_payloads.hpp"

namespace headway::core {

struct SessionState;
struct JudgeRules;

/// What was said about how far the session has come, as far as it decides when a judge is asked
/// next. The words stand in the journal.
struct Estimates {
    std::uint32_t scored = 0;     ///< by anybody, without fallbacks: these meet the real end
    std::uint32_t judged = 0;     ///< by judges, fallbacks too
    std::uint64_t n = 0;          ///< the event of the last of those
    std::uint64_t calls = 0;      ///< Ledger::calls then
    std::uint64_t phases = 0;     ///< PhaseTotals::completed then
    std::uint32_t round = 0;      ///< Ledger::rounds then
    std::uint64_t blocked_n = 0;  ///< a judge's last answer, when it named blockers; 0 = it did not
    FailureKind blocker = FailureKind::kNone;  ///< what their words are about
    bool operator==(const Estimates&) const = default;
    static constexpr auto fields() {
        using E = Estimates;
        return field_list(field("scored", &E::scored), field("judged", &E::judged),
                          field("n", &E::n), field("calls", &E::calls), field("phases", &E::phases),
                          field("round", &E::round), field("blocked_n", &E::blocked_n),
                          field("blocker", &E::blocker));
    }
};

/// Fold of the event.
void enter_estimate(SessionState& state, const ProgressEstimated& said, std::uint64_t n);

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget_payloads.hpp"
#include "core/result.hpp"

namespace headway::core {

/// What sessions of one agent type get when their opening leaves it open.
struct AgentBudget {
    std::string type;
    BudgetLimits limits;
};

/// Between which an opening and an operator may set a limit; both ends included.
struct BudgetBounds {
    std::uint64_t timeout_seconds_min = 30;
    std::uint64_t timeout_seconds_max = 3600;
    std::uint64_t max_steps_min = 5;
    std::uint64_t max_steps_max = 200;
    std::uint64_t max_tokens_max = 0;  ///< 0 = none
    double max_cost_usd_max = 0;       ///< 0 = none
};

/// The daemon's configuration of budgets. Nobody has one unless somebody set it.
struct BudgetSettings {
    BudgetLimits defaults;  ///< of types without an entry; nothing: no budget
    BudgetRules rules;
    BudgetBounds bounds;
    std::vector<AgentBudget> agents;
    /// Whether the first design's budgets hold for types without an entry: `plan` 600 s and 50
    /// steps, `explore` 300 s and 30.
    bool builtin = false;
};

/// The limits that a session starts with, and where they come from.
struct OpeningBudget {
    BudgetLimits limits;
    BudgetSource source = BudgetSource::kNone;
    bool operator==(const OpeningBudget&) const = default;
};

/// What is wrong with these settings as a whole, or empty. Pure.
std::string mistake_in(const BudgetSettings& settings);

/// The limits of a session of this agent type (case does not matter) that was opened with `asked`:
/// each from the opening, else from the type, else from the defaults. Pure.
OpeningBudget opening_budget(const BudgetSettings& settings, std::string_view agent_type,
                             const BudgetLimits& asked);

/// Error: kInvalidField; its field is `pointer` and the name of the limit that is out of bounds.
/// Pure.
Result<> check_bounds(const BudgetLimits& limits, const BudgetBounds& bounds,
                      std::string_view pointer);

/// What may be added at once: at least something, and no more than the upper bounds. Error:
/// kInvalidField. Pure.
Result<> check_extension(const BudgetLimits& added, const BudgetBounds& bounds,
                         std::string_view pointer);

/// Whether no amount is above the upper bounds: what a request for more may ask for. Error:
/// kInvalidField. Pure.
Result<> check_at_most(const BudgetLimits& added, const BudgetBounds& bounds,
                       std::string_view pointer);

/// What of `added` fits between `limits` and the upper bounds; of a limit that is not set, nothing.
/// Pure.
BudgetLimits within_bounds(const BudgetLimits& limits, const BudgetLimits& added,
                           const BudgetBounds& bounds);

inline constexpr std::uint64_t kMaxTokensMax = 1'000'000'000'000;
inline constexpr double kMaxCostUsdMin = 0.000001;  ///< what a cost is counted in
inline constexpr double kMaxCostUsdMax = 1'000'000;

}  // namespace headway::core

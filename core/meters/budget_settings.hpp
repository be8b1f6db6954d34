// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/events/budget_payloads.hpp"

namespace headway::core {

/// The budget of one agent type, for limits that the opening does not give.
struct AgentBudget {
    std::string type;
    BudgetLimits limits;
};

/// Bounds for limits that an opening or an operator sets; both ends are allowed.
struct BudgetBounds {
    std::uint64_t timeout_seconds_min = 30;
    std::uint64_t timeout_seconds_max = 3600;
    std::uint64_t max_steps_min = 5;
    std::uint64_t max_steps_max = 200;
    std::uint64_t max_tokens_max = 0;  ///< upper bound of max_tokens; 0 = none
    double max_cost_usd_max = 0;       ///< upper bound of max_cost_usd; 0 = none
};

/// Budget configuration of the daemon. By default there are no budgets.
struct BudgetSettings {
    BudgetLimits defaults;  ///< limits for types without an entry; empty = no budget
    BudgetRules rules;
    BudgetBounds bounds;
    std::vector<AgentBudget> agents;
    /// True if the built-in budgets (docs/first-designs.md) apply to types without an entry: `plan`
    /// 600 s and 50 steps, `explore` 300 s and 30 steps.
    bool builtin = false;
};

/// The limits that a session starts with, and their source.
struct OpeningBudget {
    BudgetLimits limits;
    BudgetSource source = BudgetSource::kNone;
    bool operator==(const OpeningBudget&) const = default;
};

/// The first inconsistency of these settings, or empty. Pure.
std::string mistake_in(const BudgetSettings& settings);

/// The limits of a session of this agent type (case-insensitive) opened with `asked`: each limit
/// comes from the opening, else from `suggested`, else from the type's entry, else from the
/// defaults. Pure.
OpeningBudget opening_budget(const BudgetSettings& settings, std::string_view agent_type,
                             const BudgetLimits& asked, const BudgetLimits& suggested = {});

/// Checks limits. Error: kInvalidField, whose field is `pointer` plus the name of the limit. Pure.
Result<> check_bounds(const BudgetLimits& limits, const BudgetBounds& bounds,
                      std::string_view pointer);

/// Checks an extension: at least one amount, none above the upper bounds. Error: kInvalidField.
/// Pure.
Result<> check_extension(const BudgetLimits& added, const BudgetBounds& bounds,
                         std::string_view pointer);

/// Checks that no amount of a requested extension exceeds the upper bounds. Error: kInvalidField.
/// Pure.
Result<> check_at_most(const BudgetLimits& added, const BudgetBounds& bounds,
                       std::string_view pointer);

/// The part of `added` that fits between `limits` and the upper bounds; nothing for a dimension
/// without a limit. Pure.
BudgetLimits within_bounds(const BudgetLimits& limits, const BudgetLimits& added,
                           const BudgetBounds& bounds);

inline constexpr std::uint64_t kMaxTokensMax = 1'000'000'000'000;
inline constexpr double kMaxCostUsdMin = 0.000001;  ///< smallest unit of cost
inline constexpr double kMaxCostUsdMax = 1'000'000;

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"

// How far a cost is known, and texts about this. Pure.

namespace headway::core {

/// Dollars with all significant digits, two at least: "$1.50".
std::string dollar_text(std::uint64_t micros);

/// How far the cost of a session and of its children is known.
enum class CostKnown : std::uint8_t {
    kNothingYet,  ///< nothing was used yet
    kAll,
    kPart,  ///< some tokens have no known cost
    kNone,
};
template <>
struct EnumNames<CostKnown> {
    static constexpr std::array<std::string_view, 4> kNames{"nothing_yet", "all", "part", "none"};
};

CostKnown known_cost(const BudgetUse& use);
CostKnown known_cost(const BudgetStatus& status);
/// Tokens and cost of the session alone, without its children; its steps are left out. The cost is
/// the sum of the costs that its agent reported and of the estimates. A cost reported without
/// tokens may belong to answers that have an estimate too: the larger sum counts.
BudgetUse own_use(const BudgetMeter& meter);

/// True if a cost figure may be shown at all.
bool is_shown(CostKnown known);

/// The cost in an ended session's record of use (budget_history.hpp) if not known as a whole.
inline constexpr std::uint64_t kUnknownCost = UINT64_MAX;

/// The sentence about a cap on cost that cannot be enforced, or only in part. Empty without a cap
/// or a doubt. "the cap of $1.00 cannot hold: no cost is known of 4800000 tokens"
std::string cap_doubt(const BudgetStatus& status);

}  // namespace headway::core

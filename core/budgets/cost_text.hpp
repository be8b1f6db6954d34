// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"

// How far a cost is known, and how it is said. Pure.

namespace headway::core {

/// Dollars with all significant digits, two at least: "$1.50".
std::string dollar_text(std::uint64_t micros);

/// The known cost of a session and of what counts for it.
enum class CostKnown : std::uint8_t {
    kNothingYet,  ///< nothing was used, so nothing was to be known
    kAll,
    kPart,  ///< of some tokens no cost is known
    kNone,
};
template <>
struct EnumNames<CostKnown> {
    static constexpr std::array<std::string_view, 4> kNames{"nothing_yet", "all", "part", "none"};
};

CostKnown known_cost(const BudgetUse& use);
CostKnown known_cost(const BudgetStatus& status);
/// Tokens and cost of the session alone, without its children; its steps are left out. The cost is
/// the sum of what its agent said and of the estimates. A cost that was said apart from tokens is
/// one of answers that may have an estimate too: of both sums the larger one counts.
BudgetUse own_use(const BudgetMeter& meter);

/// True if a figure may be shown at all.
bool is_shown(CostKnown known);

/// The cost of an ended session in its record of use (budget_history.hpp): not known as a whole.
inline constexpr std::uint64_t kUnknownCost = UINT64_MAX;

/// The sentence about a cap on cost that cannot hold, or not quite. Empty if it holds or
/// there is none. "the cap of $1.00 cannot hold: no cost is known of 4800000 tokens"
std::string cap_doubt(const BudgetStatus& status);

}  // namespace headway::core

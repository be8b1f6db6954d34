// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/budget.hpp"

// What agents and people read about a budget. Pure.

namespace headway::core {

/// The block for the system message, word for word that of the first design:
///
///     [EXECUTION BUDGET]
///     Current Progress: Step 15/30, Elapsed: 45/300 seconds
///     Time Used: 15%, Steps Used: 50%
///     Remaining: 255 seconds, 15 steps
///     Status: NOMINAL (Continue normally)
///
/// Without a limit on time or steps its part is left out; tokens and cost have a line each when
/// they are limited. Percentages are rounded down: "69%" never says LOW.
std::string budget_prompt(const BudgetStatus& status);

/// The reason of the directive for a level above nominal, with the figures; at most
/// limits::kStringBytesMax.
std::string budget_advice(const BudgetStatus& status);

/// The reason of the directive of a session whose use counts for `parent`, whose budget is at this
/// level; nominal: that one has more again.
std::string parent_budget_advice(std::string_view parent, BudgetLevel level);

/// "90% of the steps are used (27 of 30 steps, 100 of 300 seconds)"
std::string budget_figures(const BudgetStatus& status);

/// What a session that Headway ends has to show: `{"partial":true,"message":..,"tool":..,
/// "tool_result":..,"newest":..}`, of which `message` is the last of the agent and `tool_result`
/// that of the last call that went well, each cut to limits::kPartialResultBytesMax; `newest`
/// names the newer of both. Empty when it has nothing.
Json partial_result(const BudgetMeter& meter);

}  // namespace headway::core

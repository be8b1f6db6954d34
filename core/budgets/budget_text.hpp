// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"

// Texts about a budget, for agents and people. Pure.

namespace headway::core {

/// The block for the system message, in the wording of docs/first-designs.md:
///
///     [EXECUTION BUDGET]
///     Current Progress: Step 15/30, Elapsed: 45/300 seconds
///     Time Used: 15%, Steps Used: 50%
///     Remaining: 255 seconds, 15 steps
///     Status: NOMINAL (Continue normally)
///
/// Time or steps without a limit are left out; tokens and cost have a line each if they have a
/// limit. Percentages are rounded down: with a threshold of 70, the status at a displayed 69% is
/// never LOW. At a level above nominal, `usual_calls` (see usual_calls_text()) is added as a line
/// before the last one:
///
///     Usual Tool Time: bash 2 s (p95 40 s), read 50 ms (p95 1 s)
std::string budget_prompt(const BudgetStatus& status, std::string_view usual_calls = {});

/// The reason for the directive at a level above nominal, with the figures; at most
/// limits::kStringBytesMax.
std::string budget_advice(const BudgetStatus& status);

/// The reason for the directive to a descendant when the budget of its ancestor `parent` has
/// reached `level`. At nominal, the reason is that the ancestor's budget has room again.
std::string parent_budget_advice(std::string_view parent, BudgetLevel level);

/// "90% of the steps are used (27 of 30 steps, 100 of 300 seconds)"
std::string budget_figures(const BudgetStatus& status);

/// Partial result of a session that Headway ends: `{"partial":true,"message":..,"tool":..,
/// "tool_result":..,"newest":..}`. `message` is the agent's last message, `tool_result` the result
/// of the last successful call, each cut to limits::kPartialResultBytesMax; `newest` names the
/// newer of the two. Empty if there is neither.
Json partial_result(const BudgetMeter& meter);

}  // namespace headway::core

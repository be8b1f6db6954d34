// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "api/encode/encode.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_history.hpp"

// Budgets as JSON text. Functions change only arguments; shapes as in API.md, names as in the first
// design.

namespace headway::api {

class JsonWriter;

/// Writes the next value: the `budget` of a reply or document, or null if there is no limit.
/// `usual_calls` becomes part of the budget's prompt. `cost_warning`: why a cap on cost will not
/// hold. It is needed only while nothing has been used; afterwards `status` has the warning.
void write_budget(JsonWriter& json, const core::BudgetStatus& status,
                  const core::BudgetPrediction* prediction, std::string_view usual_calls = {},
                  std::string_view cost_warning = {});

/// The reply to `GET /v1/sessions/{id}/budget`.
void append_budget(std::string& out, const core::Session& session, const ReadingTime& time,
                   const core::BudgetPrediction& prediction, std::string_view usual_calls = {},
                   std::string_view cost_warning = {});

/// The reply to `GET /v1/analytics/budgets`. `sessions`: number of ended sessions read; `more`:
/// older sessions were left out.
void append_budget_analytics(std::string& out, std::span<const core::UseSummary> summaries,
                             std::uint64_t sessions, bool more);

/// Writes the member `used`: the session's own tokens and cost so far, with or without a budget.
/// Changes only `json`.
void write_used(JsonWriter& json, const core::BudgetMeter& meter);
/// Writes the member `fan_out`: the session's descendants and their usage. Writes nothing for a
/// session without descendants. Changes only `json`.
void write_fan_out(JsonWriter& json, const core::BudgetMeter& meter);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "api/encode/encode.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_history.hpp"

// Budgets as JSON text. Pure; the shapes are those of API.md, the names those of the first design.

namespace headway::api {

class JsonWriter;

/// The `budget` of replies and documents as the next value: null without a limit. `usual_calls`
/// goes into its prompt. `cost_warning`: why a cap on cost will not hold, while nothing is used
/// yet; after that `status` itself says so.
void write_budget(JsonWriter& json, const core::BudgetStatus& status,
                  const core::BudgetPrediction* prediction, std::string_view usual_calls = {},
                  std::string_view cost_warning = {});

/// The reply of `GET /v1/sessions/{id}/budget`.
void append_budget(std::string& out, const core::Session& session, const ReadingTime& time,
                   const core::BudgetPrediction& prediction, std::string_view usual_calls = {},
                   std::string_view cost_warning = {});

/// The reply of `GET /v1/analytics/budgets`; `sessions` is how many ended ones were looked at,
/// `more` whether older ones were left out.
void append_budget_analytics(std::string& out, std::span<const core::UseSummary> summaries,
                             std::uint64_t sessions, bool more);

/// The member `used`: tokens and cost of the session itself so far, with a budget or without. Pure.
void write_used(JsonWriter& json, const core::BudgetMeter& meter);
/// The member `fan_out`: its descendants, and what they have used. Nothing without any. Pure.
void write_fan_out(JsonWriter& json, const core::BudgetMeter& meter);

}  // namespace headway::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/events/budget_payloads.hpp"

namespace headway::api {

/// An operator's change to the budget of a session.
struct BudgetChange {
    bool extends = false;  ///< true: `limits` are added to the session's limits; false: they
                           ///< replace the session's limits
    core::BudgetLimits limits;
    std::string by;
    std::string reason;
};

/// Decodes `{"set":{..}}` or `{"extend":{..}}`, with `by` and `reason`. Bounds are checked by the
/// engine, which has the configuration. Errors: as in decode.hpp. Changes only `document`.
core::Result<BudgetChange> decode_budget_change(JsonDocument& document, std::string_view body);

/// A person's change of a daily cap.
struct DayChange {
    std::string label;  ///< the cap's label; empty: the cap for all sessions
    double more_cost_usd = 0;
    std::uint64_t more_tokens = 0;
    bool lift = false;  ///< removes the cap until the next day
};

/// Decodes `{"extend":{"max_cost_usd":..,"max_tokens":..}}` or `{"lift":true}`, with `label`.
/// Changes only `document`.
core::Result<DayChange> decode_day_change(JsonDocument& document, std::string_view body);

}  // namespace headway::api

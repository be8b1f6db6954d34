// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_budget.hpp"

#include "api/decode/bodies.hpp"
#include "api/json/decode_fields.hpp"
#include "core/meters/budget_settings.hpp"

namespace headway::api {
using core::Error;
using core::ErrorCode;
using core::Result;

Result<DayChange> decode_day_change(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    DayBody parsed;
    HEADWAY_CHECK(fields::decode_object(document.root(), parsed));
    if (parsed.lift == parsed.extend.has_value()) {
        return Error{ErrorCode::kMissingField,
                     "give `extend` with what is added for this day, or `lift`: true, and not both",
                     "/extend"};
    }
    DayChange change;
    change.label = std::move(parsed.label);
    change.lift = parsed.lift;
    if (change.lift) return change;
    const core::BudgetLimits& more = *parsed.extend;
    change.more_cost_usd = more.max_cost_usd.value_or(0);
    change.more_tokens = more.max_tokens.value_or(0);
    const bool fits = change.more_cost_usd >= 0 && change.more_cost_usd <= core::kMaxCostUsdMax &&
                      change.more_tokens <= core::kMaxTokensMax;
    const bool some = change.more_cost_usd > 0 || change.more_tokens > 0;
    if (fits && some && !more.timeout_seconds && !more.max_steps) return change;
    return Error{ErrorCode::kInvalidField,
                 "give max_cost_usd from 0.000001 to 1000000, max_tokens from 1 to 1000000000000, "
                 "or both",
                 "/extend"};
}

Result<BudgetChange> decode_budget_change(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    ChangeBody parsed;
    HEADWAY_CHECK(fields::decode_object(document.root(), parsed));
    if (parsed.set.has_value() == parsed.extend.has_value()) {
        return Error{parsed.set ? ErrorCode::kInvalidField : ErrorCode::kMissingField,
                     "give `set` with the limits that replace the present ones, or `extend` with "
                     "what is added to them, and not both",
                     parsed.set ? "/extend" : "/set"};
    }
    BudgetChange change;
    change.extends = parsed.extend.has_value();
    change.limits = change.extends ? *parsed.extend : *parsed.set;
    change.by = std::move(parsed.by);
    change.reason = std::move(parsed.reason);
    return change;
}

}  // namespace headway::api

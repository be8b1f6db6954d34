// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode/decode_budget.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Requests about budgets.

namespace headway::server {

using core::Result;

Result<> endpoints::show_budget(Call& call) {
    return call.read(BudgetQuery{call.session()}, call.session());
}

Result<> endpoints::change_budget(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_budget_change(call.on.document, call.request.body));
    decoded.by = signed_by(call.caller, std::move(decoded.by));
    BudgetCommand command{call.session(), std::move(decoded)};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::show_day(Call& call) {
    return call.read(DayQuery{});
}

Result<> endpoints::extend_day(Call& call) {
    HEADWAY_TRY(auto change, api::decode_day_change(call.on.document, call.request.body));
    return call.write(
        DayCommand{std::move(change.label), change.more_cost_usd, change.more_tokens, change.lift});
}

Result<> endpoints::budget_analytics(Call& call) {
    const api::Query& query = call.query;
    BudgetAnalyticsQuery wanted;
    if (const std::string* agent = query.find("agent")) wanted.agent = *agent;
    return call.read(std::move(wanted));
}

Result<> endpoints::expectations(Call& call) {
    ExpectationQuery wanted;
    if (const std::string* agent = call.query.find("agent")) wanted.agent = *agent;
    if (const std::string* complexity = call.query.find("complexity")) {
        if (!core::parse_name(*complexity, wanted.complexity.emplace())) {
            return core::Error{core::ErrorCode::kInvalidParameter, "must be low, medium or high",
                               "complexity"};
        }
    }
    return call.read(std::move(wanted));
}

}  // namespace headway::server

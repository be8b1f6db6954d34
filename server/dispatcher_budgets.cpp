// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode_budget.hpp"
#include "server/dispatcher_call.hpp"

// Requests about budgets.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error busy() {
    return {ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

}  // namespace

Result<> Dispatcher::budget(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, BudgetQuery{call.session()}, call.session(), 0)) return busy();
    return {};
}

Result<> Dispatcher::change_budget(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_budget_change(tape_, call.request.body));
    decoded.by = signed_by(*call.caller, std::move(decoded.by));
    BudgetCommand command{call.session(), std::move(decoded)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::budget_analytics(Call& call) {
    constexpr std::string_view kKnown[] = {"agent"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    BudgetAnalyticsQuery wanted;
    if (const std::string* agent = query.find("agent")) wanted.agent = *agent;
    if (!ask(call.to, std::move(wanted), {}, 0)) return busy();
    return {};
}

}  // namespace headway::server

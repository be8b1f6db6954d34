// SPDX-License-Identifier: Apache-2.0
#include "server/engine/transaction/costs.hpp"

#include "api/hooks/dialect.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/meters/prices.hpp"
#include "core/text/text.hpp"

namespace headway::server {
namespace {

/// How the agent's hooks report, or null for an agent without hooks that are known.
const api::hooks::Dialect* dialect_of(const core::SessionState& state,
                                      const std::optional<api::Adapter>& adapter) {
    const std::string& agent = adapter ? adapter->channel.adapter : state.about.agent.type;
    return api::hooks::find_dialect(agent);
}

/// The doubt before any use.
std::string early_doubt(const core::Prices& prices, const core::SessionState& state,
                        const api::hooks::Dialect* dialect) {
    const std::string& model = state.about.agent.model;
    if (dialect != nullptr && dialect->reports_cost) return {};
    if (dialect != nullptr && !dialect->reports_tokens)
        return "the hooks of " + std::string{dialect->name} +
               " have neither tokens nor a cost; its telemetry may";
    if (!model.empty() && !core::price_of(prices, model))
        return "there is no price of " + model +
               " (section [prices]), unless its agent reports costs";
    return {};
}

}  // namespace

std::string cost_warning(const Reader& reader, const core::Session& session,
                         const std::optional<api::Adapter>& adapter) {
    const core::SessionState& state = session.state();
    if (!state.budget.limits.max_cost_usd) return {};
    const api::ReadingTime time = reader.time();
    const core::BudgetStatus status = core::budget_status(state, time.now, time.watch);
    std::string doubt = core::cap_doubt(status);
    if (!doubt.empty() || core::known_cost(status) != core::CostKnown::kNothingYet) return doubt;
    const std::string why =
        early_doubt(reader.settings().prices, state, dialect_of(state, adapter));
    if (why.empty()) return {};
    return "the cap of " + core::dollar_text(*status.cost.limit) + " cannot hold: " + why;
}

std::optional<api::Adapter> adapter_with_cost(const Reader& reader, storage::SessionKey key,
                                              const core::Session& session) {
    std::optional<api::Adapter> adapter = reader.adapter(key, session);
    if (adapter && !cost_warning(reader, session, adapter).empty())
        adapter->state.missing.emplace_back("cost");
    return adapter;
}

}  // namespace headway::server

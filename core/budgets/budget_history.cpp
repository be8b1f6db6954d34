// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_history.hpp"

#include <algorithm>
#include <map>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"

namespace headway::core {
namespace {

Percentiles both(const std::vector<const UseRecord*>& records, std::uint64_t UseRecord::*member) {
    std::vector<std::uint64_t> values;
    values.reserve(records.size());
    for (const UseRecord* record : records)
        values.push_back(record->*member);
    const Percentiles both{percentile(values, 50), percentile(values, 90)};
    HEADWAY_ASSERT(both.p50 <= both.p90);
    return both;
}

/// The sum of those whose cost is known; kUnknownCost twice if none is.
Percentiles known_costs(std::vector<const UseRecord*> records) {
    std::erase_if(records,
                  [](const UseRecord* record) { return record->cost_micros == kUnknownCost; });
    if (records.empty()) return {kUnknownCost, kUnknownCost};
    return both(records, &UseRecord::cost_micros);
}

std::optional<Forecast> forecast(const std::vector<std::uint64_t>& totals, std::uint64_t used) {
    std::vector<std::uint64_t> left;
    for (const std::uint64_t total : totals) {
        if (total >= used) left.push_back(total - used);
    }
    if (left.empty()) return std::nullopt;
    HEADWAY_ASSERT(left.size() <= totals.size());
    return Forecast{left.size(), percentile(left, 10), percentile(left, 50), percentile(left, 90)};
}

}  // namespace

UseRecord use_record_of(const SessionState& state) {
    HEADWAY_ASSERT(state.ended());
    const BudgetStatus status = budget_status(state, state.ended_at, state.ended_at);
    UseRecord record;
    record.agent = state.about.agent.type;
    record.outcome = state.outcome.value_or(Outcome::kCompleted);
    record.ended_at = state.ended_at;
    record.elapsed_ms = status.time.used;
    record.steps = status.steps.used;
    record.tokens = status.tokens.used;
    const bool known = known_cost(status) == CostKnown::kAll;
    record.cost_micros = known ? status.cost.used : kUnknownCost;
    return record;
}

std::uint64_t percentile(std::vector<std::uint64_t> values, unsigned percent) {
    HEADWAY_ASSERT(percent <= 100);
    if (values.empty()) return 0;
    const std::size_t rank = std::max<std::size_t>((values.size() * percent + 99) / 100, 1);
    HEADWAY_ASSERT(rank >= 1 && rank <= values.size());
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

std::vector<UseSummary> summarize(std::span<const UseRecord> records) {
    std::map<std::pair<std::string, Outcome>, std::vector<const UseRecord*>> groups;
    for (const UseRecord& record : records)
        groups[{record.agent, record.outcome}].push_back(&record);
    std::vector<UseSummary> summaries;
    for (const auto& [key, group] : groups) {
        UseSummary summary;
        summary.agent = key.first;
        summary.outcome = key.second;
        HEADWAY_ASSERT(!group.empty());
        summary.count = group.size();
        summary.elapsed_ms = both(group, &UseRecord::elapsed_ms);
        summary.steps = both(group, &UseRecord::steps);
        summary.tokens = both(group, &UseRecord::tokens);
        summary.cost_micros = known_costs(group);
        summaries.push_back(std::move(summary));
    }
    return summaries;
}

BudgetPrediction predict(const std::string& agent, std::span<const UseRecord> records,
                         std::uint64_t steps, std::uint64_t elapsed_ms) {
    BudgetPrediction prediction;
    prediction.agent = agent;
    std::vector<std::uint64_t> step_totals;
    std::vector<std::uint64_t> second_totals;
    for (const UseRecord& record : records) {
        if (record.outcome != Outcome::kCompleted) continue;
        step_totals.push_back(record.steps);
        second_totals.push_back(record.elapsed_ms / 1000);
    }
    prediction.history = step_totals.size();
    HEADWAY_ASSERT(step_totals.size() == second_totals.size());
    if (prediction.history < kPredictionHistoryMin) return prediction;
    prediction.steps = forecast(step_totals, steps);
    prediction.seconds = forecast(second_totals, elapsed_ms / 1000);
    return prediction;
}

}  // namespace headway::core

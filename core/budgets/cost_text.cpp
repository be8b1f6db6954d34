// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/cost_text.hpp"

#include <algorithm>
#include <cstdio>

#include "core/base/assert.hpp"

namespace headway::core {

std::string dollar_text(std::uint64_t micros) {
    char text[40];
    const int size = std::snprintf(text, sizeof text, "%llu.%06llu",
                                   static_cast<unsigned long long>(micros / 1'000'000),
                                   static_cast<unsigned long long>(micros % 1'000'000));
    HEADWAY_ASSERT(size > 7 && static_cast<std::size_t>(size) < sizeof text);
    std::string amount = text;
    while (amount.ends_with('0') && amount[amount.size() - 3] != '.')
        amount.pop_back();
    HEADWAY_ASSERT(amount.size() >= 4);
    return "$" + amount;
}

CostKnown known_cost(const BudgetUse& use) {
    const bool some = use.cost_micros > 0 || use.tokens > use.parts.unpriced;
    if (some) return use.parts.unpriced > 0 ? CostKnown::kPart : CostKnown::kAll;
    return use.tokens == 0 && use.steps == 0 ? CostKnown::kNothingYet : CostKnown::kNone;
}

CostKnown known_cost(const BudgetStatus& status) {
    return known_cost(
        BudgetUse{status.steps.used, status.tokens.used, status.cost.used, status.parts});
}

BudgetUse own_use(const BudgetMeter& meter) {
    BudgetUse use{0, meter.tokens, meter.cost_micros, *meter.parts};
    // In the meter: of all answers, as their agent said or by the prices.
    const std::uint64_t of_answers = meter.parts->estimated_micros;
    use.cost_micros = std::max(meter.cost_micros, of_answers);
    use.parts.estimated_micros = use.cost_micros - meter.cost_micros;
    HEADWAY_ASSERT(use.parts.estimated_micros <= use.cost_micros);
    return use;
}

bool is_shown(CostKnown known) {
    return known == CostKnown::kAll || known == CostKnown::kPart;
}

std::string cap_doubt(const BudgetStatus& status) {
    if (!status.cost.limit) return {};
    const std::string cap = "the cap of " + dollar_text(*status.cost.limit);
    const std::string of_tokens = std::to_string(status.parts.unpriced) + " tokens";
    switch (known_cost(status)) {
        case CostKnown::kNone:
            if (status.tokens.used == 0)
                return cap + " cannot hold: neither tokens nor a cost are reported";
            return cap + " cannot hold: no cost is known of " + of_tokens;
        case CostKnown::kPart:
            return cap + " holds only in part: no cost is known of " + of_tokens;
        case CostKnown::kAll:
        case CostKnown::kNothingYet:
            break;
    }
    return {};
}

}  // namespace headway::core

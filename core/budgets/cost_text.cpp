// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/cost_text.hpp"

#include <algorithm>
#include <cstdio>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"

namespace headway::core {
namespace {

std::uint64_t both_of(std::uint64_t a, std::uint64_t b) {
    return std::min(kBudgetCountMax, std::min(a, kBudgetCountMax) + std::min(b, kBudgetCountMax));
}

/// The part of `more` by which `own` grows beyond `other`.
std::uint64_t growth(std::uint64_t own, std::uint64_t other, std::uint64_t more) {
    return std::max(both_of(own, more), other) - std::max(std::min(own, kBudgetCountMax), other);
}

/// Lowers the parts to `tokens` in all; the dearest kinds stay longest.
void cut_parts(Usage& usage, std::uint64_t tokens) {
    for (std::uint64_t* part : {&usage.output_tokens, &usage.reasoning_tokens, &usage.input_tokens,
                                &usage.cache_write_tokens, &usage.cached_tokens}) {
        *part = std::min(*part, tokens);
        tokens -= *part;
    }
}

}  // namespace

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

std::uint64_t tokens_of(const Usage& usage) {
    const std::uint64_t parts = both_of(
        both_of(usage.input_tokens, usage.output_tokens),
        both_of(both_of(usage.cached_tokens, usage.cache_write_tokens), usage.reasoning_tokens));
    return std::max(std::min(usage.tokens, kBudgetCountMax), parts);
}

std::uint64_t said_micros(const Usage& usage) {
    return usage.estimated ? 0 : cost_micros(usage.cost_usd.value_or(0));
}

std::uint64_t micros_of_tokens(const Usage& usage) {
    const std::uint64_t cost = cost_micros(usage.cost_usd.value_or(0));
    if (usage.estimated || usage.known_tokens == 0) return cost;
    const auto fresh = static_cast<double>(tokens_of(usage));
    const double share = fresh / (fresh + static_cast<double>(usage.known_tokens));
    return static_cast<std::uint64_t>(static_cast<double>(cost) * share);
}

void add_channel(ChannelUse& channels, const Usage& usage, std::uint64_t tokens) {
    const bool of_agent = usage.channel == Channel::kAgent;
    auto& all = of_agent ? channels.agent_tokens : channels.telemetry_tokens;
    auto& cost = of_agent ? channels.agent_micros : channels.telemetry_micros;
    all = both_of(all, both_of(tokens, usage.known_tokens));
    cost = both_of(cost, both_of(said_micros(usage), usage.known_micros));
}

ChannelUse channel_use(const SessionState& state) {
    const BudgetMeter& meter = state.budget;
    ChannelUse all = *meter.channels;
    if (state.about.adapters.empty() || !state.about.budget_rules->roll_up) return all;
    all.agent_tokens = both_of(all.agent_tokens, meter.hook_children->tokens);
    all.agent_micros = both_of(all.agent_micros, meter.hook_children->cost_micros);
    return all;
}

void leave_out_known(ChannelUse& all, Usage& usage) {
    if (usage.channel == Channel::kReport) return;
    usage.estimated = false;
    const bool of_agent = usage.channel == Channel::kAgent;
    const std::uint64_t tokens = tokens_of(usage);
    const std::uint64_t fresh = of_agent ? growth(all.agent_tokens, all.telemetry_tokens, tokens)
                                         : growth(all.telemetry_tokens, all.agent_tokens, tokens);
    if (fresh < tokens) {
        usage.known_tokens = tokens - fresh;
        usage.tokens = fresh;
        cut_parts(usage, fresh);
    }
    const std::uint64_t cost = cost_micros(usage.cost_usd.value_or(0));
    const std::uint64_t dearer = of_agent ? growth(all.agent_micros, all.telemetry_micros, cost)
                                          : growth(all.telemetry_micros, all.agent_micros, cost);
    if (dearer < cost) {
        usage.known_micros = cost - dearer;
        usage.cost_usd = dollars(dearer);
    }
    add_channel(all, usage, fresh);
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

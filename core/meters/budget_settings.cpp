// SPDX-License-Identifier: Apache-2.0
#include "core/meters/budget_settings.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

Error out_of_bounds(std::string_view pointer, const char* name, const std::string& bounds) {
    return {ErrorCode::kInvalidField, "must be from " + bounds, std::string{pointer} + "/" + name};
}

Result<> check_whole(const std::optional<std::uint64_t>& limit, std::uint64_t min,
                     std::uint64_t max, std::string_view pointer, const char* name) {
    if (!limit || (*limit >= min && *limit <= max)) return {};
    return out_of_bounds(pointer, name, std::to_string(min) + " to " + std::to_string(max));
}

/// Upper bound where the configuration sets none.
std::uint64_t tokens_max(const BudgetBounds& bounds) {
    return bounds.max_tokens_max != 0 ? bounds.max_tokens_max : kMaxTokensMax;
}

double cost_max(const BudgetBounds& bounds) {
    return bounds.max_cost_usd_max != 0 ? bounds.max_cost_usd_max : kMaxCostUsdMax;
}

/// Short decimal form: 2, 0.5.
std::string amount(double number) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    HEADWAY_ASSERT(error == std::errc{} && end > digits);
    return {digits, end};
}

Result<> check_others(const BudgetLimits& limits, const BudgetBounds& bounds,
                      std::string_view pointer) {
    HEADWAY_CHECK(check_whole(limits.max_tokens, 1, tokens_max(bounds), pointer, "max_tokens"));
    const double cost = limits.max_cost_usd.value_or(kMaxCostUsdMin);
    if (cost >= kMaxCostUsdMin && cost <= cost_max(bounds)) return {};
    return out_of_bounds(pointer, "max_cost_usd", "0.000001 to " + amount(cost_max(bounds)));
}

template <class T>
Result<> at_most(const std::optional<T>& added, T max, const std::string& shown,
                 std::string_view pointer, const char* name) {
    if (!added || *added <= max) return {};
    return Error{ErrorCode::kInvalidField, "is above the configured maximum of " + shown,
                 std::string{pointer} + "/" + name};
}

/// The part of `added` that fits below `max`; nothing without a limit.
template <class T>
std::optional<T> fitting(const std::optional<T>& limit, const std::optional<T>& added, T max) {
    if (!limit || !added || *added == 0 || *limit >= max) return std::nullopt;
    return std::min(*added, static_cast<T>(max - *limit));
}

template <class T>
void fill(std::optional<T>& limit, const std::optional<T>& otherwise) {
    if (!limit) limit = otherwise;
}

void fill_all(BudgetLimits& limits, const BudgetLimits& otherwise) {
    fill(limits.timeout_seconds, otherwise.timeout_seconds);
    fill(limits.max_steps, otherwise.max_steps);
    fill(limits.max_tokens, otherwise.max_tokens);
    fill(limits.max_cost_usd, otherwise.max_cost_usd);
}

/// The entry of a type in lower case, or null.
const AgentBudget* entry_of(const std::vector<AgentBudget>& agents, const std::string& type) {
    const auto own = std::find_if(agents.begin(), agents.end(), [&type](const AgentBudget& agent) {
        return lower(agent.type) == type;
    });
    return own == agents.end() ? nullptr : &*own;
}

}  // namespace

std::string mistake_in(const BudgetSettings& settings) {
    const BudgetRules& rules = settings.rules;
    if (rules.wrap_up_percent > rules.warn_percent ||
        rules.warn_percent > rules.force_exit_percent) {
        return "budget.wrap_up_threshold_percent, budget.warn_threshold_percent and "
               "budget.timeout_force_exit_percent must not fall: " +
               std::to_string(rules.wrap_up_percent) + ", " + std::to_string(rules.warn_percent) +
               ", " + std::to_string(rules.force_exit_percent);
    }
    const BudgetBounds& bounds = settings.bounds;
    if (bounds.timeout_seconds_min > bounds.timeout_seconds_max) {
        return "budget.timeout_seconds_min is above budget.timeout_seconds_max";
    }
    if (bounds.max_steps_min > bounds.max_steps_max) {
        return "budget.max_steps_min is above budget.max_steps_max";
    }
    return {};
}

OpeningBudget opening_budget(const BudgetSettings& settings, std::string_view agent_type,
                             const BudgetLimits& asked, const BudgetLimits& suggested) {
    const std::string type = lower(agent_type);
    BudgetLimits ours;
    BudgetSource source = BudgetSource::kConfig;
    const AgentBudget* own = entry_of(settings.agents, type);
    if (own == nullptr && settings.builtin) {
        static const std::vector<AgentBudget> kBuiltin{{"plan", {600, 50, {}, {}}},
                                                       {"explore", {300, 30, {}, {}}}};
        own = entry_of(kBuiltin, type);
        if (own != nullptr) source = BudgetSource::kBuiltin;
    }
    HEADWAY_ASSERT(own == nullptr || lower(own->type) == type);
    if (own != nullptr) fill_all(ours, own->limits);
    fill_all(ours, settings.defaults);
    OpeningBudget budget{asked, BudgetSource::kRequest};
    fill_all(budget.limits, suggested);
    const bool accepts = budget.limits != asked;
    fill_all(budget.limits, ours);
    if (budget.limits == BudgetLimits{}) {
        budget.source = BudgetSource::kNone;
    } else if (accepts) {
        budget.source = BudgetSource::kSuggested;
    } else if (asked == BudgetLimits{}) {
        budget.source = source;
    } else if (budget.limits != asked) {
        budget.source = BudgetSource::kMixed;
    }
    HEADWAY_ASSERT((budget.source == BudgetSource::kNone) == (budget.limits == BudgetLimits{}));
    return budget;
}

Result<> check_bounds(const BudgetLimits& limits, const BudgetBounds& bounds,
                      std::string_view pointer) {
    HEADWAY_CHECK(check_whole(limits.timeout_seconds, bounds.timeout_seconds_min,
                              bounds.timeout_seconds_max, pointer, "timeout_seconds"));
    HEADWAY_CHECK(check_whole(limits.max_steps, bounds.max_steps_min, bounds.max_steps_max, pointer,
                              "max_steps"));
    return check_others(limits, bounds, pointer);
}

Result<> check_extension(const BudgetLimits& added, const BudgetBounds& bounds,
                         std::string_view pointer) {
    if (added == BudgetLimits{}) {
        return Error{ErrorCode::kInvalidField,
                     "must add to timeout_seconds, max_steps, max_tokens or max_cost_usd",
                     std::string{pointer}};
    }
    HEADWAY_CHECK(check_whole(added.timeout_seconds, 1, bounds.timeout_seconds_max, pointer,
                              "timeout_seconds"));
    HEADWAY_CHECK(check_whole(added.max_steps, 1, bounds.max_steps_max, pointer, "max_steps"));
    return check_others(added, bounds, pointer);
}

Result<> check_at_most(const BudgetLimits& added, const BudgetBounds& bounds,
                       std::string_view pointer) {
    const std::uint64_t time = bounds.timeout_seconds_max;
    const std::uint64_t steps = bounds.max_steps_max;
    const std::uint64_t tokens = tokens_max(bounds);
    const double cost = cost_max(bounds);
    HEADWAY_CHECK(
        at_most(added.timeout_seconds, time, std::to_string(time), pointer, "timeout_seconds"));
    HEADWAY_CHECK(at_most(added.max_steps, steps, std::to_string(steps), pointer, "max_steps"));
    HEADWAY_CHECK(at_most(added.max_tokens, tokens, std::to_string(tokens), pointer, "max_tokens"));
    return at_most(added.max_cost_usd, cost, amount(cost), pointer, "max_cost_usd");
}

BudgetLimits within_bounds(const BudgetLimits& limits, const BudgetLimits& added,
                           const BudgetBounds& bounds) {
    BudgetLimits fits;
    fits.timeout_seconds =
        fitting(limits.timeout_seconds, added.timeout_seconds, bounds.timeout_seconds_max);
    fits.max_steps = fitting(limits.max_steps, added.max_steps, bounds.max_steps_max);
    fits.max_tokens = fitting(limits.max_tokens, added.max_tokens, tokens_max(bounds));
    fits.max_cost_usd = fitting(limits.max_cost_usd, added.max_cost_usd, cost_max(bounds));
    return fits;
}

}  // namespace headway::core

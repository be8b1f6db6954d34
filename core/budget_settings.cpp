#include "core/budget_settings.hpp"

#include <algorithm>

#include "core/words.hpp"

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

Result<> check_others(const BudgetLimits& limits, std::string_view pointer) {
    HEADWAY_CHECK(check_whole(limits.max_tokens, 1, kMaxTokensMax, pointer, "max_tokens"));
    const double cost = limits.max_cost_usd.value_or(1);
    if (cost >= kMaxCostUsdMin && cost <= kMaxCostUsdMax) return {};
    return out_of_bounds(pointer, "max_cost_usd", "0.000001 to 1000000");
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

BudgetLimits opening_limits(const BudgetSettings& settings, std::string_view agent_type,
                            const BudgetLimits& asked) {
    BudgetLimits limits = asked;
    const std::string type = lower(agent_type);
    const auto own =
        std::find_if(settings.agents.begin(), settings.agents.end(),
                     [&type](const AgentBudget& agent) { return lower(agent.type) == type; });
    if (own != settings.agents.end()) fill_all(limits, own->limits);
    fill_all(limits, settings.defaults);
    return limits;
}

Result<> check_bounds(const BudgetLimits& limits, const BudgetBounds& bounds,
                      std::string_view pointer) {
    HEADWAY_CHECK(check_whole(limits.timeout_seconds, bounds.timeout_seconds_min,
                              bounds.timeout_seconds_max, pointer, "timeout_seconds"));
    HEADWAY_CHECK(check_whole(limits.max_steps, bounds.max_steps_min, bounds.max_steps_max, pointer,
                              "max_steps"));
    return check_others(limits, pointer);
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
    return check_others(added, pointer);
}

}  // namespace headway::core

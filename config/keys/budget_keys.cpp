// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "config/load/sections.hpp"
#include "core/base/limits.hpp"
#include "core/meters/budget_settings.hpp"

// The keys of [budget], and those of its tables [budget.agents.TYPE].

namespace headway::config {
namespace {

using core::BudgetBounds;
using core::BudgetLimits;
using core::BudgetRules;
using core::BudgetSettings;

constexpr auto kBudgetAt = &Settings::budget;
constexpr std::uint64_t kSecondsMax = 31'536'000;  // a year
constexpr std::uint64_t kStepsMax = 1'000'000;
constexpr const char* kCostRange = "0, 0.000001..1000000";
constexpr std::array<std::string_view, 2> kFree{"free", "counted"};

constexpr const char* kPriceHelp =
    "\n# Each agent type may have a table with these default_ limits (reload); what it leaves out "
    "is as\n# above. Types are compared without regard to case.";

core::Result<double> read_cost(const Value& value) {
    const double cost = parse_number(value);
    if (cost == 0 || (cost >= core::kMaxCostUsdMin && cost <= core::kMaxCostUsdMax)) return cost;
    return mistake(in_quotes(value.text()) + " is not an amount from 0.000001 to 1000000, or 0");
}

template <std::uint64_t Max>
core::Result<std::optional<std::uint64_t>> read_limit(const Value& value) {
    HEADWAY_TRY(const std::uint64_t limit, parse_whole(value, 0, Max));
    return limit == 0 ? std::nullopt : std::optional{limit};
}

core::Result<std::optional<double>> read_cost_limit(const Value& value) {
    HEADWAY_TRY(const double cost, read_cost(value));
    return cost == 0 ? std::nullopt : std::optional{cost};
}

/// The limits at the path: of new sessions, or of an agent type.
template <auto... Path>
std::vector<Row<Owner<Path...>>> limit_rows(const std::string& section) {
    return {
        value_row<read_limit<kSecondsMax>, Path..., &BudgetLimits::timeout_seconds>(
            Kind::kCount, "0..31536000", section + "default_timeout_seconds", kReload,
            "Default where the opening and the agent type set none; 0 is no limit."),
        value_row<read_limit<kStepsMax>, Path..., &BudgetLimits::max_steps>(
            Kind::kCount, "0..1000000", section + "default_max_steps", kReload,
            "The same for steps, which are model turns."),
        value_row<read_limit<core::kMaxTokensMax>, Path..., &BudgetLimits::max_tokens>(
            Kind::kCount, "0..1000000000000", section + "default_max_tokens", kReload,
            "The same for tokens."),
        value_row<read_cost_limit, Path..., &BudgetLimits::max_cost_usd>(
            Kind::kNumber, kCostRange, section + "default_max_cost_usd", kReload,
            "The same for money."),
    };
}

void add_rules(std::vector<Key>& table) {
    constexpr auto kRules = &BudgetSettings::rules;
    table.push_back(whole_row<1, 100, kBudgetAt, kRules, &BudgetRules::wrap_up_percent>(
        "budget.wrap_up_threshold_percent", kReload,
        "Percent of the worst dimension from which a wrap_up is sent; of the time, 80 at most."));
    table.push_back(whole_row<1, 100, kBudgetAt, kRules, &BudgetRules::warn_percent>(
        "budget.warn_threshold_percent", kReload,
        "The level is critical, and the agent gets a notice."));
    table.push_back(whole_row<1, 100, kBudgetAt, kRules, &BudgetRules::force_exit_percent>(
        "budget.timeout_force_exit_percent", kReload,
        "The budget is exhausted: the agent gets a stop, and another step ends it."));
    table.push_back(switch_row<kFree, 1, kBudgetAt, kRules, &BudgetRules::count_human>(
        "budget.human_time", kReload, "Time in which a person is waited for."));
    table.push_back(switch_row<kFree, 1, kBudgetAt, kRules, &BudgetRules::count_rate_limit>(
        "budget.rate_limit_time", kReload, "Time in which a provider refuses the agent."));
    table.push_back(switch_row<kOffOn, 1, kBudgetAt, kRules, &BudgetRules::roll_up>(
        "budget.roll_up", kReload,
        "Steps, tokens and cost of child sessions count for the parent too."));
    table.push_back(switch_row<kOffOn, 1, kBudgetAt, kRules, &BudgetRules::updates>(
        "budget.updates", kReload,
        "An event budget.updated with each step of a session with a budget."));
    table.push_back(
        whole_row<0, 3600, kBudgetAt, kRules, &BudgetRules::in_flight_extension_seconds>(
            "budget.in_flight_extension_seconds", kReload,
            "More time for calls that are in flight when the time runs out, once; 0 is none."));
}

void add_bounds(std::vector<Key>& table) {
    constexpr auto kBounds = &BudgetSettings::bounds;
    table.push_back(
        whole_row<1, kSecondsMax, kBudgetAt, kBounds, &BudgetBounds::timeout_seconds_min>(
            "budget.timeout_seconds_min", kReload,
            "Fewest seconds that an opening or an operator may set."));
    table.push_back(
        whole_row<1, kSecondsMax, kBudgetAt, kBounds, &BudgetBounds::timeout_seconds_max>(
            "budget.timeout_seconds_max", kReload, "Most seconds that they may set."));
    table.push_back(whole_row<1, kStepsMax, kBudgetAt, kBounds, &BudgetBounds::max_steps_min>(
        "budget.max_steps_min", kReload, "Fewest steps."));
    table.push_back(whole_row<1, kStepsMax, kBudgetAt, kBounds, &BudgetBounds::max_steps_max>(
        "budget.max_steps_max", kReload, "Most steps."));
    table.push_back(
        whole_row<0, core::kMaxTokensMax, kBudgetAt, kBounds, &BudgetBounds::max_tokens_max>(
            "budget.max_tokens_max", kReload, "Most tokens; 0 is no maximum."));
    table.push_back(value_row<read_cost, kBudgetAt, kBounds, &BudgetBounds::max_cost_usd_max>(
        Kind::kNumber, kCostRange, "budget.max_cost_usd_max", kReload,
        "Highest cost; 0 is no maximum."));
}

}  // namespace

void add_budget_keys(std::vector<Key>& table) {
    for (Key& key : limit_rows<kBudgetAt, &BudgetSettings::defaults>("budget."))
        table.push_back(std::move(key));
    table.push_back(switch_row<kOffOn, 1, kBudgetAt, &BudgetSettings::builtin>(
        "budget.builtin", kReload,
        "Agent types plan (600 s, 50 steps) and explore (300 s, 30) have a budget without a "
        "table of their own."));
    add_rules(table);
    add_bounds(table);
    table.push_back(switch_row<kOffOn, 1, &Settings::prices, &core::Prices::use_list>(
        "budget.public_prices", kReload,
        "Costs that agents do not report are estimated by the built-in public prices of models."));
}

const AnyNamedTable& agent_table() {
    using core::AgentBudget;
    static const NamedTable<AgentBudget, &AgentBudget::type, kBudgetAt, &BudgetSettings::agents>
        kTable{{.path = "budget.agents",
                .entry = "agent type",
                .example = "plan",
                .bad_name = "an agent type has 1 to 128 bytes",
                .too_many = "more than 64 agent types have budgets",
                .optional_prefix = "default_",
                .needs_keys = false,
                .help = kPriceHelp},
               {.rows = limit_rows<&AgentBudget::limits>(""),
                .entries_max = core::limits::kAgentTypesMax,
                .is_name = [](std::string_view type) {
                    return !type.empty() && type.size() <= core::limits::kLabelBytesMax;
                }}};
    return kTable;
}

}  // namespace headway::config

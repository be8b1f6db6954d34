// SPDX-License-Identifier: Apache-2.0
#include "config/budget_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/budget_settings.hpp"
#include "core/limits.hpp"
#include "core/suggest.hpp"
#include "core/words.hpp"

namespace headway::config {
namespace {

using core::BudgetBounds;
using core::BudgetLimits;
using core::BudgetRules;

constexpr std::string_view kAgents = "budget.agents.";
constexpr std::string_view kDefault = "default_";
constexpr std::uint64_t kSecondsMax = 31'536'000;  // a year
constexpr std::uint64_t kStepsMax = 1'000'000;

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

core::Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t min,
                                        std::uint64_t max) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= min && number <= max) return number;
    return mistake("\"" + std::string(text) + "\" is not a whole number from " +
                   std::to_string(min) + " to " + std::to_string(max));
}

core::Result<double> parse_cost(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool fits =
        number == 0 || (number >= core::kMaxCostUsdMin && number <= core::kMaxCostUsdMax);
    if (error == std::errc{} && rest == end && fits) return number;
    return mistake("\"" + std::string(text) + "\" is not an amount from 0.000001 to 1000000, or 0");
}

std::string print_number(double number) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return {digits, end};
}

/// What a limit may be; 0 is no limit.
template <auto Member>
constexpr std::uint64_t limit_max() {
    if constexpr (std::is_same_v<decltype(Member), decltype(&BudgetLimits::max_steps)>) {
        if (Member == &BudgetLimits::max_steps) return kStepsMax;
        if (Member == &BudgetLimits::timeout_seconds) return kSecondsMax;
    }
    return core::kMaxTokensMax;
}

template <auto Member>
core::Result<> assign_limit(BudgetLimits& limits, std::string_view text) {
    if constexpr (std::is_same_v<decltype(Member), decltype(&BudgetLimits::max_cost_usd)>) {
        HEADWAY_TRY(const double cost, parse_cost(text));
        limits.*Member = cost == 0 ? std::nullopt : std::optional{cost};
    } else {
        HEADWAY_TRY(const std::uint64_t count, parse_whole(text, 0, limit_max<Member>()));
        limits.*Member = count == 0 ? std::nullopt : std::optional{count};
    }
    return {};
}

template <auto Member>
std::string print_limit(const BudgetLimits& limits) {
    if constexpr (std::is_same_v<decltype(Member), decltype(&BudgetLimits::max_cost_usd)>) {
        return print_number((limits.*Member).value_or(0));
    } else {
        return std::to_string((limits.*Member).value_or(0));
    }
}

/// One limit, under the name that the API gives it.
struct LimitKey {
    std::string_view name;
    Kind kind;
    core::Result<> (*assign)(BudgetLimits&, std::string_view);
    std::string (*print)(const BudgetLimits&);
};

constexpr std::array<LimitKey, 4> kLimits{
    {{"timeout_seconds", Kind::kCount, assign_limit<&BudgetLimits::timeout_seconds>,
      print_limit<&BudgetLimits::timeout_seconds>},
     {"max_steps", Kind::kCount, assign_limit<&BudgetLimits::max_steps>,
      print_limit<&BudgetLimits::max_steps>},
     {"max_tokens", Kind::kCount, assign_limit<&BudgetLimits::max_tokens>,
      print_limit<&BudgetLimits::max_tokens>},
     {"max_cost_usd", Kind::kNumber, assign_limit<&BudgetLimits::max_cost_usd>,
      print_limit<&BudgetLimits::max_cost_usd>}}};

const LimitKey* find_limit(std::string_view key) {
    if (key.starts_with(kDefault)) key.remove_prefix(kDefault.size());
    const auto found = std::find_if(kLimits.begin(), kLimits.end(),
                                    [key](const LimitKey& limit) { return limit.name == key; });
    return found == kLimits.end() ? nullptr : &*found;
}

template <auto Member>
Key default_key(std::string name, std::string range, std::string help) {
    const LimitKey& limit = *find_limit(std::string_view{name}.substr(name.find('.') + 1));
    Key key{std::move(name), limit.kind, std::move(range), true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) {
        return assign_limit<Member>(settings.budget.defaults, text);
    };
    key.print = [](const Settings& s) { return print_limit<Member>(s.budget.defaults); };
    return key;
}

template <auto Part, auto Member, std::uint64_t Min, std::uint64_t Max>
Key whole_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max), true,
            std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY((settings.budget.*Part).*Member, parse_whole(text, Min, Max));
        return {};
    };
    key.print = [](const Settings& s) { return std::to_string((s.budget.*Part).*Member); };
    return key;
}

constexpr std::array<std::string_view, 2> kFree{"free", "counted"};
constexpr std::array<std::string_view, 2> kOff{"off", "on"};

/// A switch whose second word is true.
template <auto Member, const auto& Words>
Key switch_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kText, std::string(Words[0]) + " | " + std::string(Words[1]),
            true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        if (text != Words[0] && text != Words[1]) {
            return mistake("\"" + std::string(text) + "\" is not one of " + std::string(Words[0]) +
                           ", " + std::string(Words[1]) + core::did_you_mean(text, Words));
        }
        settings.budget.rules.*Member = text == Words[1];
        return {};
    };
    key.print = [](const Settings& s) {
        return std::string(Words[s.budget.rules.*Member ? 1 : 0]);
    };
    return key;
}

void add_defaults(std::vector<Key>& table) {
    table.push_back(default_key<&BudgetLimits::timeout_seconds>(
        "budget.default_timeout_seconds", "0..31536000",
        "Of new sessions whose opening and agent type leave it open; 0 is no limit."));
    table.push_back(default_key<&BudgetLimits::max_steps>(
        "budget.default_max_steps", "0..1000000", "The same for steps, which are model turns."));
    table.push_back(default_key<&BudgetLimits::max_tokens>(
        "budget.default_max_tokens", "0..1000000000000", "The same for tokens."));
    table.push_back(default_key<&BudgetLimits::max_cost_usd>(
        "budget.default_max_cost_usd", "0, 0.000001..1000000", "The same for money."));
}

Key builtin_key() {
    Key key{"budget.builtin", Kind::kText, "off | on", true,
            "Agent types plan (600 s, 50 steps) and explore (300 s, 30) have a budget without a "
            "table of their own."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        if (text != kOff[0] && text != kOff[1]) {
            return mistake("\"" + std::string(text) + "\" is not one of off, on" +
                           core::did_you_mean(text, kOff));
        }
        settings.budget.builtin = text == kOff[1];
        return {};
    };
    key.print = [](const Settings& s) { return std::string(kOff[s.budget.builtin ? 1 : 0]); };
    return key;
}

void add_rules(std::vector<Key>& table) {
    constexpr auto kRules = &core::BudgetSettings::rules;
    table.push_back(whole_key<kRules, &BudgetRules::wrap_up_percent, 1, 100>(
        "budget.wrap_up_threshold_percent",
        "Of the worst dimension: the agent gets a wrap_up; also at 80 % of the time."));
    table.push_back(whole_key<kRules, &BudgetRules::warn_percent, 1, 100>(
        "budget.warn_threshold_percent", "The level is critical, and the agent told so."));
    table.push_back(whole_key<kRules, &BudgetRules::force_exit_percent, 1, 100>(
        "budget.timeout_force_exit_percent",
        "The budget is exhausted: the agent gets a stop, and another step ends it."));
    table.push_back(switch_key<&BudgetRules::count_human, kFree>(
        "budget.human_time", "Time in which a person is waited for."));
    table.push_back(switch_key<&BudgetRules::count_rate_limit, kFree>(
        "budget.rate_limit_time", "Time in which a provider holds the agent off."));
    table.push_back(switch_key<&BudgetRules::roll_up, kOff>(
        "budget.roll_up", "Steps, tokens and cost of child sessions count for the parent too."));
    table.push_back(switch_key<&BudgetRules::updates, kOff>(
        "budget.updates", "An event budget.updated with each step of a session with a budget."));
    table.push_back(whole_key<kRules, &BudgetRules::in_flight_extension_seconds, 0, 3600>(
        "budget.in_flight_extension_seconds",
        "More time for calls that are in flight when the time runs out, once; 0 is none."));
}

Key cost_max_key() {
    Key key{"budget.max_cost_usd_max", Kind::kNumber, "0, 0.000001..1000000", true,
            "The same for money; 0 is no maximum."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(settings.budget.bounds.max_cost_usd_max, parse_cost(text));
        return {};
    };
    key.print = [](const Settings& s) { return print_number(s.budget.bounds.max_cost_usd_max); };
    return key;
}

void add_bounds(std::vector<Key>& table) {
    constexpr auto kBounds = &core::BudgetSettings::bounds;
    table.push_back(whole_key<kBounds, &BudgetBounds::timeout_seconds_min, 1, kSecondsMax>(
        "budget.timeout_seconds_min", "The least that an opening or an operator may set."));
    table.push_back(whole_key<kBounds, &BudgetBounds::timeout_seconds_max, 1, kSecondsMax>(
        "budget.timeout_seconds_max", "The most that one may set."));
    table.push_back(whole_key<kBounds, &BudgetBounds::max_steps_min, 1, kStepsMax>(
        "budget.max_steps_min", "The same for steps."));
    table.push_back(whole_key<kBounds, &BudgetBounds::max_steps_max, 1, kStepsMax>(
        "budget.max_steps_max", "The same for steps."));
    table.push_back(whole_key<kBounds, &BudgetBounds::max_tokens_max, 0, core::kMaxTokensMax>(
        "budget.max_tokens_max", "The same for tokens; 0 is no maximum."));
    table.push_back(cost_max_key());
}

core::AgentBudget& entry_of(Settings& settings, std::string_view type) {
    auto& agents = settings.budget.agents;
    const std::string name = core::lower(type);
    const auto found = std::find_if(
        agents.begin(), agents.end(),
        [&name](const core::AgentBudget& agent) { return core::lower(agent.type) == name; });
    if (found != agents.end()) return *found;
    return agents.emplace_back(core::AgentBudget{std::string(type), {}});
}

bool is_bare(std::string_view name) {
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return core::is_word(c) || c == '-'; });
}

}  // namespace

void add_budget_keys(std::vector<Key>& table) {
    add_defaults(table);
    table.push_back(builtin_key());
    add_rules(table);
    add_bounds(table);
}

std::optional<AgentKeyName> parse_agent_key(std::string_view name) {
    if (!name.starts_with(kAgents)) return std::nullopt;
    name.remove_prefix(kAgents.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot > core::limits::kLabelBytesMax) {
        return std::nullopt;
    }
    const AgentKeyName parsed{name.substr(0, dot), name.substr(dot + 1)};
    return find_limit(parsed.key) != nullptr ? std::optional{parsed} : std::nullopt;
}

const std::vector<std::string_view>& agent_key_names() {
    static const std::vector<std::string_view> kNames{"default_timeout_seconds",
                                                      "default_max_steps",
                                                      "default_max_tokens",
                                                      "default_max_cost_usd",
                                                      "timeout_seconds",
                                                      "max_steps",
                                                      "max_tokens",
                                                      "max_cost_usd"};
    return kNames;
}

Kind agent_key_kind(std::string_view key) {
    const LimitKey* limit = find_limit(key);
    return limit != nullptr ? limit->kind : Kind::kText;
}

core::Result<> assign_agent_key(Settings& settings, std::string_view name, std::string_view text) {
    const std::optional<AgentKeyName> parsed = parse_agent_key(name);
    if (!parsed) return mistake("unknown key");
    BudgetLimits limits;
    const LimitKey& limit = *find_limit(parsed->key);
    HEADWAY_CHECK(limit.assign(limits, text));  // first, so that a mistake leaves no entry behind
    core::AgentBudget& agent = entry_of(settings, parsed->type);
    if (settings.budget.agents.size() > core::limits::kAgentTypesMax) {
        settings.budget.agents.pop_back();
        return mistake("more than 64 agent types have budgets");
    }
    return limit.assign(agent.limits, text);
}

std::vector<AgentValue> agent_values(const Settings& settings) {
    std::vector<AgentValue> values;
    for (const core::AgentBudget& agent : settings.budget.agents) {
        for (const LimitKey& limit : kLimits) {
            std::string text = limit.print(agent.limits);
            if (text == "0") continue;
            values.push_back({std::string(kAgents) + agent.type + "." + std::string(kDefault) +
                                  std::string(limit.name),
                              std::move(text)});
        }
    }
    return values;
}

std::string agent_tables(const Settings& settings) {
    std::string text;
    for (const core::AgentBudget& agent : settings.budget.agents) {
        text += "\n[budget.agents." +
                (is_bare(agent.type) ? agent.type : "\"" + agent.type + "\"") + "]\n";
        for (const LimitKey& limit : kLimits) {
            const std::string value = limit.print(agent.limits);
            if (value == "0") continue;
            text += std::string(kDefault) + std::string(limit.name) + " = " + value + "\n";
        }
    }
    return text;
}

}  // namespace headway::config

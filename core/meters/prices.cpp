// SPDX-License-Identifier: Apache-2.0
#include "core/meters/prices.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr double kTokensPerPrice = 1e6;

bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Where "-20251001", "@20251001", "-2026-04-01" or "-v1:0" begins; npos: nowhere.
std::size_t end_of_name(std::string_view name) {
    const auto ends_at = [name](std::size_t size, std::string_view marks) {
        if (name.size() <= size) return false;
        const std::size_t at = name.size() - size;
        return marks.find(name[at]) != std::string_view::npos;
    };
    if (ends_at(9, "-@") && all_digits(name.substr(name.size() - 8))) return name.size() - 9;
    if (ends_at(11, "-@") && name[name.size() - 6] == '-' && name[name.size() - 3] == '-' &&
        all_digits(name.substr(name.size() - 10, 4)) && all_digits(name.substr(name.size() - 2)) &&
        all_digits(name.substr(name.size() - 5, 2)))
        return name.size() - 11;
    const std::size_t colon = name.rfind(':');
    const std::size_t v = name.rfind("-v");
    if (v == std::string_view::npos) return v;
    const std::string_view version = name.substr(v + 2, colon - (v + 2));
    const bool bedrock = colon != std::string_view::npos && colon > v && all_digits(version) &&
                         all_digits(name.substr(colon + 1));
    return bedrock ? v : std::string_view::npos;
}

/// Without what stands before the name: "anthropic/", an ARN, "us.anthropic.".
std::string_view without_provider(std::string_view name) {
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
        name.remove_prefix(slash + 1);
    constexpr std::array<std::string_view, 4> kOfBedrock{"anthropic.", "openai.", "google.",
                                                         "amazon."};
    for (const std::string_view provider : kOfBedrock) {
        const std::size_t at = name.find(provider);
        if (at == 0 || (at != std::string_view::npos && name[at - 1] == '.'))
            return name.substr(at + provider.size());
    }
    return name;
}

const ModelPrice* find_own(const Prices& prices, std::string_view name) {
    const auto found =
        std::find_if(prices.own.begin(), prices.own.end(),
                     [name](const ModelPrice& own) { return lower(own.model) == name; });
    return found == prices.own.end() ? nullptr : &*found;
}

/// The one with the longest beginning.
const ModelPrice* find_pattern(const Prices& prices, std::string_view name) {
    const ModelPrice* best = nullptr;
    for (const ModelPrice& own : prices.own) {
        if (!own.model.ends_with('*')) continue;
        const std::string begin = lower(own.model.substr(0, own.model.size() - 1));
        if (!name.starts_with(begin)) continue;
        if (best == nullptr || own.model.size() > best->model.size()) best = &own;
    }
    return best;
}

std::optional<ModelPrice> find_listed(std::string_view name) {
    const auto list = list_prices();
    const auto found = std::find_if(list.begin(), list.end(),
                                    [name](const ListPrice& row) { return row.model == name; });
    if (found == list.end()) return std::nullopt;
    return ModelPrice{std::string{found->model}, found->input,  found->cached,
                      found->cache_write,        found->output, {}};
}

}  // namespace

bool is_price_name(std::string_view name) {
    if (name.empty() || name.size() > limits::kLabelBytesMax) return false;
    const std::size_t star = name.find('*');
    return star == std::string_view::npos || star == name.size() - 1;
}

std::vector<std::string> names_of_model(std::string_view text) {
    std::vector<std::string> names;
    const auto add = [&names](std::string name) {
        if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
        names.push_back(std::move(name));
    };
    std::string name = lower(text.substr(0, limits::kStringBytesMax));
    add(name);
    // Claude Code's mark of a longer window, which costs the same.
    if (name.ends_with("[1m]")) name.resize(name.size() - 4);
    add(name);
    name = without_provider(name);
    add(name);
    // A snapshot may have a date and a version: "-20250929-v1:0".
    for (int i = 0; i < 2; ++i) {
        name = name.substr(0, end_of_name(name));
        add(name);
    }
    // OpenRouter and Copilot write claude-opus-4.5.
    if (name.starts_with("claude-")) std::replace(name.begin(), name.end(), '.', '-');
    add(name);
    HEADWAY_ASSERT(names.size() <= 6);
    return names;
}

std::optional<ModelPrice> price_of(const Prices& prices, std::string_view model) {
    if (model.empty()) return std::nullopt;
    const std::vector<std::string> names = names_of_model(model);
    for (const std::string& name : names) {
        if (const ModelPrice* own = find_own(prices, name)) return *own;
    }
    for (const std::string& name : names) {
        if (const ModelPrice* own = find_pattern(prices, name)) return *own;
    }
    if (!prices.use_list) return std::nullopt;
    for (const std::string& name : names) {
        if (auto listed = find_listed(name)) return listed;
    }
    return std::nullopt;
}

std::optional<double> cost_of(const ModelPrice& price, const Usage& usage) {
    if (!price.input || !price.output) return std::nullopt;
    const double cached = price.cached.value_or(*price.input);
    const double cache_write = price.cache_write.value_or(*price.input);
    const double reasoning = price.reasoning.value_or(*price.output);
    const auto tokens = [](std::uint64_t count) { return static_cast<double>(count); };
    double cost = tokens(usage.input_tokens) * *price.input + tokens(usage.cached_tokens) * cached +
                  tokens(usage.cache_write_tokens) * cache_write +
                  tokens(usage.output_tokens) * *price.output +
                  tokens(usage.reasoning_tokens) * reasoning;
    const double apart = tokens(usage.input_tokens) + tokens(usage.cached_tokens) +
                         tokens(usage.cache_write_tokens) + tokens(usage.output_tokens) +
                         tokens(usage.reasoning_tokens);
    if (const double rest = tokens(usage.tokens) - apart; rest > 0) {
        const bool alike = cached == *price.input && cache_write == *price.input &&
                           *price.output == *price.input && reasoning == *price.input;
        if (!alike) return std::nullopt;
        cost += rest * *price.input;
    }
    return cost / kTokensPerPrice;
}

Usage* usage_in(Payload& payload) {
    const auto of = [](auto& one) { return one.usage ? &*one.usage : nullptr; };
    if (auto* beat = std::get_if<Heartbeat>(&payload)) return of(*beat);
    if (auto* message = std::get_if<Message>(&payload)) return of(*message);
    if (auto* call = std::get_if<ToolFinished>(&payload)) return of(*call);
    return nullptr;
}

const Usage* usage_in(const Payload& payload) {
    const auto of = [](const auto& one) { return one.usage ? &*one.usage : nullptr; };
    if (const auto* beat = std::get_if<Heartbeat>(&payload)) return of(*beat);
    if (const auto* message = std::get_if<Message>(&payload)) return of(*message);
    if (const auto* call = std::get_if<ToolFinished>(&payload)) return of(*call);
    return nullptr;
}

void estimate_costs(const Prices& prices, std::string_view model, std::span<Event> events) {
    for (Event& event : events) {
        Usage* const usage = usage_in(event.payload);
        if (usage == nullptr) continue;
        usage->estimated = false;
        // A cost of 0 beside tokens is that of an agent which knows no price, unless the model has
        // none.
        if (usage->cost_usd.value_or(0) > 0) continue;
        const auto price = price_of(prices, usage->model.empty() ? model : usage->model);
        const auto cost = price ? cost_of(*price, *usage) : std::nullopt;
        if (!cost || (usage->cost_usd && *cost <= 0)) continue;
        usage->cost_usd = *cost;
        usage->estimated = true;
    }
}

}  // namespace headway::core

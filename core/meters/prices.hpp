// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/budget_payloads.hpp"
#include "core/events/event.hpp"

// Prices of models, for costs that the agent does not say itself (docs/costs.md). All pure.

namespace headway::core {

/// US dollars per million tokens. A part without a price of its own costs as much as the part that
/// it belongs to: cached and cache_write as input, reasoning as output.
struct ModelPrice {
    std::string model;  ///< as agents name it; a `*` at its end stands for any end
    std::optional<double> input;
    std::optional<double> cached;
    std::optional<double> cache_write;
    std::optional<double> output;
    std::optional<double> reasoning;
    bool operator==(const ModelPrice&) const = default;
};

/// A row of the built-in table.
struct ListPrice {
    std::string_view model;
    double input = 0;
    double cached = 0;
    double cache_write = 0;
    double output = 0;
};

/// Public prices of common models (core/meters/price_list.cpp says whose, and of when).
std::span<const ListPrice> list_prices();

/// The operator's prices, and behind them those of the list.
struct Prices {
    std::vector<ModelPrice> own;
    bool use_list = true;
    bool operator==(const Prices&) const = default;
};

/// Whether a table of prices may have that name: not empty, one `*` at most and only at its end.
bool is_price_name(std::string_view name);

/// The names under which a model may stand in a table, the one said first: without the provider
/// before it, the date behind it and the forms of Bedrock and Vertex. Never another model's.
std::vector<std::string> names_of_model(std::string_view text);

/// Nothing for a model without a price: there is no guess by a similar name.
std::optional<ModelPrice> price_of(const Prices& prices, std::string_view model);

/// In dollars. Nothing if tokens are not told apart that cost differently.
std::optional<double> cost_of(const ModelPrice& price, const Usage& usage);

/// The use that an event reports, or null.
Usage* usage_in(Payload& payload);
const Usage* usage_in(const Payload& payload);

/// Fills the cost of each use whose agent says none and whose model (by the use, else `model`) has
/// a price, as an estimate. An agent cannot call its own figure an estimate.
void estimate_costs(const Prices& prices, std::string_view model, std::span<Event> events);

}  // namespace headway::core

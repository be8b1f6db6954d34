// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/budget_payloads.hpp"
#include "core/events/event.hpp"

// Prices of models, for costs that the agent does not report itself (docs/costs.md). Functions
// change only arguments.

namespace headway::core {

/// US dollars per million tokens. A part without a price of its own has the price of a larger part:
/// `cached` and `cache_write` have the price of input, `reasoning` has that of output.
struct ModelPrice {
    /// Name of the model as agents report it; a `*` at its end stands for any text.
    std::string model;
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

/// Public prices of common models (sources and dates: core/meters/price_list.cpp).
std::span<const ListPrice> list_prices();

/// The operator's prices, which are searched first, and the prices of the list.
struct Prices {
    std::vector<ModelPrice> own;
    bool use_list = true;
    bool operator==(const Prices&) const = default;
};

/// True if this is a valid name in a table of prices: not empty, and without a `*` except at its
/// end.
bool is_price_name(std::string_view name);

/// The names under which a table may list a model, in lower case. The reported name comes first.
/// The other names leave out a provider before it, a date after it, and the additions of Bedrock
/// and Vertex. No name in the list is that of another model.
std::vector<std::string> names_of_model(std::string_view text);

/// The price of a model; nothing if there is none. A price is never guessed from a similar name.
std::optional<ModelPrice> price_of(const Prices& prices, std::string_view model);

/// The cost in dollars. Nothing if tokens of different prices are reported as one sum.
std::optional<double> cost_of(const ModelPrice& price, const Usage& usage);

/// The usage that an event reports, or null.
Usage* usage_in(Payload& payload);
const Usage* usage_in(const Payload& payload);

/// Estimates the cost of each usage without a reported cost, or with a reported cost of 0, if its
/// model has a price. The model is Usage::model, or `model` if that is empty. Clears
/// Usage::estimated where the agent itself has set it.
void estimate_costs(const Prices& prices, std::string_view model, std::span<Event> events);

}  // namespace headway::core

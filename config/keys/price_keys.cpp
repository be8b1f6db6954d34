// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "config/load/sections.hpp"
#include "config/values/clock_time.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/meters/prices.hpp"

// [budget.day] with its tables [budget.day.labels."KEY=VALUE"], and [prices.MODEL].

namespace headway::config {
namespace {

using core::DayBudget;
using core::DayCap;
using core::ModelPrice;

constexpr auto kDayAt = &Settings::day;
constexpr std::uint64_t kPricesMax = 256;     // each is compared with the model of each use
constexpr double kModelPriceMax = 1'000'000;  // a dollar a token
constexpr const char* kPriceRange = "0..1000000";
constexpr const char* kCapRange = "0, 0.000001..1000000";

constexpr const char* kLabelHelp =
    "\n# Caps of those sessions that have a label, or an ancestor with it (reload). An example:\n"
    "# [budget.day.labels.\"team=payments\"]\n"
    "# max_cost_usd = 20\n"
    "# max_tokens = 0\n"
    "\n# Prices of models in US dollars per million tokens (reload), for costs that agents do not\n"
    "# say themselves; public prices of common models are built in. Without cached and "
    "cache_write\n"
    "# these cost as input, without reasoning that costs as output. A `*` at the end is any end. "
    "An\n"
    "# example:\n"
    "# [prices]\n"
    "# \"claude-opus-5\" = { input = 5, cached = 0.5, cache_write = 6.25, output = 25 }\n"
    "# \"my-local-*\" = 0                        # all tokens alike\n";

core::Result<std::optional<double>> read_cost_cap(const Value& value) {
    const double cost = parse_number(value);
    if (cost == 0) return std::optional<double>{};
    if (cost >= core::kMaxCostUsdMin && cost <= core::kMaxCostUsdMax) return std::optional{cost};
    return mistake(in_quotes(value.text()) + " is not an amount from 0.000001 to 1000000, or 0");
}

core::Result<std::optional<std::uint64_t>> read_token_cap(const Value& value) {
    HEADWAY_TRY(const std::uint64_t limit, parse_whole(value, 0, core::kMaxTokensMax));
    return limit == 0 ? std::nullopt : std::optional{limit};
}

core::Result<std::optional<double>> read_model_price(const Value& value) {
    const double price = parse_number(value);
    if (price >= 0 && price <= kModelPriceMax) return std::optional{price};
    return mistake(in_quotes(value.text()) + " is not a price from 0 to 1000000");
}

core::Result<core::Millis> read_clock(const Value& value) {
    return parse_clock_time(value.text());
}

template <auto... Path>
std::vector<Row<Owner<Path..., &DayCap::max_cost_usd>>> cap_rows(const std::string& section) {
    return {value_row<read_cost_cap, Path..., &DayCap::max_cost_usd>(
                Kind::kNumber, kCapRange, section + "max_cost_usd", kReload,
                "The cost that all sessions of a day may have together; 0 is no cap."),
            value_row<read_token_cap, Path..., &DayCap::max_tokens>(
                Kind::kCount, "0..1000000000000", section + "max_tokens", kReload,
                "The same for tokens.")};
}

/// Shown only where it is set: 0 is a price.
template <auto Member>
Row<ModelPrice> model_price_row(std::string name) {
    return shown_as<ModelPrice>(
        [](const ModelPrice& price) {
            const std::optional<double>& held = price.*Member;
            return held ? Value(*held) : Value("");
        },
        value_row<read_model_price, Member>(Kind::kNumber, kPriceRange, std::move(name), kReload));
}

/// For all tokens alike.
Row<ModelPrice> flat_row() {
    Row<ModelPrice> row{"all", Kind::kNumber, kPriceRange, kReload, {}};
    row.assign = [](ModelPrice& price, const Value& value) -> core::Result<> {
        HEADWAY_TRY(const std::optional<double> read, read_model_price(value));
        price.input = price.cached = price.cache_write = price.output = price.reasoning = read;
        return {};
    };
    row.print = [](const ModelPrice&) { return Value(""); };
    return row;
}

}  // namespace

void add_day_keys(std::vector<Key>& table) {
    for (Key& key : cap_rows<kDayAt, &DayBudget::all>("budget.day."))
        table.push_back(std::move(key));
    table.push_back(shown_as<Settings>(
        [](const Settings& settings) { return Value(print_clock_time(settings.day.starts)); },
        value_row<read_clock, kDayAt, &DayBudget::starts>(Kind::kText, "00:00..23:59",
                                                          "budget.day.starts", kReload,
                                                          "When a day begins, in UTC.")));
}

const AnyNamedTable& day_label_table() {
    static const NamedTable<DayCap, &DayCap::label, kDayAt, &DayBudget::labels> kTable{
        {.path = "budget.day.labels",
         .entry = "label",
         .example = "\"team=payments\"",
         .bad_name = "a label is KEY=VALUE",
         .too_many = "more than 32 labels have daily caps",
         .help = kLabelHelp},
        {.rows = cap_rows<>(""),
         .entries_max = core::kDayLabelsMax,
         .is_name = [](std::string_view name) {
             const std::size_t equals = name.find('=');
             return equals != name.npos && equals > 0 &&
                    name.size() <= 2 * core::limits::kLabelBytesMax + 1;
         }}};
    return kTable;
}

const AnyNamedTable& price_table() {
    static const NamedTable<ModelPrice, &ModelPrice::model, &Settings::prices, &core::Prices::own>
        kTable{{.path = "prices",
                .entry = "model",
                .example = "\"claude-opus-5\"",
                .bad_name = "a model has 1 to 128 bytes, and a `*` only at its end",
                .too_many = "more than 256 models have prices",
                .alone = "all"},
               {.rows = {flat_row(), model_price_row<&ModelPrice::input>("input"),
                         model_price_row<&ModelPrice::cached>("cached"),
                         model_price_row<&ModelPrice::cache_write>("cache_write"),
                         model_price_row<&ModelPrice::output>("output"),
                         model_price_row<&ModelPrice::reasoning>("reasoning")},
                .entries_max = kPricesMax,
                .is_name = core::is_price_name,
                .mistakes = [](const ModelPrice& price) {
                    std::vector<std::string> mistakes;
                    if (!price.input) mistakes.emplace_back(" has no input");
                    if (!price.output) mistakes.emplace_back(" has no output");
                    return mistakes;
                }}};
    return kTable;
}

}  // namespace headway::config

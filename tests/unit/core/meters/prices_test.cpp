// SPDX-License-Identifier: Apache-2.0
#include "core/meters/prices.hpp"

#include <catch2/catch.hpp>

#include "tests/support/budgeted.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

Prices only_own(std::vector<ModelPrice> own) {
    return {std::move(own), false};
}

ModelPrice flat(std::string model, double price) {
    return {std::move(model), price, price, price, price, price};
}

Usage parts(std::uint64_t input, std::uint64_t cached, std::uint64_t cache_write,
            std::uint64_t output, std::uint64_t reasoning) {
    Usage usage;
    usage.input_tokens = input;
    usage.cached_tokens = cached;
    usage.cache_write_tokens = cache_write;
    usage.output_tokens = output;
    usage.reasoning_tokens = reasoning;
    return usage;
}

}  // namespace

TEST_CASE("prices: a model is found by every name that its provider or a gateway gives it") {
    const char* const names[] = {"claude-opus-4-5",
                                 "Claude-Opus-4-5",
                                 "claude-opus-4-5-20251101",
                                 "claude-opus-4-5@20251101",
                                 "claude-opus-4-5[1m]",
                                 "anthropic/claude-opus-4-5",
                                 "openrouter/anthropic/claude-opus-4.5",
                                 "us.anthropic.claude-opus-4-5-20251101-v1:0",
                                 "anthropic.claude-opus-4-5-20251101-v1:0",
                                 "arn:aws:bedrock:us-east-1::inference-profile/"
                                 "us.anthropic.claude-opus-4-5-20251101-v1:0"};
    for (const char* name : names) {
        INFO(name);
        const auto price = price_of({}, name);
        REQUIRE(price.has_value());
        CHECK(price->input == 5.0);
        CHECK(price->output == 25.0);
    }
    CHECK(price_of({}, "gpt-5-2025-08-07")->output == 10.0);
    CHECK(price_of({}, "google/gemini-2.5-pro")->cached == 0.125);
}

TEST_CASE("prices: a model that is not listed has none, however alike its name") {
    for (const char* name :
         {"", "claude-opus-6", "claude-opus-4-5-fast", "claude-opus", "gpt-5-turbo", "gpt-5.1-mini",
          "claude-opus-4.5:free", "my-claude-opus-4-5", "gemini-2.5-pro-preview-tts", "sonnet",
          "gpt-5-2025", "llama3"}) {
        INFO(name);
        CHECK_FALSE(price_of({}, name).has_value());
    }
}

TEST_CASE("prices: the operator's come first, the exact name before the longest pattern") {
    const Prices prices{{flat("my-local-*", 0), flat("my-local-big-*", 1),
                         flat("my-local-big-7", 2), flat("claude-opus-5", 3)},
                        true};
    CHECK(price_of(prices, "my-local-small")->input == 0.0);
    CHECK(price_of(prices, "my-local-big-8")->input == 1.0);
    CHECK(price_of(prices, "ollama/my-local-big-7")->input == 2.0);
    CHECK(price_of(prices, "anthropic/claude-opus-5")->output == 3.0);
    CHECK(price_of(prices, "claude-sonnet-5")->output == 10.0);
    CHECK_FALSE(price_of(only_own({}), "claude-sonnet-5").has_value());
    CHECK(price_of(only_own({flat("*", 4)}), "whatever")->input == 4.0);
}

TEST_CASE("prices: each part costs what it costs") {
    const ModelPrice opus = *price_of({}, "claude-opus-5");
    CHECK(*cost_of(opus, parts(1'000'000, 0, 0, 0, 0)) == Approx(5));
    CHECK(*cost_of(opus, parts(0, 1'000'000, 0, 0, 0)) == Approx(0.5));
    CHECK(*cost_of(opus, parts(0, 0, 1'000'000, 0, 0)) == Approx(6.25));
    CHECK(*cost_of(opus, parts(0, 0, 0, 1'000'000, 0)) == Approx(25));
    CHECK(*cost_of(opus, parts(0, 0, 0, 0, 1'000'000)) == Approx(25));
    CHECK(*cost_of(opus, parts(10, 1000, 20'000, 20, 500)) == Approx(0.13855));
    const ModelPrice short_one{"m", 2, {}, {}, 8, {}};
    CHECK(*cost_of(short_one, parts(1, 1, 1, 1, 1)) == Approx(22e-6));
}

TEST_CASE("prices: tokens that are not told apart have a cost only where all cost the same") {
    Usage usage;
    usage.tokens = 1'000'000;
    CHECK_FALSE(cost_of(*price_of({}, "claude-opus-5"), usage).has_value());
    CHECK(*cost_of(flat("m", 0), usage) == 0.0);
    CHECK(*cost_of(flat("m", 3), usage) == Approx(3));
    CHECK_FALSE(cost_of(ModelPrice{"m", 1, {}, {}, {}, {}}, usage).has_value());
}

TEST_CASE("prices: a use without a cost gets an estimate, by its own model or the session's") {
    std::vector<Event> events{beat_with_usage(0), beat_with_usage(0, 0.25), said("no use")};
    Usage& first = *usage_in(events[0].payload);
    first.input_tokens = 1'000'000;
    estimate_costs({}, "claude-opus-5", events);
    CHECK(first.cost_usd == 5.0);
    CHECK(first.estimated);
    CHECK(usage_in(events[1].payload)->cost_usd == 0.25);
    CHECK_FALSE(usage_in(events[1].payload)->estimated);
    first.cost_usd.reset();
    first.model = "claude-haiku-4-5";
    estimate_costs({}, "claude-opus-5", events);
    CHECK(first.cost_usd == 1.0);
    first.cost_usd.reset();
    first.model = "unheard-of";
    estimate_costs({}, "claude-opus-5", events);
    CHECK_FALSE(first.cost_usd.has_value());
    CHECK_FALSE(first.estimated);
}

TEST_CASE("prices: an agent's own figure is never an estimate of Headway's") {
    std::vector<Event> events{beat_with_usage(100, 0.5)};
    usage_in(events[0].payload)->estimated = true;
    estimate_costs({}, "claude-opus-5", events);
    CHECK_FALSE(usage_in(events[0].payload)->estimated);
}

TEST_CASE("prices: the list has each model once, dearer to write than to read") {
    std::vector<std::string_view> seen;
    for (const ListPrice& row : list_prices()) {
        INFO(row.model);
        CHECK(std::find(seen.begin(), seen.end(), row.model) == seen.end());
        seen.push_back(row.model);
        CHECK((row.cached <= row.input && row.input <= row.cache_write && row.input < row.output));
        CHECK(names_of_model(row.model).front() == row.model);
    }
}

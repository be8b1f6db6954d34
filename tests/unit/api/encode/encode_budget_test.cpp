// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode_budget.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/json/json_writer.hpp"
#include "core/budgets/budget_text.hpp"
#include "tests/support/budgeted.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

Document budget_of(const BudgetStatus& status, const BudgetPrediction* prediction = nullptr) {
    std::string out;
    JsonWriter json{out};
    write_budget(json, status, prediction);
    return Document::parse(out);
}

}  // namespace

TEST_CASE("encode budget: every figure under the name of the first design", "[api]") {
    BudgetLimits limits;
    limits.timeout_seconds = 300;
    limits.max_steps = 30;
    limits.max_tokens = 1000;
    limits.max_cost_usd = 0.5;
    Budgeted b{limits};
    b.report(beat_of_iteration(15), 45'000);
    b.report(beat_with_usage(250, 0.1), 45'000);
    Document expected = Document::parse(
        R"({"level":"nominal","source":"unknown","pressure":50.0,"dimension":"steps",
        "wrap_up":false,"elapsed_seconds":45,"remaining_seconds":255,"timeout_seconds":300,
        "time_pressure":15.0,"steps_completed":15,"steps_remaining":15,"max_steps":30,
        "step_pressure":50.0,"tokens_used":250,"tokens_remaining":750,"max_tokens":1000,
        "token_pressure":25.0,"cost_used_usd":0.1,"cost_remaining_usd":0.4,"max_cost_usd":0.5,
        "cost_pressure":20.0,"clocks":{"model_seconds":45,"tool_seconds":0,"human_seconds":0,
        "rate_limit_seconds":0}})");
    expected["prompt"] = budget_prompt(b.status(45'000));
    CHECK(budget_of(b.status(45'000)) == expected);
}

TEST_CASE("encode budget: a dimension without a limit shows its use only", "[api]") {
    Budgeted b{step_limit(10)};
    b.report(beat_of_iteration(7), 1'000);
    const Document json = budget_of(b.status(1'000));
    CHECK(json["wrap_up"] == true);
    CHECK(json["elapsed_seconds"] == 1);
    CHECK(json["tokens_used"] == 0);
    for (const char* absent : {"timeout_seconds", "remaining_seconds", "time_pressure",
                               "max_tokens", "max_cost_usd", "children", "prediction"})
        CHECK_FALSE(json.contains(absent));
}

TEST_CASE("encode budget: without a limit it is null", "[api]") {
    const Budgeted b{BudgetLimits{}};
    CHECK(budget_of(b.status(1'000)).is_null());
}

TEST_CASE("encode budget: percentages are rounded down to a tenth", "[api]") {
    Budgeted b{step_limit(10'000)};
    b.report(beat_of_iteration(6'999), 1);
    const Document json = budget_of(b.status(1));
    CHECK(json["pressure"] == 69.9);
    CHECK(json["level"] == "nominal");
}

TEST_CASE("encode budget: children are shown when there are any", "[api]") {
    Budgeted b{step_limit(100)};
    b.child("a", 4, 1);
    b.child("b", 5, 2, true);
    CHECK(budget_of(b.status(3))["children"] ==
          Document::parse(R"({"open":1,"ended":1,"steps":9,"tokens":90,"cost_usd":0.0})"));
}

TEST_CASE("encode budget: a cost that is not known is null, and the cap says that it cannot hold",
          "[api]") {
    BudgetLimits limits;
    limits.max_cost_usd = 1;
    Budgeted b{limits};
    b.report(beat_with_usage(4'800'000), 1);
    Document json = budget_of(b.status(1));
    for (const char* unknown : {"cost_used_usd", "cost_remaining_usd", "cost_pressure"}) {
        INFO(unknown);
        CHECK((json.contains(unknown) && json[unknown].is_null()));
    }
    CHECK(json["cost_warning"] ==
          "the cap of $1.00 cannot hold: no cost is known of 4800000 tokens");
    CHECK(json["unpriced_tokens"] == 4'800'000);
    b.report(beat_with_usage(1000, 0.25), 2);
    json = budget_of(b.status(2));
    CHECK(json["cost_used_usd"] == 0.25);
    CHECK(json["cost_pressure"] == 25.0);
    CHECK(json["cost_warning"].get<std::string>().find("only in part") != std::string::npos);
}

TEST_CASE("encode budget: the parts of tokens are told apart, the estimated part of a cost too",
          "[api]") {
    Budgeted b{step_limit(10)};
    Event beat = beat_with_usage(0, 0.5);
    Usage& usage = *std::get<Heartbeat>(beat.payload).usage;
    usage.input_tokens = 10;
    usage.cached_tokens = 1000;
    usage.cache_write_tokens = 20'000;
    usage.output_tokens = 20;
    usage.reasoning_tokens = 500;
    usage.estimated = true;
    b.report(std::move(beat), 1);
    const Document json = budget_of(b.status(1));
    CHECK(json["tokens_used"] == 21'530);
    CHECK(json["token_parts"] ==
          Document::parse(
              R"({"input":10,"cached":1000,"cache_write":20000,"output":20,"reasoning":500})"));
    CHECK(json["cost_estimated_usd"] == 0.5);
}

TEST_CASE("encode budget: a prediction has an interval, or says why there is none", "[api]") {
    const Budgeted b{step_limit(100)};
    BudgetPrediction prediction;
    prediction.agent = "plan";
    prediction.history = 4;
    Document json = budget_of(b.status(1), &prediction)["prediction"];
    CHECK(json["steps_to_finish"].is_null());
    CHECK(json["history"] == 4);
    CHECK(json["reason"].get<std::string>().starts_with("no history"));
    prediction.history = 6;
    prediction.steps = Forecast{3, 1, 7, 17};
    prediction.seconds = Forecast{2, 5, 50, 150};
    json = budget_of(b.status(1), &prediction)["prediction"];
    CHECK(json["steps_to_finish"] == Document::parse(R"({"p50":7,"p10":1,"p90":17,"samples":3})"));
    CHECK_FALSE(json.contains("reason"));
}

TEST_CASE("encode budget: the analytics list what ended sessions used", "[api]") {
    UseSummary summary;
    summary.agent = "plan";
    summary.outcome = Outcome::kBudgetExhausted;
    summary.count = 3;
    summary.elapsed_ms = {1'500, 2'000};
    summary.cost_micros = {250'000, 1'000'000};
    std::string out;
    append_budget_analytics(out, std::vector{summary}, 3, false);
    CHECK(Document::parse(out) == Document::parse(R"({"budgets":[{"agent":"plan",
        "outcome":"budget_exhausted","count":3,"seconds":{"p50":1,"p90":2},
        "steps":{"p50":0,"p90":0},"tokens":{"p50":0,"p90":0},
        "cost_usd":{"p50":0.25,"p90":1.0}}],"sessions":3,"more":false})"));
}

TEST_CASE(
    "encode budget: a cost of sub-agents that is not known is null, and in part a lower bound",
    "[api]") {
    const auto fan_out = [](std::uint64_t priced_micros) {
        BudgetMeter meter;
        ChildUse child{7, {}, BudgetLevel::kNominal, {}};
        child.use.tokens = 600;
        child.use.parts.unpriced = 600;
        meter.children.push_back(child);
        if (priced_micros > 0) {
            ChildUse priced{8, {}, BudgetLevel::kNominal, {}};
            priced.use.tokens = 100;
            priced.use.cost_micros = priced_micros;
            meter.children.push_back(priced);
        }
        std::string out;
        JsonWriter json{out};
        json.open_object();
        write_fan_out(json, meter);
        json.close_object();
        return Document::parse(out)["fan_out"];
    };
    CHECK(fan_out(0)["cost_usd"].is_null());
    CHECK(fan_out(0)["unpriced_tokens"] == 600);
    CHECK(fan_out(500'000)["cost_usd"] == 0.5);
    CHECK(fan_out(500'000)["unpriced_tokens"] == 600);
}

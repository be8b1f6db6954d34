// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_expectations.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "api/json/json_writer.hpp"
#include "tests/support/make.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

TEST_CASE("encode expectations: figures in the units of budgets, and the suggestion", "[api]") {
    AgentExpectation known;
    known.agent = "coder";
    known.sessions = 31;
    known.elapsed_ms = Quantiles{60'000, 90'500, 120'000};
    known.steps = Quantiles{10, 18, 20};
    known.cost_micros = Quantiles{500'000, 1'000'000, 2'000'000};
    known.suggestion.limits.max_steps = 23;
    known.suggestion.sessions = 31;
    known.tools = {{"bash", 30, Quantiles{1, 2, 3}}, {"rare", 2, std::nullopt}};
    AgentExpectation unknown;
    std::string out;
    append_expectations(out, {{known, unknown}, Complexity::kHigh});
    CHECK(Document::parse(out) == Document::parse(R"({"expectations":[
        {"agent":"coder","sessions":31,"seconds":{"p50":60,"p90":90,"p95":120},
         "steps":{"p50":10,"p90":18,"p95":20},"tokens":null,
         "cost_usd":{"p50":0.5,"p90":1.0,"p95":2.0},
         "suggested":{"budget":{"max_steps":23},"sessions":31,"basis":"agent"},
         "tools":[{"tool":"bash","sessions":30,"ms":{"p50":1,"p90":2,"p95":3}},
          {"tool":"rare","sessions":2,"ms":null}]},
        {"agent":"","sessions":0,"seconds":null,"steps":null,"tokens":null,"cost_usd":null,
         "suggested":null,
         "reason":"too few sessions: 0 of the 20 that are needed have ended"}],
        "complexity":"high","sessions_min":20})"));
}

TEST_CASE("encode expectations: a call in flight has what is expected of its tool", "[api]") {
    const std::vector<OpenCall> open{
        {"c1", "bash", at(0)}, {"c2", "rare", at(0)}, {"", "x", at(0)}};
    const std::vector<ExpectedCall> expected{{"rare", 2, std::nullopt},
                                             {"bash", 30, Quantiles{1, 2, 3}}};
    std::string out{"{"};
    JsonWriter json{out};
    write_in_flight(json, open, expected);
    const Document calls = Document::parse(out + "}")["in_flight"];
    REQUIRE(calls.size() == 3);
    CHECK(calls[0]["call_id"] == "c1");
    CHECK(calls[0]["expected"] == Document::parse(R"({"p50_ms":1,"p95_ms":3,"sessions":30})"));
    CHECK(calls[0].contains("since"));
    CHECK_FALSE(calls[1].contains("expected"));
    CHECK_FALSE(calls[2].contains("call_id"));
}

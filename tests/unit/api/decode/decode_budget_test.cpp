// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_budget.hpp"

#include <catch2/catch.hpp>

#include "api/decode/decode.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;

TEST_CASE("decode budget: a change replaces or extends", "[api]") {
    JsonDocument document;
    const auto set = decode_budget_change(
        document, R"({"set":{"max_steps":40,"max_cost_usd":0.5},"by":"ann","reason":"r"})");
    require_ok(set);
    CHECK_FALSE(set->extends);
    CHECK(set->limits.max_steps == 40);
    CHECK(set->limits.max_cost_usd == 0.5);
    CHECK_FALSE(set->limits.timeout_seconds.has_value());
    CHECK(set->by == "ann");
    CHECK(set->reason == "r");
    const auto extend = decode_budget_change(document, R"({"extend":{"timeout_seconds":60}})");
    require_ok(extend);
    CHECK(extend->extends);
    CHECK(extend->limits.timeout_seconds == 60);
}

TEST_CASE("decode budget: what is wrong with a change is named", "[api]") {
    struct Case {
        const char* body;
        const char* field;
    };
    const Case cases[] = {{"", "/set"},
                          {R"({"by":"ann"})", "/set"},
                          {R"({"set":{},"extend":{}})", "/extend"},
                          {R"({"set":{"steps":4}})", "/set/steps"},
                          {R"({"extend":{"max_steps":-4}})", "/extend/max_steps"},
                          {R"({"extend":{"max_cost_usd":"1"}})", "/extend/max_cost_usd"},
                          {R"({"set":{},"who":"x"})", "/who"}};
    JsonDocument document;
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.body) {
            const auto change = decode_budget_change(document, c.body);
            REQUIRE_FALSE(change.has_value());
            CHECK(change.error().field == c.field);
        }
    }
}

TEST_CASE("decode budget: an opening takes limits", "[api]") {
    JsonDocument document;
    const auto open = decode_open(document, R"({"budget":{"timeout_seconds":300,"max_steps":30}})");
    require_ok(open);
    CHECK(open->about.budget == BudgetLimits{300, 30, {}, {}});
    const auto wrong = decode_open(document, R"({"budget":{"max_step":30}})");
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().field == "/budget/max_step");
}

TEST_CASE("decode budget: usage comes with beats, messages and calls, and is no debt", "[api]") {
    JsonDocument document;
    for (const char* type : {"heartbeat", "message", "tool.finished"}) {
        DYNAMIC_SECTION(type) {
            const std::string start =
                std::string{R"({"type":")"} + type + R"(","data":{"tool":"t","usage":{"cost_usd":)";
            std::string body = start + "-1}}}";
            if (std::string_view{type} != "tool.finished") body.erase(body.find("\"tool\""), 11);
            const auto wrong = decode_report(document, body, BodyFormat::kJson);
            REQUIRE_FALSE(wrong.has_value());
            CHECK(wrong.error().field == "/data/usage/cost_usd");
            body.erase(body.find("-1"), 1);
            require_ok(decode_report(document, body, BodyFormat::kJson));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "core/meters/budget_settings.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

TEST_CASE("budget settings: an opening wins over the agent type, which wins over the defaults",
          "[budget]") {
    BudgetSettings settings;
    settings.defaults.max_steps = 99;
    settings.defaults.max_tokens = 1000;
    settings.agents = {{"plan", {600, 50, {}, {}}}};
    BudgetLimits asked;
    asked.timeout_seconds = 120;
    const BudgetLimits plan = opening_budget(settings, "Plan", asked).limits;
    CHECK(plan.timeout_seconds == 120);
    CHECK(plan.max_steps == 50);
    CHECK(plan.max_tokens == 1000);
    CHECK_FALSE(plan.max_cost_usd.has_value());
    CHECK(opening_budget(settings, "coder", {}).limits.max_steps == 99);
}

TEST_CASE("budget settings: no agent type has a budget by its name alone", "[budget]") {
    for (const char* type : {"plan", "explore", "", "coder"}) {
        CHECK(opening_budget(BudgetSettings{}, type, {}) ==
              OpeningBudget{BudgetLimits{}, BudgetSource::kNone});
    }
    BudgetSettings settings;
    settings.builtin = true;
    CHECK(opening_budget(settings, "explore", {}).limits == BudgetLimits{300, 30, {}, {}});
    CHECK(opening_budget(settings, "PLAN", {}).limits == BudgetLimits{600, 50, {}, {}});
    CHECK(opening_budget(settings, "coder", {}).limits == BudgetLimits{});
    // A table of the type replaces the built-in budget, even if it is empty.
    settings.agents = {{"explore", {}}, {"plan", {{}, 60, {}, {}}}};
    CHECK(opening_budget(settings, "explore", {}).limits == BudgetLimits{});
    CHECK(opening_budget(settings, "plan", {}).limits == BudgetLimits{{}, 60, {}, {}});
}

TEST_CASE("budget settings: where the limits come from", "[budget]") {
    BudgetSettings settings;
    settings.builtin = true;
    settings.agents = {{"coder", {900, {}, {}, {}}}};
    BudgetLimits asked;
    asked.max_steps = 10;
    CHECK(opening_budget(settings, "other", {}).source == BudgetSource::kNone);
    CHECK(opening_budget(settings, "other", asked).source == BudgetSource::kRequest);
    CHECK(opening_budget(settings, "coder", {}).source == BudgetSource::kConfig);
    CHECK(opening_budget(settings, "coder", asked).source == BudgetSource::kMixed);
    CHECK(opening_budget(settings, "plan", {}).source == BudgetSource::kBuiltin);
    settings.defaults.max_tokens = 5;
    CHECK(opening_budget(settings, "other", {}).source == BudgetSource::kConfig);
}

TEST_CASE("budget settings: what is suggested comes behind the opening and before the type",
          "[budget]") {
    BudgetSettings settings;
    settings.agents.push_back({"coder", {900, 60, 5000, {}}});
    const BudgetLimits suggested{120, 20, std::nullopt, 0.5};
    const OpeningBudget budget = opening_budget(settings, "coder", {{}, 10, {}, {}}, suggested);
    CHECK(budget.limits == BudgetLimits{120, 10, 5000, 0.5});
    CHECK(budget.source == BudgetSource::kSuggested);
    const OpeningBudget none = opening_budget(settings, "coder", {}, {});
    CHECK(none.source == BudgetSource::kConfig);
    const OpeningBudget asked = opening_budget({}, "coder", suggested, suggested);
    CHECK(asked.source == BudgetSource::kRequest);
}

TEST_CASE("budget settings: limits out of bounds are named", "[budget]") {
    struct Case {
        const char* name;
        BudgetLimits limits;
        const char* field;  // null: fine
    };
    const Case cases[] = {
        {"29 s", {29, {}, {}, {}}, "/budget/timeout_seconds"},
        {"30 s", {30, {}, {}, {}}, nullptr},
        {"3600 s", {3600, {}, {}, {}}, nullptr},
        {"3601 s", {3601, {}, {}, {}}, "/budget/timeout_seconds"},
        {"4 steps", {{}, 4, {}, {}}, "/budget/max_steps"},
        {"5 steps", {{}, 5, {}, {}}, nullptr},
        {"200 steps", {{}, 200, {}, {}}, nullptr},
        {"201 steps", {{}, 201, {}, {}}, "/budget/max_steps"},
        {"no tokens", {{}, {}, 0, {}}, "/budget/max_tokens"},
        {"no money", {{}, {}, {}, 0.0}, "/budget/max_cost_usd"},
        {"a debt", {{}, {}, {}, -1.0}, "/budget/max_cost_usd"},
        {"nothing", {}, nullptr},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            const auto checked = check_bounds(c.limits, BudgetBounds{}, "/budget");
            REQUIRE(checked.has_value() == (c.field == nullptr));
            if (c.field != nullptr) CHECK(checked.error().field == c.field);
        }
    }
}

TEST_CASE("budget settings: an extension adds something, within the upper bounds", "[budget]") {
    CHECK(check_extension({1, {}, {}, {}}, BudgetBounds{}, "/extend").has_value());
    CHECK(check_extension({{}, 200, {}, {}}, BudgetBounds{}, "/extend").has_value());
    CHECK(check_extension({}, BudgetBounds{}, "/extend").error().field == "/extend");
    CHECK(check_extension({0, {}, {}, {}}, BudgetBounds{}, "/extend").error().field ==
          "/extend/timeout_seconds");
    CHECK(check_extension({{}, 201, {}, {}}, BudgetBounds{}, "/extend").error().field ==
          "/extend/max_steps");
}

TEST_CASE("budget settings: thresholds must rise and bounds must hold something", "[budget]") {
    BudgetSettings settings;
    CHECK(mistake_in(settings).empty());
    settings.rules.warn_percent = 60;
    CHECK(mistake_in(settings).find("must not fall") != std::string::npos);
    settings = {};
    settings.bounds.max_steps_min = 201;
    CHECK(mistake_in(settings).find("max_steps_min") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "config/load/load.hpp"

using namespace headway::config;
namespace fs = std::filesystem;

namespace {

struct Loading {
    fs::path file =
        fs::temp_directory_path() / ("headway-budget-keys-" + std::to_string(::getpid()) + ".toml");
    ~Loading() { fs::remove(file); }

    auto operator()(const std::string& text, const std::map<std::string, std::string>& flags = {}) {
        std::ofstream(file) << text;
        LoadRequest request;
        request.file = file;
        request.flags = flags;
        return load(request);
    }
};

const headway::core::BudgetLimits& limits_of(const Settings& settings, std::string_view type) {
    const auto& agents = settings.budget.agents;
    const auto found = std::find_if(agents.begin(), agents.end(),
                                    [type](const auto& agent) { return agent.type == type; });
    REQUIRE(found != agents.end());
    return found->limits;
}

}  // namespace

TEST_CASE("budget keys: a session has no budget without a setting", "[config]") {
    const Settings settings;
    CHECK(settings.budget.defaults == headway::core::BudgetLimits{});
    CHECK(settings.budget.agents.empty());
    CHECK_FALSE(settings.budget.builtin);
    Loading loading;
    CHECK(loading("[budget]\nbuiltin = true\n")->settings.budget.builtin);
    CHECK(loading("[budget]\nbuiltin = \"on\"\n")->settings.budget.builtin);
    CHECK_FALSE(loading("[budget]\nbuiltin = \"maybe\"\n").has_value());
}

TEST_CASE("budget keys: a file sets defaults, rules, bounds and any agent type", "[config]") {
    Loading loading;
    const auto loaded = loading(
        "[budget]\ndefault_max_steps = 99\ndefault_max_cost_usd = 2.5\nhuman_time = \"counted\"\n"
        "roll_up = \"off\"\nmax_steps_max = 500\n"
        "[budget.agents.plan]\nmax_steps = 60\n"
        "[budget.agents.coder]\ndefault_timeout_seconds = 900\ndefault_max_cost_usd = 1\n"
        "[budget.agents.\"a.b\"]\ndefault_max_tokens = 1000\n");
    REQUIRE(loaded.has_value());
    const auto& budget = loaded->settings.budget;
    CHECK(budget.defaults.max_steps == 99);
    CHECK(budget.defaults.max_cost_usd == 2.5);
    CHECK(budget.rules.count_human);
    CHECK_FALSE(budget.rules.roll_up);
    CHECK(budget.bounds.max_steps_max == 500);
    CHECK(limits_of(loaded->settings, "plan") ==
          headway::core::BudgetLimits{{}, 60, {}, {}});  // what it leaves out is as in [budget]
    CHECK(limits_of(loaded->settings, "coder").timeout_seconds == 900);
    CHECK(limits_of(loaded->settings, "coder").max_cost_usd == 1.0);
    CHECK(limits_of(loaded->settings, "a.b").max_tokens == 1000);
    const auto origin = std::find_if(
        loaded->keys.begin(), loaded->keys.end(),
        [](const KeyOrigin& k) { return k.key == "budget.agents.plan.default_max_steps"; });
    REQUIRE(origin != loaded->keys.end());
    CHECK(origin->value == "60");
    CHECK(origin->origin.find(":8") != std::string::npos);
}

TEST_CASE("budget keys: flags reach agent types too, and 0 takes a limit away", "[config]") {
    Loading loading;
    const auto loaded = loading("", {{"budget.agents.plan.default_max_steps", "70"},
                                     {"budget.agents.explore.default_timeout_seconds", "0"}});
    REQUIRE(loaded.has_value());
    CHECK(limits_of(loaded->settings, "plan").max_steps == 70);
    CHECK_FALSE(limits_of(loaded->settings, "explore").timeout_seconds.has_value());
}

TEST_CASE("budget keys: mistakes in a table with a free name are found", "[config]") {
    struct Case {
        const char* text;
        const char* says;
    };
    const Case cases[] = {
        {"[budget.agents.plan]\ndefault_max_stps = 3\n",
         ":2: unknown key `budget.agents.plan.default_max_stps`; did you mean "
         "`default_max_steps`?"},
        {"[budget.agents.plan]\ndefault_max_steps = \"3\"\n",
         "budget.agents.plan.default_max_steps: expected a whole number"},
        {"[budget.agents.plan]\ndefault_max_cost_usd = -1\n", "is not an amount"},
        {"[budget.agents]\nplan = 3\n", "`budget.agents.plan` is a section"},
        {"[budget]\nagents = 3\n", "`budget.agents` holds a table"},
        {"[budget]\nhuman_time = \"fre\"\n", "is not one of free, counted; did you mean `free`?"},
        {"[budget]\nwarn_threshold_percent = 60\n", "must not fall: 70, 60, 90"},
        {"[budget]\nmax_steps_min = 300\n", "budget.max_steps_min is above"},
    };
    Loading loading;
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.says) {
            const auto loaded = loading(c.text);
            REQUIRE_FALSE(loaded.has_value());
            CHECK_THAT(loaded.error().detail, Catch::Contains(c.says));
        }
    }
    CHECK_FALSE(loading("", {{"budget.agents.plan.steps", "3"}}).has_value());
}

TEST_CASE("budget keys: a day has caps for all sessions and for those with a label", "[config]") {
    Loading loading;
    const auto loaded = loading(
        "[budget.day]\nmax_cost_usd = 50\nmax_tokens = 1000\nstarts = \"06:30\"\n"
        "[budget.day.labels.\"team=payments\"]\nmax_cost_usd = 20\n"
        "[budget.day.labels.\"repo=a.b/c\"]\nmax_tokens = 9\n");
    REQUIRE(loaded.has_value());
    const auto& day = loaded->settings.day;
    CHECK(day.all.max_cost_usd == 50.0);
    CHECK(day.all.max_tokens == 1000);
    CHECK(day.starts == std::chrono::minutes{390});
    REQUIRE(day.labels.size() == 2);
    const bool first = day.labels[0].label == "team=payments";
    CHECK(day.labels[first ? 0 : 1].max_cost_usd == 20.0);
    CHECK(day.labels[first ? 1 : 0].max_tokens == 9);
    CHECK_FALSE(loading("")->settings.day.is_set());
    for (const char* wrong :
         {"[budget.day]\nstarts = \"24:00\"\n", "[budget.day]\nstarts = \"6:30\"\n",
          "[budget.day]\nmax_cost_usd = -1\n", "[budget.day]\nmax_cost = 1\n",
          "[budget.day.labels.payments]\nmax_cost_usd = 20\n",
          "[budget.day.labels.\"a=b\"]\nstarts = \"01:00\"\n"}) {
        INFO(wrong);
        CHECK_FALSE(loading(wrong).has_value());
    }
}

TEST_CASE("price keys: a model has prices by part, or one for all tokens", "[config]") {
    Loading loading;
    const auto loaded = loading(
        "[prices]\n\"claude-opus-5\" = { input = 5, cached = 0.5, cache_write = 6.25, output = 25 "
        "}\n"
        "\"my-local-*\" = 0\n"
        "[prices.\"gpt-4.1\"]\ninput = 2\noutput = 8\n");
    REQUIRE(loaded.has_value());
    const headway::core::Prices& prices = loaded->settings.prices;
    REQUIRE(prices.own.size() == 3);
    CHECK(price_of(prices, "claude-opus-5")->cache_write == 6.25);
    CHECK(price_of(prices, "my-local-7b")->output == 0.0);
    CHECK(price_of(prices, "gpt-4.1")->output == 8.0);
    CHECK_FALSE(price_of(prices, "gpt-4.1")->cached.has_value());
    CHECK(prices.use_list);
    CHECK_FALSE(loading("[budget]\npublic_prices = \"off\"\n")->settings.prices.use_list);
}

TEST_CASE("price keys: half a price, and a price that is none, are mistakes", "[config]") {
    Loading loading;
    for (const char* wrong :
         {"[prices]\n\"m\" = { input = 5 }\n", "[prices]\n\"m\" = { output = 5 }\n",
          "[prices]\n\"m\" = -1\n", "[prices]\n\"m\" = \"cheap\"\n", "[prices]\n\"m\" = {}\n",
          "[prices]\n\"a*b\" = 1\n", "[prices]\n\"m\" = { input = 1, output = 1, thinking = 1 }\n",
          "[price]\n\"m\" = 1\n", "prices = 1\n"}) {
        INFO(wrong);
        const auto loaded = loading(wrong);
        REQUIRE_FALSE(loaded.has_value());
        INFO(loaded.error().detail);
        CHECK_FALSE(loaded.error().detail.empty());
    }
    CHECK(loading("[price]\n\"m\" = 1\n").error().detail.find("prices") != std::string::npos);
}

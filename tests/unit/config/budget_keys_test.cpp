// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "config/load.hpp"

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

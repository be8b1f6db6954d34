// SPDX-License-Identifier: Apache-2.0
#include "config/load/named_table.hpp"

#include <catch2/catch.hpp>

#include "config/load/keys.hpp"
#include "config/load/sections.hpp"
#include "core/base/limits.hpp"

using namespace headway::config;

namespace {

namespace limits = headway::core::limits;

struct Case {
    /// Dotted name of an entry's key.
    std::string dotted(const std::string& name, const std::string& of) const {
        return std::string(table.words().path).append(".").append(name).append(".").append(of);
    }
    std::string dotted(const std::string& name) const { return dotted(name, key); }

    const AnyNamedTable& table;
    std::string key;
    Value right;
    Value wrong;
    std::size_t entries_max;
};

const Case kCases[] = {
    {agent_table(), "default_max_steps", 60, -1, limits::kAgentTypesMax},
    {judge_table(), "model", "m", "", limits::kJudgeEndpointsMax},
    {webhook_table(), "url", "https://ops.example", "ftp://x", limits::kWebhookEndpointsMax},
};

std::string refusal(const Case& c, Settings& settings, const std::string& dotted,
                    const Value& value) {
    const auto done = c.table.assign(settings, dotted, value);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == headway::core::ErrorCode::kInvalidConfig);
    return done.error().detail;
}

}  // namespace

TEST_CASE("named tables: an entry is made by its first value and changed by the next", "[config]") {
    for (const Case& c : kCases) {
        DYNAMIC_SECTION(c.table.words().path) {
            const std::string dotted = c.dotted("one");
            CHECK(find_named_table(dotted) == &c.table);
            Settings settings;
            CHECK(c.table.values(settings).empty());
            for (int times = 0; times < 2; ++times) {
                CHECK(*c.table.assign(settings, dotted, c.right) == dotted);
                const std::vector<NamedValue> values = c.table.values(settings);
                REQUIRE(values.size() == 1);
                CHECK(values.front().name == dotted);
                CHECK(values.front().value == c.right);
            }
        }
    }
}

TEST_CASE("named tables: a mistake says what is wrong and leaves no entry behind", "[config]") {
    for (const Case& c : kCases) {
        DYNAMIC_SECTION(c.table.words().path) {
            const TableWords& words = c.table.words();
            const std::string path{words.path};
            Settings settings;
            CHECK(refusal(c, settings, c.dotted("one", "nonsense"), c.right) == "unknown key");
            CHECK(refusal(c, settings, "server.listen", c.right) == "unknown key");
            CHECK(refusal(c, settings, path + "." + c.key, c.right) == "unknown key");
            CHECK(refusal(c, settings, c.dotted(""), c.right) == words.bad_name);
            const std::string longest(limits::kLabelBytesMax, 'a');
            CHECK(refusal(c, settings, c.dotted(longest + "a"), c.right) == words.bad_name);
            CHECK_FALSE(refusal(c, settings, c.dotted("one"), c.wrong).empty());
            CHECK(c.table.values(settings).empty());
            CHECK(c.table.mistakes_in(settings).empty());
            CHECK(c.table.assign(settings, c.dotted(longest), c.right));
            CHECK(find_named_table(c.dotted("one", "nonsense")) == nullptr);
            CHECK_FALSE(c.table.kind_of("nonsense").has_value());
        }
    }
}

TEST_CASE("named tables: the number of entries is bounded, that of changes is not", "[config]") {
    for (const Case& c : kCases) {
        DYNAMIC_SECTION(c.table.words().path) {
            Settings settings;
            for (std::size_t i = 0; i < c.entries_max; ++i) {
                CHECK(c.table.assign(settings, c.dotted("e" + std::to_string(i)), c.right));
            }
            CHECK(refusal(c, settings, c.dotted("more"), c.right) == c.table.words().too_many);
            CHECK(c.table.assign(settings, c.dotted("e0"), c.right));
            CHECK(c.table.values(settings).size() == c.entries_max);
        }
    }
}

TEST_CASE("named tables: what an entry must have is asked for, in the order of its rows",
          "[config]") {
    Settings settings;
    REQUIRE(judge_table().assign(settings, "judge.endpoints.a.role", "confirm"));
    CHECK(judge_table().mistakes_in(settings) ==
          std::vector<std::string>{"judge.endpoints.a has no base_url",
                                   "judge.endpoints.a has no model"});
    REQUIRE(judge_table().assign(settings, "judge.endpoints.a.base_url", "http://a/v1"));
    CHECK(judge_table().mistakes_in(settings) ==
          std::vector<std::string>{"judge.endpoints.a has no model"});
}

TEST_CASE("named tables: agent types have one entry in any case, and keys two spellings",
          "[config]") {
    const AnyNamedTable& table = agent_table();
    Settings settings;
    CHECK(*table.assign(settings, "budget.agents.Plan.max_steps", 5) ==
          "budget.agents.Plan.default_max_steps");
    CHECK(*table.assign(settings, "budget.agents.plan.default_max_steps", 6) ==
          "budget.agents.Plan.default_max_steps");
    REQUIRE(table.values(settings).size() == 1);
    CHECK(table.values(settings).front().value == Value(6));
    CHECK(table.owns("budget.agents.a.b.max_steps"));
    CHECK(table.key_names().size() == 8);
    CHECK_FALSE(judge_table().owns("judge.endpoints.a.default_model"));
}

TEST_CASE("named tables: no name of a value is that of a key", "[config]") {
    for (const AnyNamedTable* const table : named_tables()) {
        for (const std::string_view name : table->key_names()) {
            const std::string dotted =
                std::string(table->words().path) + ".one." + std::string(name);
            CHECK(find_named_table(dotted) == table);
            CHECK(find_key(dotted) == nullptr);
        }
    }
}

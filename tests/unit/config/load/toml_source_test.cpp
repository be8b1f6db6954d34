// SPDX-License-Identifier: Apache-2.0
#include "config/load/toml_source.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temp_dir.hpp"

using namespace headway::config;

namespace {

FileValues read(const std::string& text) {
    const headway::tests::TempDir dir;
    const auto file = dir.file("headway.toml");
    std::ofstream(file) << text;
    FileValues values = read_toml(file);
    for (std::string& one :
         values.mistakes) {  // without the folder, which has a new name each time
        REQUIRE(one.starts_with(file.string() + ":"));
        one.erase(0, file.string().size() + 1);
    }
    return values;
}

const Value* find(const FileValues& values, const std::string& key) {
    const auto found = std::find_if(values.values.begin(), values.values.end(),
                                    [&](const FileValue& one) { return one.key == key; });
    return found == values.values.end() ? nullptr : &found->value;
}

}  // namespace

TEST_CASE("toml: each kind of value arrives as what it is", "[config]") {
    const FileValues read_values = read(
        "[policy]\nheartbeat_limit = 7\nheartbeat_interval = \"1s\"\nmin_confidence = 0.5\n"
        "ignore_tools = [\"a,b\", \"c\"]\nloop_detection = true\n"
        "[policy.floor]\npatience = 3\n"
        "[budget.agents.\"a.b\"]\nmax_steps = 5\n");
    CHECK(read_values.mistakes.empty());
    const auto is = [&](const char* key, const Value& value) {
        const Value* found = find(read_values, key);
        return found != nullptr && *found == value;
    };
    CHECK(is("policy.heartbeat_limit", Value(std::int64_t{7})));
    CHECK(is("policy.heartbeat_interval", "1s"));
    CHECK(is("policy.min_confidence", Value(0.5)));
    CHECK(is("policy.ignore_tools", Value(Value::List{"a,b", "c"})));
    CHECK(is("policy.floor.patience", Value(std::int64_t{3})));
    CHECK(is("budget.agents.a.b.max_steps", Value(std::int64_t{5})));
}

TEST_CASE("toml: a limit of an agent type that stands there by both its names is a mistake",
          "[config]") {
    const FileValues values = read("[budget.agents.plan]\nmax_steps = 5\ndefault_max_steps = 50\n");
    REQUIRE(values.mistakes.size() == 1);
    CHECK(
        values.mistakes[0] ==
        "2: `budget.agents.plan.max_steps` is the same as `budget.agents.plan.default_max_steps`");
}

TEST_CASE("toml: true and false are words of switches, and no text", "[config]") {
    const FileValues switches = read(
        "[policy]\nloop_detection = false\n[policy.floor]\njudge = true\n"
        "[judge.endpoints.x]\ntls_verify = true\n");
    CHECK(switches.mistakes.empty());
    for (const char* const text :
         {"[server]\nsocket = false\n", "[server]\nreport_socket = true\n",
          "[storage]\nstate_dir = false\n", "[access]\nsecret_file = false\n",
          "[digest]\nat = true\n", "[judge.endpoints.x]\nmodel = true\n",
          "[webhooks.endpoints.x]\nurl = false\n"}) {
        INFO(text);
        const FileValues values = read(text);
        CHECK(values.values.empty());
        REQUIRE(values.mistakes.size() == 1);
        CHECK_THAT(values.mistakes[0], Catch::Contains("expected a string, as \"text\""));
    }
}

TEST_CASE("toml: a value of another kind is a mistake and no value", "[config]") {
    for (const char* line :
         {"heartbeat_limit = \"7\"", "heartbeat_limit = 7.5", "heartbeat_limit = 2026-11-23",
          "heartbeat_interval = 1.5", "heartbeat_interval = [\"1s\"]", "min_confidence = \"0.5\"",
          "ignore_tools = \"a,b\"", "ignore_tools = [1]", "ignore_tools = [\"a\", [\"b\"]]",
          "ignore_tools = [\"a\", 2]", "heartbeat_limit = { a = 1 }"}) {
        INFO(line);
        const FileValues values = read("[policy]\n\n" + std::string(line) + "\n");
        CHECK(values.values.empty());
        REQUIRE(values.mistakes.size() == 1);
        CHECK_THAT(values.mistakes[0], Catch::StartsWith("3: "));
    }
}

TEST_CASE("toml: mistakes come in the order of the file, whatever they are about", "[config]") {
    const FileValues values = read(
        "nonsense = 1\nserver = 2\n[zoo]\n[policy]\nheartbeat_limitt = 1\nheartbeat_limit = \"x\"\n"
        "[budget]\nagents = 3\n");
    REQUIRE(values.mistakes.size() == 6);
    CHECK(std::is_sorted(values.mistakes.begin(), values.mistakes.end()));
    CHECK_THAT(values.mistakes[3], Catch::Contains("heartbeat_limit"));
}

TEST_CASE("toml: what is no TOML and a file that is not there are mistakes too", "[config]") {
    const FileValues broken = read("[policy\nheartbeat_limit = 1\n");
    CHECK(broken.values.empty());
    CHECK(broken.mistakes.size() == 1);
    const headway::tests::TempDir dir;
    CHECK(read_toml(dir.file("none.toml")).mistakes.size() == 1);
    CHECK(read_toml(dir.file("")).mistakes.size() == 1);  // a folder
}

TEST_CASE("toml: two tables whose names differ by case alone are one, and a mistake", "[config]") {
    const FileValues values = read(
        "[budget.agents.Coder]\nmax_steps = 10\n[budget.agents.coder]\nmax_steps = 20\n"
        "[budget.agents.other]\nmax_steps = 30\n");
    REQUIRE(values.mistakes.size() == 1);
    CHECK(values.mistakes[0] == "3: `budget.agents.coder` is the same as `budget.agents.Coder`");
}

TEST_CASE("toml: a key of too many parts is a mistake of its line, and crashes nothing",
          "[config]") {
    const auto key_of = [](std::size_t parts, const std::string& part = "a.") {
        std::string key;
        for (std::size_t i = 1; i < parts; ++i)
            key += part;
        return key + "b";
    };
    const std::string deep = key_of(200'000);
    for (const std::string& line : {"[" + deep + "]", "[[" + deep + "]]", deep + " = 1",
                                    "x = {y = 1, " + deep + " = 1}", "x = [1, {" + deep + " = 1}]",
                                    key_of(101, "\"a\" . ") + " = 1", key_of(101, "'.'.") + " = 1",
                                    "x = [\"\"\"\"\"\", '''\"''''', \"\", {" + deep + " = 1}]"}) {
        const FileValues values = read("\n" + line + "\n");
        CHECK(values.values.empty());
        REQUIRE(values.mistakes.size() == 1);
        CHECK(values.mistakes[0] == "2: a key of more than 100 parts; no setting has one");
    }
    CHECK(read("[" + key_of(100) + "]\n").mistakes[0] == "1: unknown section `a`");
    CHECK(read("x = " + std::string(200'000, '[')).mistakes.size() == 1);
}

TEST_CASE("toml: dots in strings and in comments are no parts of a key", "[config]") {
    const std::string dots(300, '.');
    for (const std::string& value :
         {"\"" + dots + "\"", "'\"" + dots + "'", "\"\\\"" + dots + "\"",
          "\"\"\"\n\"" + dots + "\"\"\"", "'''\n'" + dots + "'''''", "\"\" # " + dots}) {
        INFO(value.substr(0, 9));
        CHECK(read("[storage]\nstate_dir = " + value + "\n").mistakes.empty());
    }
}

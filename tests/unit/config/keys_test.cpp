// SPDX-License-Identifier: Apache-2.0
#include "config/keys.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

using namespace headway::config;

TEST_CASE("keys: every key has a unique name, a sentence and a default it accepts", "[config]") {
    std::set<std::string> names;
    for (const Key& key : keys()) {
        DYNAMIC_SECTION(key.name) {
            CHECK(key.help.ends_with("."));
            CHECK(find_key(key.name) == &key);
            Settings settings;
            const Value value = key.print(settings);
            CHECK(key.assign(settings, value).has_value());
            CHECK(key.print(settings) == value);
            CHECK(key.assign(settings, value.text()).has_value());
            CHECK(key.print(settings) == value);
        }
        CHECK(names.insert(key.name).second);
    }
}

TEST_CASE("keys: a value out of range is refused and nothing is stored", "[config]") {
    struct Case {
        const char* key;
        const char* text;
    };
    const Case cases[] = {{"server.listen", "0.0.0.0"},
                          {"server.insecure_bind", "yes"},
                          {"server.behind_proxy", "1"},
                          {"server.connections_max", "15"},
                          {"server.connections_max", "100001"},
                          {"server.connections_max", "12 "},
                          {"server.header_timeout", "10"},
                          {"server.header_timeout", "2h"},
                          {"server.allowed_hosts", "a/b"},
                          {"storage.retention", "-1s"},
                          {"policy.profile", "Strict"},
                          {"policy.heartbeat_interval", "99ms"},
                          {"policy.heartbeat_limit", "1"},
                          {"log.level", "verbose"},
                          {"log.format", ""}};
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.key << " = " << c.text) {
            Settings settings;
            const Key& key = *find_key(c.key);
            const Value before = key.print(settings);
            const auto done = key.assign(settings, c.text);
            REQUIRE_FALSE(done.has_value());
            CHECK_FALSE(done.error().detail.empty());
            CHECK(key.print(settings) == before);
        }
    }
}

TEST_CASE("keys: lists are comma separated and print as TOML lists", "[config]") {
    Settings settings;
    const Key& key = *find_key("server.allowed_hosts");
    REQUIRE(key.assign(settings, "headway.example, proxy:8443").has_value());
    CHECK(settings.server.allowed_hosts ==
          std::vector<std::string>{"headway.example", "proxy:8443"});
    CHECK(key.print(settings).text() == "headway.example,proxy:8443");
    CHECK(toml_literal(key, settings) == R"(["headway.example", "proxy:8443"])");
    REQUIRE(key.assign(settings, "").has_value());
    CHECK(settings.server.allowed_hosts.empty());
    CHECK(toml_literal(key, settings) == "[]");
}

TEST_CASE("keys: names map to the environment", "[config]") {
    CHECK(environment_name("server.listen") == "HEADWAY_SERVER_LISTEN");
    CHECK(environment_name("policy.heartbeat_limit") == "HEADWAY_POLICY_HEARTBEAT_LIMIT");
}

TEST_CASE("keys: text is quoted as TOML wants it", "[config]") {
    Settings settings;
    settings.storage.state_dir = "a\"b\\c\n";
    CHECK(toml_literal(*find_key("storage.state_dir"), settings) == R"("a\"b\\c\u000a")");
}

TEST_CASE("keys: names of tools in TOML's form are refused where they come as words", "[config]") {
    Settings settings;
    const Key* key = find_key("approvals.require_tools");
    REQUIRE(key != nullptr);
    CHECK_FALSE(key->assign(settings, R"(["deploy"])").has_value());
    CHECK(settings.approvals.require_tools.empty());
    REQUIRE(key->assign(settings, "deploy, rm").has_value());
    CHECK(settings.approvals.require_tools == std::vector<std::string>{"deploy", "rm"});
}

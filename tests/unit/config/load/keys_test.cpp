// SPDX-License-Identifier: Apache-2.0
#include "config/load/keys.hpp"

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

TEST_CASE("keys: each key of a section sets its own member of the settings", "[config]") {
    using std::chrono::milliseconds;
    struct Case {
        const char* key;
        const char* text;
        bool (*is_set)(const Settings&);
    };
    const Case cases[] = {
        {"server.connections_max", "17",
         [](const Settings& s) { return s.server.connections_max == 17; }},
        {"server.header_timeout", "11ms",
         [](const Settings& s) { return s.server.header_timeout == milliseconds{11}; }},
        {"server.body_timeout", "12ms",
         [](const Settings& s) { return s.server.body_timeout == milliseconds{12}; }},
        {"server.idle_timeout", "13ms",
         [](const Settings& s) { return s.server.idle_timeout == milliseconds{13}; }},
        {"server.write_timeout", "14ms",
         [](const Settings& s) { return s.server.write_timeout == milliseconds{14}; }},
        {"server.drain_timeout", "15ms",
         [](const Settings& s) { return s.server.drain_timeout == milliseconds{15}; }},
        {"storage.retention", "16ms",
         [](const Settings& s) { return s.storage.retention == milliseconds{16}; }},
        {"storage.sessions_resident_max", "18",
         [](const Settings& s) { return s.storage.sessions_resident_max == 18; }},
        {"storage.sessions_resident_bytes", "19KiB",
         [](const Settings& s) { return s.storage.sessions_resident_bytes == 19U << 10; }},
        {"storage.clock_confirm", "20ms",
         [](const Settings& s) { return s.storage.clock_confirm == milliseconds{20}; }},
        {"storage.free_space_min", "21KiB",
         [](const Settings& s) { return s.storage.free_space_min == 21U << 10; }},
        {"storage.ballast", "22KiB",
         [](const Settings& s) { return s.storage.ballast == 22U << 10; }},
        {"legacy_timeouts.mode", "observe",
         [](const Settings& s) {
             return s.legacy_timeouts.mode == headway::core::LegacyMode::kObserve;
         }},
        {"legacy_timeouts.session", "23ms",
         [](const Settings& s) { return s.legacy_timeouts.session == milliseconds{23}; }},
        {"legacy_timeouts.tool", "24ms",
         [](const Settings& s) { return s.legacy_timeouts.tool == milliseconds{24}; }},
        {"legacy_timeouts.fallback", "on",
         [](const Settings& s) { return s.legacy_timeouts.fallback; }},
        {"access.mode", "token", [](const Settings& s) { return s.access.mode == "token"; }},
        {"access.local_control", "token",
         [](const Settings& s) { return s.access.local_control == "token"; }},
        {"access.login_for", "2h",
         [](const Settings& s) { return s.access.login_for == std::chrono::hours{2}; }},
        {"log.level", "warn", [](const Settings& s) { return s.log.level == "warn"; }},
        {"log.format", "json", [](const Settings& s) { return s.log.format == "json"; }},
    };
    Settings settings;
    for (const Case& c : cases) {
        CAPTURE(c.key);
        CHECK_FALSE(c.is_set(settings));
        REQUIRE(find_key(c.key)->assign(settings, c.text).has_value());
        CHECK(c.is_set(settings));
    }
    for (const Case& c : cases) {  // no key has taken back what another set
        CAPTURE(c.key);
        CHECK(c.is_set(settings));
    }
}

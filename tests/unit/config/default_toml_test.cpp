// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "config/budget_keys.hpp"
#include "config/keys.hpp"
#include "config/toml_source.hpp"

using namespace headway::config;

TEST_CASE("default.toml: the file is what the table prints", "[config]") {
    std::ifstream stream(HEADWAY_SOURCE_DIR "/config/default.toml", std::ios::binary);
    REQUIRE(stream);
    const std::string text((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    CHECK(text == default_toml());
}

TEST_CASE("default.toml: it loads without a mistake and holds every key", "[config]") {
    const FileValues file = read_toml(HEADWAY_SOURCE_DIR "/config/default.toml");
    CHECK(file.mistakes.empty());
    const Settings defaults;
    const std::vector<AgentValue> agents = agent_values(defaults);
    REQUIRE(file.values.size() == keys().size() + agents.size());
    for (const FileValue& value : file.values) {
        if (parse_agent_key(value.key)) {
            CHECK(std::any_of(agents.begin(), agents.end(), [&value](const AgentValue& agent) {
                return agent.name == value.key && agent.text == value.text;
            }));
            continue;
        }
        const Key* key = find_key(value.key);
        REQUIRE(key != nullptr);
        CHECK(value.text == key->print(defaults));
    }
}

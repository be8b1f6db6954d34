// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "config/load/keys.hpp"
#include "config/load/named_table.hpp"
#include "config/load/toml_source.hpp"

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
    for (const AnyNamedTable* const table : named_tables())
        CHECK(table->values(defaults).empty());
    REQUIRE(file.values.size() == keys().size());
    for (const FileValue& value : file.values) {
        const Key* key = find_key(value.key);
        REQUIRE(key != nullptr);
        CHECK(value.value.text() == key->print(defaults).text());
        CHECK(value.value.toml() == toml_literal(*key, defaults));
    }
}

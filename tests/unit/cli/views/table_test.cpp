// SPDX-License-Identifier: Apache-2.0
#include "cli/views/table.hpp"

#include <catch2/catch.hpp>

using namespace headway::cli;

TEST_CASE("table: columns are as wide as their widest cell", "[cli]") {
    CHECK(format_table({{"ID"}, {"GOAL"}}, {{{"a", {}}, {"x", {}}}, {{"long", {}}, {"", {}}}}, 0) ==
          "ID    GOAL\na     x\nlong\n");
}

TEST_CASE("table: the widest flexible column gives way first", "[cli]") {
    const std::string wide(40, 'w');
    const std::string table = format_table({{"FIXED"}, {"A", true}, {"B", true}},
                                           {{{"1234567890", {}}, {"short", {}}, {wide, {}}}}, 40);
    CHECK(table == "FIXED       A      B\n1234567890  short  " + std::string(20, 'w') + "…\n");
}

TEST_CASE("table: it does not shrink below what can be read", "[cli]") {
    const std::string table = format_table({{"A", true}}, {{{std::string(20, 'a'), {}}}}, 3);
    CHECK(table == "A\naaaaaaa…\n");
}

TEST_CASE("table: colour adds no width", "[cli]") {
    CHECK(format_table({{"A"}, {"B"}}, {{{"x", "\x1b[31m"}, {"y", {}}}}, 0) ==
          "A  B\n\x1b[31mx\x1b[0m  y\n");
}

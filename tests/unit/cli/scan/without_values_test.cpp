// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/without_values.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using headway::cli::without_values;

namespace {

constexpr std::array<std::string_view, 2> kNames{"twice", "blob"};

std::string kept_of(std::string_view line) {
    std::string kept;
    return std::string(without_values(line, kNames, kept));
}

}  // namespace

TEST_CASE("without values: a named value is null, whatever is in it", "[cli]") {
    CHECK(kept_of(R"({"a":1,"twice":{"b":[1,{"c":"}],\"\\"}]},"d":2})") ==
          R"({"a":1,"twice":null,"d":2})");
    CHECK(kept_of(R"({"twice":"x\\","a":{"b":{"blob":[[]],"c":"twice"}}})") ==
          R"({"twice":null,"a":{"b":{"blob":null,"c":"twice"}}})");
    CHECK(kept_of(R"( { "blob" : 1e5 , "a" : true } )") == R"( { "blob" : null, "a" : true } )");
    CHECK(kept_of(R"({"a":"twice","b":[{"twice":1}]})") == R"({"a":"twice","b":[{"twice":1}]})");
}

TEST_CASE("without values: what is no JSON comes back as it is", "[cli]") {
    for (const char* line :
         {"", "{", "[]", R"({"twice")", R"({"twice":)", R"({"twice":"x)", R"({"twice":1)",
          R"({"twice":{"a":1})", R"({"twice":1,})", R"({"a":1}")", R"({twice:1})"})
        CHECK(kept_of(line) == line);
}

TEST_CASE("without values: deeper than the third level nothing is looked for", "[cli]") {
    const char* const deep = R"({"a":{"b":{"c":{"twice":1}}}})";
    CHECK(kept_of(deep) == deep);
    const std::string many(100'000, '[');
    CHECK(kept_of("{\"a\":" + many) == "{\"a\":" + many);
}

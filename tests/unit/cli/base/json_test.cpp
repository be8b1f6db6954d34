// SPDX-License-Identifier: Apache-2.0
#include "cli/base/json.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

TEST_CASE("json: text comes back as it was, members sorted by name", "[cli]") {
    for (const char* text :
         {"null", "true", "-1", "18446744073709551615", "1.0", "1e+300", "0.1", R"("a\"b\u0001ü")",
          "[]", "{}", R"([1,[2,{"a":[]}],null])", R"({"a":{"b":false},"c":"d"})"}) {
        INFO(text);
        CHECK(dump(parsed(text)) == text);
    }
    for (const char* number :
         {"12345678901234567890123", "-12345678901234567890123", "-0", "0", "-0.0", "1E5",
          "0.10000000000000001", "1.50", "123456789.123456789123456789", "1e-400"}) {
        INFO(number);
        CHECK(dump(parsed(number)) == number);
    }
    CHECK(dump(parsed(R"({"b":1,"a":2,"b":3})")) == R"({"a":2,"b":3})");
    CHECK(dump(parsed(R"({"a":[1]})"), 2) == "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST_CASE("json: what is no JSON is nothing", "[cli]") {
    for (const char* text :
         {"", "{", "nope", "[1,]", "1 2", "\"\xff\"", "{\"a\" 1}", "{\"a\":\"\\ud83d\""})
        CHECK_FALSE(Json::parse(text).has_value());
}

TEST_CASE("json: values that a parser would refuse are texts, and the others stay", "[cli]") {
    const Json half = parsed("{\"a\":\"cut \\ud83d\",\"b\":1}");
    CHECK(half.text_of("a").starts_with("cut "));
    CHECK(half["b"].count() == 1);
    CHECK(parsed(R"({"a":1e999,"b":"x"})").text_of("b") == "x");
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    for (const std::size_t depth : {Json::kDepthMax, Json::kDepthMax + 1, std::size_t{1'000'000}})
        CHECK(parsed("{\"deep\":" + nested(depth) + ",\"b\":\"x\"}").text_of("b") == "x");
}

TEST_CASE("json: values convert, and braces are an object", "[cli]") {
    const Json value = {{"text", "a"},
                        {"view", std::string_view("b")},
                        {"yes", true},
                        {"negative", -3},
                        {"count", std::size_t{7}},
                        {"real", 0.5},
                        {"nothing", nullptr},
                        {"zero", 0},
                        {"list", Json::array({1, "x", {{"a", 1}}})},
                        {"texts", std::vector<std::string>{"p", "q"}},
                        {"nested", {{"one", 1}}}};
    CHECK(dump(value) ==
          R"({"count":7,"list":[1,"x",{"a":1}],"negative":-3,"nested":{"one":1},"nothing":null,)"
          R"("real":0.5,"text":"a","texts":["p","q"],"view":"b","yes":true,"zero":0})");
    CHECK(dump(Json::array()) == "[]");
    CHECK(dump(Json::object()) == "{}");
    CHECK(dump({{"broken", "\xff"}}) == "{\"broken\":\"\xEF\xBF\xBD\"}");
}

TEST_CASE("json: reading never fails, whatever is there", "[cli]") {
    const Json value = parsed(R"({"text":"a","list":[1,2],"flag":true,"n":-2,"big":1e300})");
    CHECK(value["none"]["below"][3].is_null());
    CHECK(value["text"][0].is_null());
    CHECK(value["list"][2].is_null());
    CHECK(value["list"].text().empty());
    CHECK(value.text_of("flag").empty());
    CHECK(value.flag_of("flag"));
    CHECK_FALSE(value.flag_of("text"));
    CHECK(value["n"].integer() == -2);
    CHECK(value["n"].count() == 0);
    CHECK(value["big"].integer() == std::numeric_limits<std::int64_t>::max());
    CHECK(value["big"].count() == std::numeric_limits<std::uint64_t>::max());
    CHECK(value["text"].number() == 0.0);
    CHECK(value.count_of("text", 9) == 9);
    CHECK(value.find("none") == nullptr);
    std::size_t elements = 0;
    for (const Json& element : value["list"])
        elements += element.is_unsigned() ? 1U : 0U;
    CHECK(elements == 2);
    CHECK(value["text"].begin() == value["text"].end());
    CHECK(value["list"].members().empty());
}

TEST_CASE("json: null and empty ones are empty, text never is", "[cli]") {
    CHECK(Json().empty());
    CHECK(Json::array().empty());
    CHECK(Json::object().empty());
    CHECK_FALSE(Json("").empty());
    CHECK(parsed("[1,2]").size() == 2);
}

TEST_CASE("json: numbers are equal by value", "[cli]") {
    CHECK(parsed("1") == 1);
    CHECK(parsed("1.0") == 1);
    CHECK(parsed("-1") == -1);
    CHECK(parsed("-1") != std::numeric_limits<std::uint64_t>::max());
    CHECK(parsed("18446744073709551615") != -1);
    CHECK(parsed("1") != "1");
    CHECK(parsed("[1]") == parsed("[1.0]"));
    CHECK(parsed("true") == true);
    CHECK(parsed("1") != true);
}

TEST_CASE("json: what is written is added", "[cli]") {
    Json value;
    value["a"]["b"] = "c";
    value["list"].push_back(1);
    value.update({{"a", 2}, {"d", nullptr}});
    value.erase("list");
    value.erase("list");
    CHECK(dump(value) == R"({"a":2,"d":null})");
}

// SPDX-License-Identifier: Apache-2.0
#include "config/values/value.hpp"

#include <catch2/catch.hpp>

using headway::config::Value;

using List = Value::List;

TEST_CASE("value: a text is a list whose items commas separate", "[config]") {
    const std::pair<const char*, List> cases[] = {
        {"", {}},
        {"a", {"a"}},
        {"a,b", {"a", "b"}},
        {" a , b\t,, ", {"a", "b"}},
        {R"(a\,b,c)", {"a,b", "c"}},
        {R"(a\\,b)", {R"(a\)", "b"}},
        {R"(a\b,c\)", {R"(a\b)", R"(c\)"}},
        {R"(\\\,)", {R"(\,)"}},
    };
    for (const auto& [text, items] : cases) {
        DYNAMIC_SECTION(text) {
            CHECK(Value(text).items() == items);
        }
    }
}

TEST_CASE("value: a list keeps its items whole", "[config]") {
    CHECK(Value(List{"a,b", R"(c\,d)", "[x]"}).items() == List{"a,b", R"(c\,d)", "[x]"});
    CHECK(Value(List{" a ", "", " "}).items() == List{"a"});
}

TEST_CASE("value: a list as text is the same list again", "[config]") {
    const List lists[] = {{},
                          {"a"},
                          {"a", "b"},
                          {"a,b", "c"},
                          {R"(a\)", "b"},
                          {R"(\,)", R"(\\)", ","},
                          {R"("q")", "it's", "a b"}};
    for (const List& list : lists) {
        const std::string text = Value(list).text();
        DYNAMIC_SECTION(text) {
            CHECK(Value(text).items() == list);
        }
    }
}

TEST_CASE("value: each kind prints as its source wrote it, and as TOML", "[config]") {
    struct Case {
        Value value;
        const char* text;
        const char* toml;
    };
    const Case cases[] = {
        {"a\"b\\c\n", "a\"b\\c\n", R"("a\"b\\c\u000a")"},
        {std::string("on"), "on", R"("on")"},
        {std::uint64_t{1'000'000'000'000}, "1000000000000", "1000000000000"},
        {-3, "-3", "-3"},
        {0.3, "0.3", "0.3"},
        {true, "on", "true"},
        {false, "off", "false"},
        {List{}, "", "[]"},
        {List{"a, b", "c"}, R"(a\, b,c)", R"(["a, b", "c"])"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            CHECK(c.value.text() == c.text);
            CHECK(c.value.toml() == c.toml);
        }
    }
    CHECK(Value("1") == Value(std::string("1")));
    CHECK_FALSE(Value("1") == Value(1));
}

// SPDX-License-Identifier: Apache-2.0
#include "api/json/readable_json.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "api/json/json_document.hpp"
#include "tests/support/gen.hpp"

// Bodies that a model can make its agent write, and the document would refuse.

using namespace headway;
using namespace headway::api;
using namespace headway::tests;

namespace {

std::string nested_lists(std::size_t depth, const std::string& inner = "") {
    return std::string(depth, '[') + inner + std::string(depth, ']');
}

}  // namespace

TEST_CASE("hook bodies: half of a surrogate pair is the text of its escape", "[api]") {
    const std::string mark = "\xEF\xB7\x90";
    CHECK(readable_json(R"({"a":"x\ud800y"})", 8) == R"({"a":"x)" + mark + R"(\\ud800y"})");
    CHECK(readable_json(R"({"a":"\uDFFF"})", 8) == R"({"a":")" + mark + R"(\\uDFFF"})");
    CHECK(readable_json(R"({"\udc00":1})", 8) == R"({")" + mark + R"(\\udc00":1})");
    CHECK(readable_json(R"(["\ud83d\ud83d\ude00"])", 8) ==
          R"([")" + mark + R"(\\ud83d\ud83d\ude00"])");
    // Not a surrogate, or not an escape.
    for (const char* whole : {R"(["\ud83d\ude00"])", R"(["\\ud800"])", R"(["\u00e9\n\"\\"])",
                              R"(["\ud7ff\ue000"])", "[\"\xEF\xBC\xA1\"]"})
        CHECK(readable_json(whole, 8) == whole);
}

TEST_CASE("hook bodies: no other body reads as one that was made readable", "[api]") {
    const std::string bodies[] = {
        R"(["\ud800"])",        R"(["\\ud800"])",           R"([1e999])",
        R"(["1e999"])",         R"(["\ufdd0\\ud800"])",     R"(["\uFDD0\ud800"])",
        R"(["\ufdd01e999"])",   R"(["\ufdd0\ufdd01e999"])", R"([["\ud800"]])",
        R"(["[\"\\ud800\"]"])", "[\"\xEF\xB7\x90[1]\"]",    R"([[1]])"};
    std::set<std::string> read;
    for (const std::string& body : bodies) {
        JsonDocument document;
        const bool whole = document.parse(body).has_value() && !has_readable_mark(body);
        read.insert(whole ? body : readable_json(body, 1));
    }
    CHECK(read.size() == std::size(bodies));
}

TEST_CASE("hook bodies: what lies too deep is the text of its JSON", "[api]") {
    CHECK(readable_json(R"({"a":{"b":{"c":"]\"}"},"d":[1, 2]}})", 2) ==
          "{\"a\":{\"b\":\"\ufdd0{\\\"c\\\":\\\"]\\\\\\\"}\\\"}\",\"d\":\"\ufdd0[1, 2]\"}}");
    JsonDocument document;
    const std::string deep = nested_lists(500, R"("\ud800")");
    REQUIRE_FALSE(document.parse(deep));
    CHECK(document.parse(readable_json(deep, 32)));
    // More values than a document takes.
    std::string many = R"({"tool_input":{"list":[0)";
    for (int i = 0; i < 250'000; ++i)
        many += ",0";
    many += "]}}";
    REQUIRE_FALSE(document.parse(many));
    CHECK(document.parse(readable_json(many, 2)));
}

TEST_CASE("hook bodies: a number that is out of range is the text of its digits", "[api]") {
    CHECK(readable_json(R"([1e400,-1e999,1e-999,12345678901234567890,0])", 8) ==
          "[\"\ufdd01e400\",\"\ufdd0-1e999\",1e-999,12345678901234567890,0]");
}

TEST_CASE("hook bodies: what is no JSON stays none, and ends", "[api]") {
    for (const char* broken :
         {"", "\"", "\"\\", "\"\\u", "\"\\ud8", "{", "}}}]", "[[[", "{\"a\":-", "[1,]"}) {
        JsonDocument document;
        CHECK_FALSE(document.parse(readable_json(broken, 1)));
    }
    Gen gen{seed()};
    constexpr std::string_view kLetters = "\"\\ud8{}[]:,1e9 c0";
    for (int round = 0; round < 20'000; ++round) {
        std::string body;
        for (std::uint64_t i = gen.below(40); i > 0; --i)
            body += kLetters[gen.below(kLetters.size())];
        const std::string readable = readable_json(body, gen.below(4));
        CHECK(readable.size() <= 3 * body.size() + 5);
        JsonDocument document;
        if (document.parse(body)) CHECK(document.parse(readable));
    }
}

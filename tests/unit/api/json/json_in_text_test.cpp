// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_in_text.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <optional>

#include "core/base/limits.hpp"

using namespace headway::api;

namespace {

constexpr std::array<std::string_view, 1> kX{"x"};

/// Compact text of what is found, or "none".
std::string found(std::string_view text) {
    JsonDocument document;
    if (!parse_last_object(text, kX, document)) return "none";
    std::string out;
    document.root().append_to(out);
    return out;
}

}  // namespace

TEST_CASE("json in text: prose, fences and other objects around it do not matter", "[api]") {
    CHECK(found(R"({"x":1})") == R"({"x":1})");
    CHECK(found("Sure!\n```json\n{\"x\": [1, {\"y\": \"}\"}]}\n```\nI hope it helps {really}") ==
          R"({"x":[1,{"y":"}"}]})");
    CHECK(found(R"({"y":1} {"x":2} {"z":3})") == R"({"x":2})");
    CHECK(found(R"(an open { and a "quote: {"x":2})") == R"({"x":2})");
    CHECK(found(R"({"result":{"x":2}})") == R"({"x":2})");
}

TEST_CASE("json in text: of several the last counts, and the outer one", "[api]") {
    CHECK(found(R"({"x":1} {"x":2})") == R"({"x":2})");
    CHECK(found(R"({"x":1,"y":{"x":2}})") == R"({"x":1,"y":{"x":2}})");
    CHECK(found(R"({"x":"{\"x\":2}"})") == R"({"x":"{\"x\":2}"})");
}

TEST_CASE("json in text: what is no JSON is not guessed at", "[api]") {
    for (const char* text : {"", "{", "x", "{'x':1}", "{\"x\":1,}", "{\"x\":1", "{\"x\":[1,2",
                             "{\"x\":1,\"x\":2}", "{\"y\":1}", "[1,2]", "{\"x", "{\"x\":0.9,\"y"}) {
        INFO(text);
        CHECK(found(text) == "none");
    }
}

TEST_CASE("json in text: a string that was cut off at the end counts as ended", "[api]") {
    CHECK(found(R"({"x":1,"y":"the agent re)") == R"({"x":1,"y":"the agent re"})");
    CHECK(found(R"({"x":1,"y":"a \"b\" c \)") == R"({"x":1,"y":"a \"b\" c "})");
    CHECK(found(R"({"x":1,"y":"a \u20)") == R"({"x":1,"y":"a "})");
    CHECK(found(R"({"x":1,"y":["a)") == "none");  // a list would lose its end
}

TEST_CASE("json in text: thoughts are left out", "[api]") {
    CHECK(without_thoughts("<think>{\"x\":1}</think> {\"x\":2} ") == R"({"x":2})");
    CHECK(without_thoughts("the template began the thought</think>B") == "B");
    CHECK(without_thoughts("B <think> and it never ends") == "B");
    CHECK(without_thoughts("<thinking>a</thinking>B") == "B");
    CHECK(without_thoughts("B") == "B");
}

TEST_CASE("json in text: a flood of braces is given up", "[api]") {
    CHECK(found(std::string(10'000, '{') + R"({"x":1})") == "none");
    CHECK(found(std::string(headway::core::limits::kJudgeObjectsMax - 1, '{') + R"({"x":1})") ==
          R"({"x":1})");
}

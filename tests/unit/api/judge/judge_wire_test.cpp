// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_wire.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/names.hpp"

using namespace headway::api;
using headway::core::ErrorCode;
using headway::tests::code_of;

TEST_CASE("judge wire: a request is two messages, streamed, with usage", "[api]") {
    const auto body = nlohmann::json::parse(
        encode_chat_request({"small", "You \"judge\".", "line\nline", 100, 0.1}));
    CHECK(body == nlohmann::json::parse(R"({
        "model": "small",
        "messages": [{"role": "system", "content": "You \"judge\"."},
                     {"role": "user", "content": "line\nline"}],
        "max_tokens": 100, "temperature": 0.1,
        "stream": true, "stream_options": {"include_usage": true}})"));
}

TEST_CASE("judge wire: what one object of a reply says", "[api]") {
    struct Case {
        std::string name;
        std::string json;
        std::string text;
        bool finished = false;
        std::string error;
    };
    const std::vector<Case> cases{
        {"a chunk", R"({"choices":[{"delta":{"content":"A: "},"finish_reason":null}]})",
         "A: ", false, ""},
        {"the last chunk", R"({"choices":[{"delta":{},"finish_reason":"stop"}]})", "", true, ""},
        {"a role only", R"({"choices":[{"delta":{"role":"assistant","content":null}}]})", "", false,
         ""},
        {"thoughts are no answer", R"({"choices":[{"delta":{"reasoning_content":"hm"}}]})", "",
         false, ""},
        {"whole", R"({"choices":[{"message":{"content":"B"},"finish_reason":"stop"}]})", "B", true,
         ""},
        {"the first of two",
         R"({"choices":[{"message":{"content":"B"}},{"message":{"content":"C"}}]})", "B", false,
         ""},
        {"odd members", R"({"choices":[7],"usage":"much","model":3,"x":[{}]})", "", false, ""},
        {"an error", R"({"error":{"message":"no such model","code":404}})", "", false,
         "no such model"},
        {"an error in a word", R"({"error":"overloaded"})", "", false, "overloaded"},
        {"an error without words", R"({"error":{"code":7}})", "", false, R"({"code":7})"},
        {"an error of a web framework", R"({"detail":"Not Found"})", "", false, "Not Found"},
    };
    JsonDocument document;
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            const auto part = decode_chat_part(document, c.json);
            REQUIRE(part.has_value());
            CHECK(part->text == c.text);
            CHECK(part->finished == c.finished);
            CHECK(part->error.value_or("") == c.error);
        }
    }
}

TEST_CASE("judge wire: usage is believed within reason", "[api]") {
    JsonDocument document;
    const auto part =
        decode_chat_part(document, R"({"model":"m","choices":[],"usage":{"prompt_tokens":12,
               "completion_tokens":18446744073709551615,"total_tokens":-1}})");
    REQUIRE(part.has_value());
    CHECK_FALSE(part->choice);
    CHECK(part->model == "m");
    CHECK(part->usage == ChatUsage{12, 10'000'000});
}

TEST_CASE("judge wire: what is no object is refused", "[api]") {
    JsonDocument document;
    CHECK(code_of(decode_chat_part(document, "[1]")) == ErrorCode::kInvalidField);
    CHECK(code_of(decode_chat_part(document, "{\"choices\":")) == ErrorCode::kInvalidJson);
    CHECK(code_of(decode_chat_part(document, "")) == ErrorCode::kInvalidJson);
}

// SPDX-License-Identifier: Apache-2.0
#include "api/admin/tokens.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;

namespace {

Result<DecodedToken> decoded(std::string_view body) {
    JsonDocument document;
    return decode_token(document, body);
}

std::string body_with(const std::string& member) {
    return R"({"name":"ci","scopes":["read"],)" + member + "}";
}

}  // namespace

TEST_CASE("tokens: a body says name, scopes and how long", "[api]") {
    const auto token =
        decoded(R"({"name":"ci","scopes":["report:ci-","read"],"expires_in":"12h"})");
    require_ok(token);
    CHECK(token->name == "ci");
    CHECK(token->grants.scopes() == std::vector<std::string>{"report:ci-", "read"});
    CHECK(token->expires_in == Millis{12 * 3'600'000});
    CHECK_FALSE(decoded(R"({"name":"ci","scopes":["read"]})")->expires_in.has_value());
}

TEST_CASE("tokens: how long, in its forms", "[api]") {
    const std::pair<const char*, std::int64_t> cases[] = {{"\"1s\"", 1},
                                                          {"\"90s\"", 90},
                                                          {"\"15m\"", 900},
                                                          {"\"30d\"", 2'592'000},
                                                          {"\"3650d\"", 315'360'000},
                                                          {"1", 1},
                                                          {"3600", 3'600}};
    for (const auto& [text, seconds] : cases) {
        INFO(text);
        const auto token = decoded(body_with(std::string{"\"expires_in\":"} + text));
        require_ok(token);
        CHECK(token->expires_in == std::chrono::seconds{seconds});
    }
    for (const char* text :
         {"0", "-1", "1.5", "\"\"", "\"0s\"", "\"12\"", "\"12H\"", "\"h\"", "\"-1h\"", "\"3651d\"",
          "\"1h30m\"", "\"99999999999999999999s\"", "true", "{}", "315360001"}) {
        INFO(text);
        const auto token = decoded(body_with(std::string{"\"expires_in\":"} + text));
        CHECK(code_of(token) == ErrorCode::kInvalidField);
        CHECK(token.error().field == "/expires_in");
    }
}

TEST_CASE("tokens: every mistake is named by its pointer", "[api]") {
    struct Case {
        std::string body;
        ErrorCode code;
        const char* field;
    };
    const Case cases[] = {
        {"", ErrorCode::kMissingField, "/name"},
        {R"({"name":"a"})", ErrorCode::kMissingField, "/scopes"},
        {R"({"name":"","scopes":["read"]})", ErrorCode::kInvalidField, "/name"},
        {R"({"name":"a\nb","scopes":["read"]})", ErrorCode::kInvalidField, "/name"},
        {R"({"name":"operator","scopes":["read"]})", ErrorCode::kInvalidField, "/name"},
        {R"({"name":")" + std::string(129, 'x') + R"(","scopes":["read"]})",
         ErrorCode::kInvalidField, "/name"},
        {R"({"name":"a","scopes":[]})", ErrorCode::kInvalidField, "/scopes"},
        {R"({"name":"a","scopes":"read"})", ErrorCode::kInvalidField, "/scopes"},
        {R"({"name":"a","scopes":["read",7]})", ErrorCode::kInvalidField, "/scopes/1"},
        {R"({"name":"a","scopes":["read","all"]})", ErrorCode::kInvalidField, "/scopes/1"},
        {R"({"name":"a","scopes":["report:","admin"]})", ErrorCode::kInvalidField, "/scopes"},
        {R"({"name":"a","scopes":["read"],"id":"x"})", ErrorCode::kUnknownField, "/id"},
        {"[]", ErrorCode::kInvalidField, ""},
        {"{", ErrorCode::kInvalidJson, ""},
    };
    for (const Case& c : cases) {
        INFO(c.body);
        const auto token = decoded(c.body);
        CHECK(code_of(token) == c.code);
        if (*c.field != '\0') CHECK(token.error().field == c.field);
    }
}

TEST_CASE("tokens: the document shows the secret only when it is given one, and never the hash",
          "[api]") {
    TokenRecord token;
    token.id = "7A";
    token.name = "ci \"x\"";
    token.grants = *Grants::parse(std::vector<std::string>{"report:ci-"});
    token.hash = "the hash";
    token.created_at = Timestamp{Millis{1'000}};
    token.expires_at = Timestamp{Millis{2'000}};
    std::string out;
    append_token(out, token, Timestamp{Millis{1'500}}, "hw_secret");
    CHECK(nlohmann::json::parse(out) == nlohmann::json::parse(R"({
        "id":"7A","name":"ci \"x\"","scopes":["report:ci-"],"active":true,
        "created_at":"1970-01-01T00:00:01.000Z","expires_at":"1970-01-01T00:00:02.000Z",
        "revoked_at":null,"last_used_at":null,"token":"hw_secret"})"));
    std::string list;
    const TokenRecord* tokens[] = {&token};
    append_tokens(list, tokens, Timestamp{Millis{2'000}});
    const auto listed = nlohmann::json::parse(list)["tokens"][0];
    CHECK_FALSE(listed.contains("token"));
    CHECK_FALSE(listed.contains("hash"));
    CHECK(listed["active"] == false);
}

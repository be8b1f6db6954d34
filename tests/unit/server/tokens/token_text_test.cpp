// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/token_text.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;

namespace {

NewToken made(const std::string& id = {}) {
    auto token = make_token(id);
    require_ok(token);
    return *token;
}

std::string hex(const std::string& bytes) {
    std::string out;
    for (const char c : bytes) {
        constexpr const char* kDigits = "0123456789abcdef";
        out.push_back(kDigits[static_cast<unsigned char>(c) >> 4U]);
        out.push_back(kDigits[static_cast<unsigned char>(c) & 15U]);
    }
    return out;
}

}  // namespace

TEST_CASE("token text: a token names its id and its hash", "[server]") {
    const NewToken token = made();
    CHECK(token.id.size() == 12);
    CHECK(token.text == "hw_" + token.id + "_" + token.text.substr(16));
    CHECK(token.text.size() == 3 + 12 + 1 + 43 + 6);
    const auto id = token_id(token.text);
    require_ok(id);
    CHECK(*id == token.id);
    CHECK(token.hash == token_hash(token.text));
    CHECK(token.hash.size() == 32);
    CHECK(*token_id(made("operator").text) == "operator");
}

TEST_CASE("token text: no two tokens are alike", "[server]") {
    std::set<std::string> ids;
    std::set<std::string> secrets;
    for (int i = 0; i < 200; ++i) {
        const NewToken token = made();
        ids.insert(token.id);
        secrets.insert(token.text.substr(16, 43));
    }
    CHECK(ids.size() == 200);
    CHECK(secrets.size() == 200);
}

TEST_CASE("token text: the checksum finds every single wrong character and every exchange",
          "[server]") {
    const std::string good = made().text;
    for (std::size_t i = 3; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = bad[i] == 'x' ? 'y' : 'x';
        INFO(i);
        CHECK(code_of(token_id(bad)) == ErrorCode::kUnauthorized);
    }
    for (std::size_t i = 16; i + 1 < good.size(); ++i) {
        std::string bad = good;
        if (bad[i] == bad[i + 1]) continue;
        std::swap(bad[i], bad[i + 1]);
        INFO(i);
        CHECK_THAT(token_id(bad).error().detail, Catch::Contains("checksum"));
    }
}

TEST_CASE("token text: other text is recognized and never quoted", "[server]") {
    const std::string good = made().text;
    for (const std::string& text :
         {std::string{}, std::string{"hw_"}, std::string{"secret-password"}, good.substr(1),
          good.substr(0, good.size() - 1), good + "A", "HW_" + good.substr(3),
          "hw__" + good.substr(16), "hw_" + std::string(33, 'a') + "_" + good.substr(16),
          "hw_a-b_" + good.substr(16), good + std::string(5'000, 'x')}) {
        INFO(text);
        const auto id = token_id(text);
        CHECK(code_of(id) == ErrorCode::kUnauthorized);
        CHECK_THAT(id.error().detail, Catch::Contains("hw_<id>"));
        CHECK_THAT(id.error().detail, !Catch::Contains("secret-password"));
    }
}

TEST_CASE("token text: hashes are SHA-256 and compared as a whole", "[server]") {
    CHECK(hex(token_hash("abc")) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(same_hash(token_hash("a"), token_hash("a")));
    CHECK_FALSE(same_hash(token_hash("a"), token_hash("b")));
    CHECK_FALSE(same_hash(token_hash("a"), token_hash("a").substr(1)));
    CHECK_FALSE(same_hash(token_hash("a"), {}));
}

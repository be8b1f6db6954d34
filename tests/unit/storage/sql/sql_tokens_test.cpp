// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

Timestamp token_time(std::int64_t ms) {
    return Timestamp{Millis{ms}};
}

TokenRecord token(const std::string& id, std::int64_t created_at) {
    TokenRecord record;
    record.id = id;
    record.name = "naïve " + id;
    record.grants = *Grants::parse(std::vector<std::string>{"report:a", "report:b:", "read"});
    record.hash = std::string("\0\x01\xff", 3) + std::string(29, 'h');
    record.created_at = token_time(created_at);
    return record;
}

std::unique_ptr<TableStore> tokens_in(const TablePlace& dir) {
    return dir.open();
}

}  // namespace

TEST_CASE("tokens: stored tokens are returned after a restart, oldest first", "[storage]") {
    const TablePlace dir;
    TokenRecord one = token("one", 2);
    one.expires_at = token_time(77);
    {
        const auto store = tokens_in(dir);
        require_ok(store->token_table().add_token(one));
        require_ok(store->token_table().add_token(token("two", 1)));
    }
    const auto tokens = tokens_in(dir)->token_table().tokens();
    require_ok(tokens);
    REQUIRE(tokens->size() == 2);
    CHECK(tokens->front().id == "two");
    const TokenRecord& back = tokens->back();
    CHECK(back.name == one.name);
    CHECK(back.grants == one.grants);
    CHECK(back.hash == one.hash);
    CHECK(back.created_at == one.created_at);
    CHECK(back.expires_at == one.expires_at);
    CHECK(back.revoked_at == kNever);
    CHECK(back.used_at == kNever);
}

TEST_CASE("tokens: revoking keeps the first time, and an unknown id is no token", "[storage]") {
    const TablePlace dir;
    const auto store = tokens_in(dir);
    require_ok(store->token_table().add_token(token("one", 1)));
    require_ok(store->token_table().add_token(token("two", 1)));
    CHECK(store->token_table().revoke_token("one", token_time(10)).value()->revoked_at ==
          token_time(10));
    CHECK(store->token_table().revoke_token("one", token_time(20)).value()->revoked_at ==
          token_time(10));
    CHECK_FALSE(store->token_table().revoke_token("none", token_time(20)).value().has_value());
    CHECK(store->token_table().tokens().value().back().revoked_at == kNever);
}

TEST_CASE("tokens: the last use never goes back", "[storage]") {
    const TablePlace dir;
    const auto store = tokens_in(dir);
    require_ok(store->token_table().add_token(token("one", 1)));
    require_ok(store->token_table().note_token_uses(
        std::vector<TokenUse>{{"one", token_time(9)}, {"none", token_time(9)}}));
    require_ok(store->token_table().note_token_uses(std::vector<TokenUse>{{"one", token_time(5)}}));
    CHECK(store->token_table().tokens().value().front().used_at == token_time(9));
}

TEST_CASE("tokens: a full table gives up dead tokens, oldest first, and no others", "[storage]") {
    const TablePlace dir;
    const auto store = tokens_in(dir);
    require_ok(store->begin());
    for (std::size_t i = 0; i < limits::kTokensMax; ++i) {
        TokenRecord one = token("t" + std::to_string(i), static_cast<std::int64_t>(i) + 1);
        if (i == 5) one.expires_at = token_time(50);
        require_ok(store->token_table().add_token(one));
    }
    require_ok(store->token_table().revoke_token("t7", token_time(60)));
    require_ok(store->token_table().add_token(token("early", 49)));
    CHECK(code_of(store->token_table().add_token(token("still early", 49))) ==
          ErrorCode::kTooManyTokens);
    require_ok(store->token_table().add_token(token("late", 50)));
    CHECK(code_of(store->token_table().add_token(token("too late", 70))) ==
          ErrorCode::kTooManyTokens);
    require_ok(store->commit());
    const auto tokens = store->token_table().tokens().value();
    CHECK(tokens.size() == limits::kTokensMax);
    for (const TokenRecord& one : tokens)
        CHECK((one.id != "t5" && one.id != "t7"));
}

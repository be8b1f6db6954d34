// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/supervised.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

namespace {

CreateTokenCommand creating(const std::string& id) {
    CreateTokenCommand command;
    command.token.id = id;
    command.token.name = "name of " + id;
    command.token.grants = *Grants::parse(std::vector<std::string>{"read"});
    command.token.hash = std::string(32, 'h');
    command.token.created_at = Timestamp{Millis{1}};
    command.secret = "the secret of " + id;
    return command;
}

BodyReply token_reply(const Result<Answer>& what) {
    require_ok(what);
    return std::get<BodyReply>(*what);
}

}  // namespace

TEST_CASE("engine tokens: a new one is published with the reply that shows it", "[server]") {
    Supervised s;
    const BodyReply reply = token_reply(s.ask(creating("a")));
    CHECK(reply.status == 201);
    CHECK(Document::parse(reply.body)["token"] == "the secret of a");
    REQUIRE(s.last.tokens.has_value());
    REQUIRE(s.last.tokens->size() == 1);
    CHECK(s.last.tokens->front().hash == std::string(32, 'h'));
    (void)s.report("x", {beat()});
    CHECK_FALSE(s.last.tokens.has_value());
}

TEST_CASE("engine tokens: a revoked one is published as such", "[server]") {
    Supervised s;
    (void)s.ask(creating("a"));
    const Document revoked = Document::parse(token_reply(s.ask(RevokeTokenCommand{"a"})).body);
    CHECK(revoked["active"] == false);
    CHECK_FALSE(revoked.contains("token"));
    REQUIRE(s.last.tokens.has_value());
    CHECK(s.last.tokens->front().revoked_at != kNever);
    CHECK(Document::parse(token_reply(s.ask(RevokeTokenCommand{"a"})).body) == revoked);
    CHECK(code_of(s.ask(RevokeTokenCommand{"b"})) == ErrorCode::kUnknownToken);
}

TEST_CASE("engine tokens: nothing of a turn that failed is published", "[server]") {
    Supervised s;
    (void)s.ask(creating("a"));
    s.store().fail(FailingStore::Step::kCommit);
    CHECK(code_of(s.ask(creating("b"))) == ErrorCode::kStorageFull);
    CHECK_FALSE(s.last.tokens.has_value());
    s.store().fail(FailingStore::Step::kNone);
    (void)s.ask(creating("c"));
    REQUIRE(s.last.tokens.has_value());
    CHECK(s.last.tokens->size() == 2);
}

TEST_CASE("engine tokens: uses are stored without a published list", "[server]") {
    Supervised s;
    (void)s.ask(creating("a"));
    (void)s.ask(UseTokensCommand{{{"a", Timestamp{Millis{77}}}}});
    CHECK_FALSE(s.last.tokens.has_value());
    s.restart();
    CHECK(s.sqlite().token_table().tokens().value().front().used_at == Timestamp{Millis{77}});
}

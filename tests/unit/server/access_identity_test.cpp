// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/limits.hpp"
#include "server/access.hpp"
#include "server/operator_token.hpp"
#include "server/token_text.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

struct Door {
    Door() { require_ok(access.adopt_operator(dir.file("operator.token"))); }

    Result<const Principal*> ask(std::string_view route, const Peer& peer,
                                 const std::string& token = {}) {
        Target target;
        target.endpoint = &endpoint_named(route);
        RequestHead head;
        header = "Bearer " + token;
        head.authorization = header;
        head.authorizations = token.empty() ? 0 : 1;
        return access.check(target, head, peer);
    }

    TempDir dir;
    Clock clock;
    Access access{clock};
    std::string header;
};

Peer over_the_socket() {
    Peer peer;
    peer.local = true;
    return peer;
}

}  // namespace

TEST_CASE("access: a client of the Unix socket is the operator", "[server]") {
    Door door;
    for (const char* mode : {"local", "token"}) {
        door.access.configure({mode, "token"});
        for (const Endpoint& row : route_table()) {
            const auto caller = door.ask(row.name, over_the_socket());
            require_ok(caller);
            CHECK((*caller)->id == kOperatorId);
        }
    }
    CHECK(code_of(door.ask("listTokens", Peer{})) == ErrorCode::kUnauthorized);
}

TEST_CASE("access: a token over the Unix socket takes precedence", "[server]") {
    Door door;
    const NewToken token = *make_token();
    TokenRecord record;
    record.id = token.id;
    record.name = "agent";
    const std::vector<std::string> scopes{"report:"};
    record.grants = *Grants::parse(scopes);
    record.hash = token.hash;
    record.expires_at = kNever;
    record.revoked_at = kNever;
    door.access.set_tokens({record});
    CHECK(code_of(door.ask("decideApproval", over_the_socket(), token.text)) ==
          ErrorCode::kForbidden);
    CHECK(code_of(door.ask("isAlive", over_the_socket(), "x")) == ErrorCode::kUnauthorized);
}

TEST_CASE("access: repeated failures are rate-limited, a valid token never is", "[server]") {
    Door door;
    const std::string right = load_operator_token(door.dir.file("operator.token"))->text;
    const Peer peer;
    for (std::uint32_t i = 0; i <= limits::kAuthFailuresFree; ++i)
        CHECK(code_of(door.ask("isAlive", peer, "x")) == ErrorCode::kUnauthorized);
    CHECK_THAT(door.access.take_alarm(), Catch::Contains("failed authentications"));
    for (int i = 0; i < 10; ++i) {
        CHECK(code_of(door.ask("isAlive", peer, "x")) == ErrorCode::kTooManyFailures);
        CHECK(door.access.pause().count() > 0);
        CHECK(door.ask("listTokens", peer, right).has_value());
        CHECK(door.ask("isAlive", peer).has_value());
    }
    CHECK(door.access.take_alarm().empty());
    CHECK(door.access.failures() == limits::kAuthFailuresFree + 11);
    CHECK(door.access.paused() == 10);
    CHECK(door.access.refused() == limits::kAuthFailuresFree + 11);
}

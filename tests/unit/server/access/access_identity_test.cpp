// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "server/access/access.hpp"
#include "server/access/operator_token.hpp"
#include "server/tokens/token_text.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

struct Door {
    Door() { require_ok(access.adopt_operator(dir.file("operator.token"))); }

    Result<const Principal*> ask(std::string_view route, const Peer& peer,
                                 const std::string& token = {}, const std::string& session = {}) {
        Target target;
        target.endpoint = &endpoint_named(route);
        target.session = session;
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

Peer over_the_report_socket() {
    Peer peer;
    peer.reports = true;
    peer.uid = 1000;
    return peer;
}

/// Rights of a reporter, by the guard alone, so that a new row of the table cannot be forgotten.
bool open_to_reporters(const Endpoint& row) {
    switch (row.guard) {
        case Guard::kPublic:
        case Guard::kAnyToken:
        case Guard::kReport:
        case Guard::kRead:
            return true;
        case Guard::kOverview:
        case Guard::kControl:
        case Guard::kApprove:
        case Guard::kAdmin:
            break;
    }
    return false;
}

}  // namespace

TEST_CASE("access: who comes by the report socket only reports, in any mode, whatever it sends",
          "[server]") {
    Door door;
    const std::string operators = load_operator_token(door.dir.file("operator.token"))->text;
    for (const char* mode : {"local", "token"}) {
        door.access.configure({mode, mode == std::string{"local"} ? "open" : "token"});
        for (const Endpoint& row : route_table()) {
            for (const std::string& token : {std::string{}, operators, std::string{"nonsense"}}) {
                INFO(mode << " " << row.name << " with \"" << token << '"');
                const auto caller = door.ask(row.name, over_the_report_socket(), token,
                                             row.names_session() ? "a" : "");
                if (!open_to_reporters(row)) {
                    CHECK(code_of(caller) == ErrorCode::kForbidden);
                    CHECK_THAT(caller.error().detail, Catch::Contains("the report socket only"));
                    continue;
                }
                require_ok(caller);
                CHECK((*caller)->only_reports);
                CHECK_FALSE((*caller)->anonymous());
            }
        }
    }
    CHECK(door.access.failures() == 0);
}

TEST_CASE("access: a login does not lift the rights of the report socket", "[server]") {
    Door door;
    const auto login = door.access.log_in(door.access.make_login_code()->code);
    require_ok(login);
    for (const char* route : {"listTokens", "decideApproval", "cancelSession", "getOverview"}) {
        Target target;
        target.endpoint = &endpoint_named(route);
        RequestHead head;
        head.login = login->secret;
        CHECK(door.access.check(target, head, Peer{}).has_value());
        CHECK(code_of(door.access.check(target, head, over_the_report_socket())) ==
              ErrorCode::kForbidden);
    }
}

TEST_CASE("access: a reporter reports for and reads each session, and nothing about all",
          "[server]") {
    Door door;
    const auto caller = door.ask("reportEvents", over_the_report_socket(), {}, "a");
    require_ok(caller);
    const Principal& reporter = **caller;
    CHECK(require_report(reporter, "any").has_value());
    CHECK(require_read(reporter, "any").has_value());
    CHECK(code_of(require_read(reporter, {})) == ErrorCode::kForbidden);
    CHECK_FALSE(door.access.is_operator(reporter.id));
    CHECK_FALSE(door.access.may_control(reporter, RequestHead{}));
    for (const Guard guard : {Guard::kOverview, Guard::kControl, Guard::kApprove, Guard::kAdmin})
        CHECK_FALSE(door.access.may(reporter, RequestHead{}, guard));
    CHECK(door.access.counts(door.access.stays_as(reporter, RequestHead{})));
    CHECK(own_key(reporter, "k") == "\x1ftoken/report.sock/k");
    CHECK(signed_by(reporter, "ana") == "ana (report.sock)");
}

TEST_CASE("access: a refusal on the report socket is logged with its user, once an hour",
          "[server]") {
    Door door;
    CHECK_FALSE(door.ask("listTokens", over_the_report_socket()).has_value());
    CHECK_THAT(door.access.take_alarm(),
               Catch::Contains("the report socket (uid 1000)") && Catch::Contains("listTokens"));
    CHECK_FALSE(door.ask("listTokens", over_the_report_socket()).has_value());
    CHECK(door.access.take_alarm().empty());
    CHECK(door.access.refused() == 2);
}

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

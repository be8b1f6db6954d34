// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/endpoint.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

TEST_CASE("routes: known paths match", "[server]") {
    struct Case {
        Method method;
        const char* target;
        const char* name;
        const char* session;
    };
    const Case cases[] = {
        {Method::kPost, "/v1/sessions/a/events", "reportEvents", "a"},
        {Method::kPost, "/v1/sessions/a/heartbeat", "reportHeartbeat", "a"},
        {Method::kPost, "/v1/sessions/a/end", "endSession", "a"},
        {Method::kPost, "/v1/sessions/a/cancel", "cancelSession", "a"},
        {Method::kPost, "/v1/sessions/a/budget", "changeBudget", "a"},
        {Method::kGet, "/v1/sessions/a/budget", "getBudget", "a"},
        {Method::kGet, "/v1/analytics/budgets", "budgetAnalytics", ""},
        {Method::kGet, "/v1/analytics/estimates", "estimateAnalytics", ""},
        {Method::kGet, "/v1/analytics/expectations", "getExpectations", ""},
        {Method::kPost, "/v1/sessions", "openSession", ""},
        {Method::kPut, "/v1/sessions/a", "openNamedSession", "a"},
        {Method::kGet, "/v1/sessions/a", "getSession", "a"},
        {Method::kGet, "/v1/sessions", "listSessions", ""},
        {Method::kGet, "/v1/sessions/a/events", "listEvents", "a"},
        {Method::kGet, "/v1/sessions/a/wait", "waitForSession", "a"},
        {Method::kGet, "/v1/sessions/a/stream", "streamSession", "a"},
        {Method::kGet, "/v1/wait", "waitForSessions", ""},
        {Method::kGet, "/v1/stream", "streamAll", ""},
        {Method::kGet, "/progress/a", "getProgress", "a"},
        {Method::kGet, "/progress/a/stream", "streamProgress", "a"},
        {Method::kGet, "/progress/stream", "getProgress", "stream"},
        {Method::kGet, "/api/autonomous/progress/a", "getProgressAlias", "a"},
        {Method::kGet, "/api/autonomous/progress/a/stream", "streamProgressAlias", "a"},
        {Method::kGet, "/api/chat/autonomous/status", "getChatStatus", ""},
        {Method::kGet, "/v1/tokens", "listTokens", ""},
        {Method::kPost, "/v1/tokens", "createToken", ""},
        {Method::kDelete, "/v1/tokens/7A", "revokeToken", "7A"},
        {Method::kPost, "/v1/tokens/operator/rotate", "rotateOperator", ""},
        {Method::kGet, "/livez", "isAlive", ""},
        {Method::kGet, "/readyz", "isReady", ""},
        {Method::kGet, "/metrics", "getMetrics", ""},
        {Method::kGet, "/v1/version", "getVersion", ""},
        {Method::kGet, "/v1/overview", "getOverview", ""},
        {Method::kGet, "/v1/digest", "getDigest", ""},
        {Method::kPost, "/v1/login-codes", "createLoginCode", ""},
        {Method::kGet, "/login", "login", ""},
        {Method::kPost, "/v1/logout", "logout", ""},
        {Method::kGet, "/v1/me", "whoAmI", ""},
        {Method::kGet, "/v1/system", "getSystem", ""},
        {Method::kPost, "/v1/backup", "makeBackup", ""},
        {Method::kGet, "/v1/webhooks", "listWebhooks", ""},
        {Method::kGet, "/v1/webhooks/ops/deliveries", "listDeliveries", "ops"},
        {Method::kPost, "/v1/webhooks/ops/replay", "replayWebhook", "ops"},
        {Method::kPost, "/v1/webhooks/ops/test", "testWebhook", "ops"},
        {Method::kGet, "/", "getDashboard", ""},
        {Method::kGet, "/assets/0a1b/app.js", "getAsset", ""},
        {Method::kGet, "/docs", "getDocs", ""},
        {Method::kGet, "/docs/agents", "getDocsPage", ""},
        {Method::kGet, "/openapi.json", "getOpenApi", ""},
        {Method::kPost, "/v1/sessions/a/approvals", "askApproval", "a"},
        {Method::kGet, "/v1/approvals", "listApprovals", ""},
        {Method::kGet, "/v1/approvals/a.a3.a17", "getApproval", "a.a3"},
        {Method::kPost, "/v1/approvals/a.a1/decision", "decideApproval", "a"},
        {Method::kPost, "/v1/approvals/a.a1/redeem", "redeemApproval", "a"},
        {Method::kPost, "/v1/approvals/a%3Ab%2Ea1/revoke", "revokeGrant", "a:b"},
        {Method::kPost, "/v1/sessions/a/approve-agent", "approveAgent", "a"},
        {Method::kPost, "/v1/chat/a/approve-agent", "approveAgentInChat", "a"},
        {Method::kHead, "/v1/sessions/a", "getSession", "a"},
        {Method::kGet, "/v1/sessions/events", "getSession", "events"},
        {Method::kGet, "/v1/sessions/a%3Ab", "getSession", "a:b"},
        {Method::kGet, "/v1/sessions/%41%2e", "getSession", "A."},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(static_cast<int>(c.method) << " " << c.target) {
            const auto found = match(c.method, c.target);
            require_ok(found);
            CHECK(found->endpoint->name == c.name);
            CHECK(found->session == c.session);
            CHECK(found->query.empty());
        }
    }
}

TEST_CASE("routes: other paths do not", "[server]") {
    const std::pair<const char*, ErrorCode> cases[] = {
        {"/v2/sessions", ErrorCode::kUnknownRoute},
        {"/v1/sessions/a/b/events", ErrorCode::kUnknownRoute},
        {"/v1/sessions/a/", ErrorCode::kUnknownRoute},
        {"/v1/Sessions", ErrorCode::kUnknownRoute},
        {"//", ErrorCode::kUnknownRoute},
        {"/livez/", ErrorCode::kUnknownRoute},
        {"/docs/agents/", ErrorCode::kUnknownRoute},
        {"", ErrorCode::kUnknownRoute},
        {"/v1/sessions/", ErrorCode::kInvalidId},
        {"/v1/sessions//events", ErrorCode::kInvalidId},
        {"/v1/sessions/a%2Fb", ErrorCode::kInvalidId},
        {"/v1/sessions/a%00", ErrorCode::kInvalidId},
        {"/v1/sessions/a%", ErrorCode::kInvalidId},
        {"/v1/sessions/a%4", ErrorCode::kInvalidId},
        {"/v1/sessions/a%zz", ErrorCode::kInvalidId},
        {"/v1/sessions/a+b", ErrorCode::kInvalidId},
        {"/v1/sessions/..%2fx", ErrorCode::kInvalidId},
    };
    for (const auto& [target, code] : cases) {
        DYNAMIC_SECTION("GET " << target) {
            CHECK(code_of(match(Method::kGet, target)) == code);
        }
    }
    const std::string long_id = "/v1/sessions/" + std::string(129, 'x');
    CHECK(code_of(match(Method::kGet, long_id)) == ErrorCode::kInvalidId);
}

TEST_CASE("routes: the error for another method lists the allowed ones", "[server]") {
    struct Case {
        Method method;
        const char* target;
        const char* allowed;
    };
    const Case cases[] = {
        {Method::kDelete, "/v1/sessions", "POST, GET, HEAD"},
        {Method::kPost, "/v1/sessions/a", "PUT, GET, HEAD, DELETE"},
        {Method::kPut, "/v1/sessions/a/events", "POST, GET, HEAD"},
        {Method::kGet, "/v1/sessions/a/end", "POST"},
        {Method::kHead, "/v1/sessions/a/end", "POST"},
        {Method::kOptions, "/livez", "GET, HEAD"},
        {Method::kOther, "/", "GET, HEAD"},
        {Method::kPatch, "/progress/a", "GET, HEAD"},
        {Method::kHead, "/v1/stream", "GET"},
        {Method::kHead, "/v1/sessions/a/stream", "GET"},
        {Method::kHead, "/progress/a/stream", "GET"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(static_cast<int>(c.method) << " " << c.target) {
            const auto found = match(c.method, c.target);
            CHECK(code_of(found) == ErrorCode::kMethodNotAllowed);
            CHECK(found.error().field == c.allowed);
        }
    }
}

TEST_CASE("routes: the query is passed on unchanged", "[server]") {
    CHECK(match(Method::kGet, "/v1/sessions?open=true&limit=%31").value().query ==
          "open=true&limit=%31");
    CHECK(match(Method::kGet, "/v1/sessions?").value().query.empty());
    CHECK(match(Method::kGet, "/v1/sessions/a?x=/y?z").value().query == "x=/y?z");
}

TEST_CASE("routes: an approval's id is a session's with a number", "[server]") {
    CHECK(match(Method::kGet, "/v1/approvals/a.a17").value().approval == 17);
    for (const char* bad : {"a", "a.a", "a.a0", "a.a01", ".a1", "a.a1x", "%20.a1", "a.a%31%00"}) {
        INFO(bad);
        CHECK(code_of(match(Method::kGet, std::string{"/v1/approvals/"} + bad)) ==
              ErrorCode::kInvalidId);
    }
    CHECK(code_of(match(Method::kGet, "/v1/approvals/a.a1/decision")) ==
          ErrorCode::kMethodNotAllowed);
}

TEST_CASE("routes: only writing routes take bodies, only reports take lines", "[server]") {
    constexpr std::string_view kSaysNothing[] = {"rotateOperator", "createLoginCode", "logout",
                                                 "testWebhook"};
    for (const Endpoint& row : route_table()) {
        INFO(row.name);
        const bool posts = row.method == Method::kPost || row.method == Method::kPut;
        const bool empty = std::find(std::begin(kSaysNothing), std::end(kSaysNothing), row.name) !=
                           std::end(kSaysNothing);
        CHECK(row.body.read == (posts && !empty));
        CHECK(row.body.lines == (row.name == "reportEvents"));
        CHECK((row.body.bytes_max > 0) == posts);
        if (empty) CHECK(row.body.bytes_max == 2);  // {}
        const bool changes_nothing =
            row.name == "createLoginCode" || row.name == "logIn" || row.name == "logout";
        const bool pings = row.metric == "ping";  // as elsewhere, a GET is enough
        CHECK((row.effect == Effect::kReads) ==
              ((changes_nothing || row.method == Method::kGet) && !pings));
        CHECK((row.reply == ReplyKind::kStream) == row.path.ends_with("stream"));
    }
    CHECK(endpoint_named("reportEvents").body.bytes_max == limits::kReportBodyBytesMax);
    CHECK(endpoint_named("endSession").body.bytes_max == limits::kControlBodyBytesMax);
}

TEST_CASE("routes: the table as a document has one object for each row", "[server]") {
    const std::string document = route_table_document();
    std::size_t names = 0;
    for (std::size_t at = document.find("\"name\":"); at != std::string::npos;
         at = document.find("\"name\":", at + 1))
        ++names;
    CHECK(names == route_table().size());
    CHECK_THAT(document,
               Catch::Contains("{\"method\":\"GET\",\"path\":\"/livez\",\"name\":\"isAlive\""));
}

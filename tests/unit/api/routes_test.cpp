// SPDX-License-Identifier: Apache-2.0
#include "api/routes.hpp"

#include <catch2/catch.hpp>

#include "core/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

TEST_CASE("routes: what is served", "[api]") {
    struct Case {
        Method method;
        const char* target;
        Route route;
        const char* session;
    };
    const Case cases[] = {
        {Method::kPost, "/v1/sessions/a/events", Route::kReport, "a"},
        {Method::kPost, "/v1/sessions/a/heartbeat", Route::kHeartbeat, "a"},
        {Method::kPost, "/v1/sessions/a/end", Route::kEnd, "a"},
        {Method::kPost, "/v1/sessions/a/cancel", Route::kCancel, "a"},
        {Method::kPost, "/v1/sessions/a/budget", Route::kBudgetChange, "a"},
        {Method::kGet, "/v1/sessions/a/budget", Route::kBudget, "a"},
        {Method::kGet, "/v1/analytics/budgets", Route::kBudgetAnalytics, ""},
        {Method::kGet, "/v1/analytics/estimates", Route::kEstimates, ""},
        {Method::kPost, "/v1/sessions", Route::kOpen, ""},
        {Method::kPut, "/v1/sessions/a", Route::kOpenNamed, "a"},
        {Method::kGet, "/v1/sessions/a", Route::kSession, "a"},
        {Method::kGet, "/v1/sessions", Route::kSessions, ""},
        {Method::kGet, "/v1/sessions/a/events", Route::kJournal, "a"},
        {Method::kGet, "/v1/sessions/a/wait", Route::kWait, "a"},
        {Method::kGet, "/v1/sessions/a/stream", Route::kStream, "a"},
        {Method::kGet, "/v1/wait", Route::kWaitSeveral, ""},
        {Method::kGet, "/v1/stream", Route::kStreamAll, ""},
        {Method::kGet, "/progress/a", Route::kProgress, "a"},
        {Method::kGet, "/progress/a/stream", Route::kProgressStream, "a"},
        {Method::kGet, "/progress/stream", Route::kProgress, "stream"},
        {Method::kGet, "/api/autonomous/progress/a", Route::kProgress, "a"},
        {Method::kGet, "/api/autonomous/progress/a/stream", Route::kProgressStream, "a"},
        {Method::kGet, "/api/chat/autonomous/status", Route::kChatStatus, ""},
        {Method::kGet, "/v1/tokens", Route::kTokens, ""},
        {Method::kPost, "/v1/tokens", Route::kTokenCreate, ""},
        {Method::kDelete, "/v1/tokens/7A", Route::kTokenRevoke, "7A"},
        {Method::kPost, "/v1/tokens/operator/rotate", Route::kOperatorRotate, ""},
        {Method::kGet, "/livez", Route::kLive, ""},
        {Method::kGet, "/readyz", Route::kReady, ""},
        {Method::kGet, "/metrics", Route::kMetrics, ""},
        {Method::kGet, "/v1/version", Route::kVersion, ""},
        {Method::kGet, "/v1/overview", Route::kOverview, ""},
        {Method::kPost, "/v1/login-codes", Route::kLoginCode, ""},
        {Method::kGet, "/login", Route::kLogin, ""},
        {Method::kPost, "/v1/logout", Route::kLogout, ""},
        {Method::kGet, "/v1/me", Route::kMe, ""},
        {Method::kGet, "/v1/system", Route::kSystem, ""},
        {Method::kPost, "/v1/backup", Route::kBackup, ""},
        {Method::kGet, "/v1/webhooks", Route::kWebhooks, ""},
        {Method::kGet, "/v1/webhooks/ops/deliveries", Route::kWebhookDeliveries, "ops"},
        {Method::kPost, "/v1/webhooks/ops/replay", Route::kWebhookReplay, "ops"},
        {Method::kPost, "/v1/webhooks/ops/test", Route::kWebhookTest, "ops"},
        {Method::kGet, "/", Route::kPage, ""},
        {Method::kGet, "/assets/0a1b/app.js", Route::kAsset, ""},
        {Method::kGet, "/docs", Route::kDocs, ""},
        {Method::kGet, "/openapi.json", Route::kOpenApi, ""},
        {Method::kPost, "/v1/sessions/a/approvals", Route::kAsk, "a"},
        {Method::kGet, "/v1/approvals", Route::kApprovals, ""},
        {Method::kGet, "/v1/approvals/a.a3.a17", Route::kApproval, "a.a3"},
        {Method::kPost, "/v1/approvals/a.a1/decision", Route::kDecide, "a"},
        {Method::kPost, "/v1/approvals/a.a1/redeem", Route::kRedeem, "a"},
        {Method::kPost, "/v1/approvals/a%3Ab%2Ea1/revoke", Route::kRevoke, "a:b"},
        {Method::kPost, "/v1/sessions/a/approve-agent", Route::kApproveAgent, "a"},
        {Method::kPost, "/v1/chat/a/approve-agent", Route::kApproveAgent, "a"},
        {Method::kHead, "/v1/sessions/a", Route::kSession, "a"},
        {Method::kGet, "/v1/sessions/events", Route::kSession, "events"},
        {Method::kGet, "/v1/sessions/a%3Ab", Route::kSession, "a:b"},
        {Method::kGet, "/v1/sessions/%41%2e", Route::kSession, "A."},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(static_cast<int>(c.method) << " " << c.target) {
            const auto found = match(c.method, c.target);
            require_ok(found);
            CHECK((found->route == c.route));
            CHECK(found->session == c.session);
            CHECK(found->query.empty());
        }
    }
}

TEST_CASE("routes: what is not", "[api]") {
    const std::pair<const char*, ErrorCode> cases[] = {
        {"/v2/sessions", ErrorCode::kUnknownRoute},
        {"/v1/sessions/a/b/events", ErrorCode::kUnknownRoute},
        {"/v1/sessions/a/", ErrorCode::kUnknownRoute},
        {"/v1/Sessions", ErrorCode::kUnknownRoute},
        {"//", ErrorCode::kUnknownRoute},
        {"/livez/", ErrorCode::kUnknownRoute},
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

TEST_CASE("routes: another method is told which ones there are", "[api]") {
    struct Case {
        Method method;
        const char* target;
        const char* allowed;
    };
    const Case cases[] = {
        {Method::kDelete, "/v1/sessions", "POST, GET, HEAD"},
        {Method::kPost, "/v1/sessions/a", "PUT, GET, HEAD"},
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

TEST_CASE("routes: the query is handed on as it came", "[api]") {
    CHECK(match(Method::kGet, "/v1/sessions?open=true&limit=%31").value().query ==
          "open=true&limit=%31");
    CHECK(match(Method::kGet, "/v1/sessions?").value().query.empty());
    CHECK(match(Method::kGet, "/v1/sessions/a?x=/y?z").value().query == "x=/y?z");
}

TEST_CASE("routes: an approval's id is a session's with a number", "[api]") {
    CHECK(match(Method::kGet, "/v1/approvals/a.a17").value().approval == 17);
    for (const char* bad : {"a", "a.a", "a.a0", "a.a01", ".a1", "a.a1x", "%20.a1", "a.a%31%00"}) {
        INFO(bad);
        CHECK(code_of(match(Method::kGet, std::string{"/v1/approvals/"} + bad)) ==
              ErrorCode::kInvalidId);
    }
    CHECK(code_of(match(Method::kGet, "/v1/approvals/a.a1/decision")) ==
          ErrorCode::kMethodNotAllowed);
}

TEST_CASE("routes: only writing routes take bodies, only reports take lines", "[api]") {
    for (std::size_t i = 0; i < kRouteCount; ++i) {
        const auto route = static_cast<Route>(i);
        const RouteTraits traits = traits_of(route);
        const bool approves = route == Route::kAsk || route == Route::kDecide ||
                              route == Route::kRedeem || route == Route::kRevoke ||
                              route == Route::kApproveAgent;
        const bool writes = i <= static_cast<std::size_t>(Route::kBudgetChange) ||
                            route == Route::kTokenCreate || route == Route::kCheckAsk ||
                            route == Route::kBackup || route == Route::kWebhookReplay ||
                            route == Route::kAlarmsSeen || route == Route::kLogIn || approves;
        CHECK(traits.takes_body == writes);
        CHECK(traits.ndjson == (route == Route::kReport));
        const bool says_nothing = route == Route::kOperatorRotate || route == Route::kLoginCode ||
                                  route == Route::kLogout || route == Route::kWebhookTest;
        CHECK((traits.body_bytes_max > 0) == (writes || says_nothing));
        if (says_nothing) CHECK(traits.body_bytes_max == 2);  // {}
    }
    CHECK(traits_of(Route::kReport).body_bytes_max == limits::kReportBodyBytesMax);
    CHECK(traits_of(Route::kEnd).body_bytes_max == limits::kControlBodyBytesMax);
}

TEST_CASE("routes: query parameters are decoded", "[api]") {
    constexpr std::string_view kKnown[] = {"a", "b c", "empty"};
    const auto query = Query::parse("a=x%3D%26%C3%A4+y&b+c=1&&empty=", kKnown);
    require_ok(query);
    CHECK(*query->find("a") == "x=&ä y");
    CHECK(*query->find("b c") == "1");
    CHECK(query->find("empty")->empty());
    CHECK(query->find("c") == nullptr);
    CHECK(Query::parse("empty", kKnown).value().find("empty")->empty());
    CHECK(*Query::parse("a=b=c", kKnown).value().find("a") == "b=c");
    require_ok(Query::parse("", {}));
}

TEST_CASE("routes: what a query may not be", "[api]") {
    constexpr std::string_view kKnown[] = {"a"};
    const std::pair<const char*, const char*> cases[] = {
        {"b=1", "b"},   {"a=1&a=1", "a"}, {"a=%", "a"}, {"a=%4", "a"},    {"a=%zz", "a"},
        {"a=%00", "a"}, {"A=1", "A"},     {"=1", ""},   {"%zz=1", "%zz"}, {"a=1&%61=2", "a"},
    };
    for (const auto& [text, field] : cases) {
        DYNAMIC_SECTION(text) {
            const auto query = Query::parse(text, kKnown);
            CHECK(code_of(query) == ErrorCode::kInvalidParameter);
            CHECK(query.error().field == field);
        }
    }
}

TEST_CASE("routes: durations", "[api]") {
    const std::pair<const char*, std::int64_t> good[] = {
        {"55s", 55'000}, {"500ms", 500}, {"2m", 120'000}, {"3", 3'000}, {"0", 0}, {"0ms", 0},
    };
    for (const auto& [text, ms] : good)
        CHECK(parse_duration_ms(text, "wait").value() == ms);
    for (const char* bad : {"", "s", "-1s", "1.5s", "1h", "1 s", "+1s", "1S", "1ss", "2000000000",
                            "99999999999999999999s", "0x1s"}) {
        const auto parsed = parse_duration_ms(bad, "wait");
        INFO(bad);
        CHECK(code_of(parsed) == ErrorCode::kInvalidParameter);
        CHECK(parsed.error().field == "wait");
    }
}

TEST_CASE("routes: whole numbers within bounds", "[api]") {
    CHECK(parse_number("1", "limit", 1, 200).value() == 1);
    CHECK(parse_number("200", "limit", 1, 200).value() == 200);
    CHECK(parse_number("18446744073709551615", "after", 0, UINT64_MAX).value() == UINT64_MAX);
    for (const char* bad :
         {"", "0", "201", "-1", "+1", " 1", "1 ", "1.0", "x", "0x10", "18446744073709551616"}) {
        INFO(bad);
        CHECK(code_of(parse_number(bad, "limit", 1, 200)) == ErrorCode::kInvalidParameter);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "server/access/access.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "server/access/operator_token.hpp"
#include "server/tokens/token_text.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

/// Routes without data, which are open to all, by the names of their rows.
constexpr std::string_view kOpenToAll[] = {
    "isAlive", "getDashboard", "getAsset", "getDocs", "getDocsPage",      "getOpenApi",
    "login",   "logIn",        "logout",   "whoAmI",  "showDecisionLink", "decideByLink"};

bool is_open_to_all(std::string_view route) {
    return std::find(std::begin(kOpenToAll), std::end(kOpenToAll), route) != std::end(kOpenToAll);
}

Guard guard_of(std::string_view route) {
    return endpoint_named(route).guard;
}

/// An Access with the operator's token and tokens of every kind.
struct Doorway {
    Doorway() { require_ok(access.adopt_operator(dir.file("operator.token"))); }

    std::string add(const std::vector<std::string>& scopes, Timestamp expires_at = kNever,
                    Timestamp revoked_at = kNever) {
        const NewToken token = *make_token();
        TokenRecord record;
        record.id = token.id;
        record.name = "name of " + token.id;
        record.grants = *Grants::parse(scopes);
        record.hash = token.hash;
        record.created_at = Timestamp{Millis{static_cast<std::int64_t>(records.size())}};
        record.expires_at = expires_at;
        record.revoked_at = revoked_at;
        records.push_back(record);
        access.set_tokens(records);
        return token.text;
    }

    Result<const Principal*> ask(std::string_view route, const std::string& session,
                                 const std::string& header) {
        Target target;
        target.endpoint = &endpoint_named(route);
        target.session = session;
        RequestHead head;
        head.authorization = header;
        head.authorizations = header.empty() ? 0 : 1;
        return access.check(target, head, somebody_else());
    }
    /// Rate-limited addresses are tested in access_identity_test.cpp.
    Peer somebody_else() {
        Peer peer;
        ++asked;
        for (std::size_t i = 0; i < 4; ++i)
            peer.address[i] = static_cast<std::uint8_t>(asked >> (8 * i));
        return peer;
    }
    Result<const Principal*> show(std::string_view route, const std::string& session,
                                  const std::string& token) {
        return ask(route, session, "Bearer " + token);
    }

    TempDir dir;
    Clock clock;
    Access access{clock};
    std::vector<TokenRecord> records;
    std::uint32_t asked = 0;
};

std::vector<std::string_view> routes() {
    std::vector<std::string_view> all;
    for (const Endpoint& row : route_table())
        all.push_back(row.name);
    return all;
}

}  // namespace

TEST_CASE("access: mode local asks for a token only for approvals and tokens", "[server]") {
    Doorway door;
    for (const std::string_view route : routes()) {
        INFO("route " << route);
        const Guard guard = guard_of(route);
        const auto caller = door.ask(route, "a", "");
        if (guard == Guard::kApprove || guard == Guard::kAdmin) {
            CHECK(code_of(caller) == ErrorCode::kUnauthorized);
        } else {
            require_ok(caller);
            CHECK((*caller)->anonymous());
        }
    }
    CHECK(guard_of("createToken") == Guard::kAdmin);
}

TEST_CASE("access: local_control = token closes control and nothing else", "[server]") {
    Doorway door;
    door.access.configure({"local", "token"});
    for (const std::string_view route :
         {"cancelSession", "pauseSession", "resumeSession", "nudgeSession"}) {
        const auto caller = door.ask(route, "a", "");
        CHECK(code_of(caller) == ErrorCode::kUnauthorized);
        CHECK_THAT(caller.error().detail, Catch::Contains("`control`"));
        CHECK(door.show(route, "a", door.add({"control"})).has_value());
    }
    CHECK(door.ask("reportEvents", "a", "").has_value());
    CHECK(door.ask("listSessions", "", "").has_value());
    door.access.configure({"local", "open"});
    CHECK(door.ask("cancelSession", "a", "").has_value());
}

TEST_CASE("access: mode token requires a token except for routes without data", "[server]") {
    Doorway door;
    door.access.configure({"token", "open"});
    for (const std::string_view route : routes()) {
        INFO("route " << route);
        const bool holds_none = is_open_to_all(route);
        CHECK(door.ask(route, "a", "").has_value() == holds_none);
    }
}

TEST_CASE("access: each scope opens its routes and no others, in both modes", "[server]") {
    const std::string mode = GENERATE("local", "token");
    Doorway door;
    door.access.configure({mode, "open"});
    struct Case {
        const char* scope;
        std::vector<Guard> opens;
    };
    const Case cases[] = {{"report:a", {Guard::kReport, Guard::kRead}},
                          {"report:", {Guard::kReport, Guard::kRead, Guard::kOverview}},
                          {"read", {Guard::kRead, Guard::kOverview}},
                          {"control", {Guard::kControl}},
                          {"approve", {Guard::kApprove}},
                          {"admin", {Guard::kAdmin}}};
    for (const Case& c : cases) {
        const std::string token = door.add({c.scope});
        for (const std::string_view route : routes()) {
            INFO(mode << " " << c.scope << " route " << route);
            const Guard guard = guard_of(route);
            const bool any = guard == Guard::kPublic || guard == Guard::kAnyToken;
            const bool opens =
                any || std::find(c.opens.begin(), c.opens.end(), guard) != c.opens.end();
            const auto caller = door.show(route, "abc", token);
            if (opens) {
                require_ok(caller);
                CHECK((*caller)->name == door.records.back().name);
            } else {
                CHECK(code_of(caller) == ErrorCode::kForbidden);
                CHECK_THAT(caller.error().detail, Catch::Contains("headway token create"));
            }
        }
    }
}

TEST_CASE("access: the operator may do everything", "[server]") {
    Doorway door;
    std::ifstream file{door.dir.file("operator.token")};
    std::string text;
    std::getline(file, text);
    for (const std::string_view route : routes()) {
        const auto caller = door.show(route, "a", text);
        require_ok(caller);
        CHECK((*caller)->id == kOperatorId);
    }
    const auto next = door.access.rotate_operator();
    require_ok(next);
    CHECK(code_of(door.show("isAlive", "", text)) == ErrorCode::kUnauthorized);
    CHECK(door.show("listTokens", "", *next).has_value());
}

TEST_CASE("access: a prefix matches up to its last character", "[server]") {
    Doorway door;
    const std::string token = door.add({"report:ci-", "report:x"});
    for (const char* inside : {"ci-", "ci-1", "x", "xy"})
        CHECK(door.show("reportEvents", inside, token).has_value());
    for (const char* outside : {"ci", "CI-1", "c", "ax"}) {
        INFO(outside);
        const auto caller = door.show("reportEvents", outside, token);
        CHECK(code_of(caller) == ErrorCode::kForbidden);
        CHECK_THAT(caller.error().detail, Catch::Contains(std::string{"`report:"} + outside + "`"));
        CHECK(code_of(door.show("getProgress", outside, token)) == ErrorCode::kForbidden);
    }
}

TEST_CASE("access: routes that name the session elsewhere leave the rest to their handler",
          "[server]") {
    Doorway door;
    const std::string token = door.add({"report:ci-"});
    for (const std::string_view route : {"openSession", "getChatStatus", "waitForSessions"}) {
        const auto caller = door.show(route, "", token);
        require_ok(caller);
        CHECK(require_report(**caller, "ci-1").has_value());
        CHECK(code_of(require_report(**caller, "other")) == ErrorCode::kForbidden);
        CHECK(require_read(**caller, "ci-1").has_value());
        CHECK(code_of(require_read(**caller, "other")) == ErrorCode::kForbidden);
    }
    CHECK(code_of(door.show("openSession", "", door.add({"read"}))) == ErrorCode::kForbidden);
}

TEST_CASE("access: an invalid token is refused everywhere, with the reason", "[server]") {
    Doorway door;
    const Timestamp now = door.clock.now();
    const std::string good = door.add({"read"});
    const std::string expired = door.add({"read"}, now - Millis{1});
    const std::string revoked = door.add({"read"}, kNever, now);
    const NewToken stranger = *make_token();
    std::string garbled = good;
    garbled.back() = garbled.back() == 'a' ? 'b' : 'a';
    const std::pair<std::string, const char*> cases[] = {
        {"Bearer " + expired, "has expired"},
        {"Bearer " + revoked, "was revoked"},
        {"Bearer " + stranger.text, "unknown token"},
        {"Bearer " + make_token(door.records.front().id)->text, "unknown token"},
        {"Bearer " + make_token("operator")->text, "operator's token"},
        {"Bearer " + garbled, "checksum"},
        {"Bearer", "Bearer <token>"},
        {"Bearer ", "not a token"},
        {"Bearer x", "not a token"},
        {"Basic dXNlcjpwYXNz", "Bearer <token>"},
        {good, "Bearer <token>"},
    };
    for (const auto& [header, why] : cases) {
        for (const std::string_view route : routes()) {
            const auto caller = door.ask(route, "a", header);
            CHECK(code_of(caller) == ErrorCode::kUnauthorized);
            CHECK_THAT(caller.error().detail, Catch::Contains(why));
            CHECK(caller.error().field == "Authorization");
        }
    }
    Target target;
    target.endpoint = &endpoint_named("isAlive");
    RequestHead head;
    head.authorization = "Bearer ";
    head.authorizations = 2;
    CHECK(code_of(door.access.check(target, head, door.somebody_else())) ==
          ErrorCode::kUnauthorized);
}

TEST_CASE("access: the scheme may be written in any case, with spaces behind it", "[server]") {
    Doorway door;
    const std::string token = door.add({"read"});
    CHECK(door.ask("getVersion", "", "bearer " + token).has_value());
    CHECK(door.ask("getVersion", "", "BEARER   " + token).has_value());
}

TEST_CASE("access: uses are noted once each, and survive a new list", "[server]") {
    Doorway door;
    const std::string token = door.add({"read"});
    CHECK(door.access.take_uses().empty());
    require_ok(door.show("getVersion", "", token));
    require_ok(door.show("getVersion", "", token));
    (void)door.add({"read"});
    CHECK(door.access.tokens().back()->used_at != kNever);
    const auto uses = door.access.take_uses();
    REQUIRE(uses.size() == 1);
    CHECK(uses.front().id == door.records.front().id);
    CHECK(uses.front().at != kNever);
    CHECK(door.access.take_uses().empty());
}

TEST_CASE("access: only refused requests are counted", "[server]") {
    Doorway door;
    const std::string token = door.add({"read"});
    (void)door.ask("reportEvents", "a", "");
    (void)door.show("listSessions", "", token);
    CHECK(door.access.refused() == 0);
    (void)door.ask("listTokens", "", "");
    (void)door.show("listTokens", "", token);
    (void)door.show("isAlive", "", "x");
    CHECK(door.access.refused() == 3);
}

TEST_CASE("access: tokens are listed newest first", "[server]") {
    Doorway door;
    for (int i = 0; i < 5; ++i)
        (void)door.add({"read"});
    const auto tokens = door.access.tokens();
    REQUIRE(tokens.size() == 5);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(tokens[i]->id == door.records[4 - i].id);
}

TEST_CASE("access: who signs a command", "[server]") {
    const Principal anonymous;
    const Principal ci{"7A", "ci", {}};
    CHECK(signed_by(anonymous, "ana").compare("ana") == 0);
    CHECK(signed_by(anonymous, "").empty());
    CHECK(signed_by(ci, "") == "ci");
    CHECK(signed_by(ci, "ci") == "ci");
    CHECK(signed_by(ci, "ana") == "ana (token ci)");
    CHECK(signed_by(ci, std::string(512, 'x')) == std::string(501, 'x') + " (token ci)");
}

namespace {

/// A request of a web page, with this login.
RequestHead of_page(Method method, std::string_view login = {}) {
    RequestHead head;
    head.method = method;
    head.origin = "http://127.0.0.1:7717";
    head.login = login;
    return head;
}

/// The login of a browser after it opened a login link.
std::string log_in(Access& access) {
    return access.log_in(access.make_login_code().value().code).value().secret;
}

}  // namespace

TEST_CASE("access: a web page without a login may only read", "[server]") {
    Doorway door;
    Target target;
    for (const std::string_view route : routes()) {
        INFO("route " << route);
        target.endpoint = &endpoint_named(route);
        const bool harmless = is_open_to_all(route);
        CHECK(door.access.check(target, of_page(Method::kPost)).has_value() == harmless);
        CHECK(door.access.check(target, of_page(Method::kDelete)).has_value() == harmless);
        const Guard guard = guard_of(route);
        const bool reads = guard != Guard::kApprove && guard != Guard::kAdmin;
        const bool open = harmless || (reads && guard != Guard::kReport);  // a ping is a GET
        CHECK(door.access.check(target, of_page(Method::kGet)).has_value() == open);
    }
    RequestHead fetched = of_page(Method::kPut);
    fetched.origin = {};
    fetched.fetch_site = "same-origin";
    target.endpoint = &endpoint_named("openNamedSession");
    const auto refused = door.access.check(target, fetched);
    CHECK(code_of(refused) == ErrorCode::kUnauthorized);
    CHECK(refused.error().field == "Headway-Login");
    fetched.fetch_site = {};
    CHECK(door.access.check(target, fetched).has_value());
}

TEST_CASE("access: a logged-in browser may do everything, in both modes", "[server]") {
    const std::string mode = GENERATE("local", "token");
    Doorway door;
    door.access.configure({mode, "token"});
    const std::string login = log_in(door.access);
    Target target;
    target.session = "a";
    for (const std::string_view route : routes()) {
        INFO("route " << route);
        target.endpoint = &endpoint_named(route);
        const auto caller = door.access.check(target, of_page(Method::kPost, login));
        require_ok(caller);
        CHECK((*caller)->name == "dashboard");
        CHECK_FALSE((*caller)->anonymous());
    }
}

TEST_CASE("access: an invalid login is ignored", "[server]") {
    Doorway door;
    const std::string login = log_in(door.access);
    Target target;
    target.endpoint = &endpoint_named("listTokens");
    const auto ask = [&](const std::string& shown) {
        return door.access.check(target, of_page(Method::kGet, shown)).has_value();
    };
    CHECK(ask(login));
    CHECK_FALSE(ask(login + "0"));
    CHECK_FALSE(ask("other"));
    require_ok(door.access.rotate_operator());
    CHECK_FALSE(ask(login));
    CHECK(ask(log_in(door.access)));
    target.endpoint = &endpoint_named("listSessions");
    CHECK(ask(login + "0"));  // as without a login
    CHECK(door.access.log_in("no such code").value().secret.empty());
}

TEST_CASE("access: a token takes precedence over a login", "[server]") {
    Doorway door;
    RequestHead head = of_page(Method::kGet, {});
    const std::string login = log_in(door.access);
    const std::string token = "Bearer " + door.add({"read"});
    head.login = login;
    head.authorization = token;
    head.authorizations = 1;
    Target target;
    target.endpoint = &endpoint_named("listTokens");
    CHECK(code_of(door.access.check(target, head)) == ErrorCode::kForbidden);
}

TEST_CASE("access: what a caller may do is known beforehand", "[server]") {
    Doorway door;
    const Principal anonymous{};
    RequestHead plain;
    const RequestHead page = of_page(Method::kGet);
    CHECK(door.access.may(anonymous, plain, Guard::kOverview));
    CHECK(door.access.may(anonymous, plain, Guard::kControl));
    CHECK_FALSE(door.access.may(anonymous, plain, Guard::kApprove));
    CHECK(door.access.may(anonymous, page, Guard::kOverview));
    CHECK_FALSE(door.access.may(anonymous, page, Guard::kControl));
    const Principal reader{"id", "r", *Grants::parse(std::vector<std::string>{"read"})};
    CHECK(door.access.may(reader, page, Guard::kOverview));
    CHECK_FALSE(door.access.may(reader, page, Guard::kControl));
    door.access.configure({"token", "open"});
    CHECK_FALSE(door.access.may(anonymous, plain, Guard::kOverview));
    CHECK_FALSE(door.access.may(anonymous, plain, Guard::kControl));
}

TEST_CASE("access: actions of the dashboard are signed as such", "[server]") {
    Doorway door;
    Target target;
    target.endpoint = &endpoint_named("listSessions");
    const std::string login = log_in(door.access);
    const auto caller = door.access.check(target, of_page(Method::kGet, login));
    require_ok(caller);
    CHECK(signed_by(**caller, "") == "dashboard");
    CHECK(signed_by(**caller, "ana") == "ana (dashboard)");
}

TEST_CASE("access: a stream under a login stays until that login ends", "[server]") {
    const TempDir dir;
    Clock clock{Timestamp{Millis{1'000'000'000'000}}};
    Access access{clock};
    require_ok(access.adopt_operator(dir.file("operator.token")));
    headway::config::AccessSettings settings;
    settings.login_for = Millis{60'000};
    access.configure(settings);
    Target target;
    target.endpoint = &endpoint_named("listSessions");
    const auto stay = [&](const std::string& login) {
        const RequestHead head = of_page(Method::kGet, login);
        const auto caller = access.check(target, head);
        require_ok(caller);
        return access.stays_as(**caller, head);
    };
    const std::string login = log_in(access);
    const std::string one = stay(login);
    const std::string other = stay(log_in(access));
    CHECK(one != other);
    CHECK(one.find(login) == std::string::npos);
    CHECK(access.counts(one));
    REQUIRE(access.log_out(of_page(Method::kPost, login)));
    CHECK_FALSE(access.counts(one));
    CHECK(access.counts(other));
    clock.advance_to(clock.now() + Millis{59'000});
    CHECK(access.counts(other));
    clock.advance_to(clock.now() + Millis{2'000});
    CHECK_FALSE(access.counts(other));
    CHECK(access.counts(stay("")));  // anonymous, may read
    const std::string third = stay(log_in(access));
    require_ok(access.rotate_operator());
    CHECK_FALSE(access.counts(third));
    settings.mode = "token";
    access.configure(settings);
    CHECK_FALSE(access.counts(""));
}

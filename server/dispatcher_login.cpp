#include "api/logins.hpp"
#include "server/dispatcher_call.hpp"

// Logins of browsers, and who somebody is.

namespace headway::server {

using core::Result;

/// The dashboard's pages, and who is in front of them.
Result<> Dispatcher::route_page(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kAsset:
            return asset(call);
        case api::Route::kLoginCode:
            return create_login_code(call);
        case api::Route::kLogin:
            return login(call);
        case api::Route::kLogout:
            return logout(call);
        case api::Route::kMe:
            return me(call);
        case api::Route::kDocs:
            return page(call, "docs.html");
        case api::Route::kOpenApi:
            return page(call, "openapi.json");
        default:
            return page(call, "index.html");
    }
}

Result<> Dispatcher::create_login_code(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(const LoginCode made, access_.make_login_code());
    Response response;
    response.status = 201;
    // By the name that the caller knows us by: a proxy has another than we have. The Unix socket
    // has none that a browser could use.
    const char* const scheme = call.request.peer.encrypted ? "https://" : "http://";
    const std::string base =
        call.request.peer.local ? http_.url() : scheme + std::string{call.request.head.host};
    api::append_login_code(response.body, login_url(base, made), made.expires_at);
    call.connection.respond(call.to.slot, response);
    return {};
}

/// Where a browser goes that opens the link.
Result<> Dispatcher::login(Call& call) {
    constexpr std::string_view kKnown[] = {"code"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const std::string* code = query.find("code");
    Response response;
    response.status = 303;
    response.content_type = "text/plain; charset=utf-8";
    // A HEAD is somebody who looks at links before they are opened: it must not use them up.
    const bool opens = call.request.head.method == api::Method::kGet;
    HEADWAY_TRY(const std::string cookie,
                access_.log_in(opens && code != nullptr ? *code : std::string{}));
    response.headers = cookie.empty() ? "Location: /#/login?failed=1\r\n" : "Location: /\r\n";
    response.headers += cookie;
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::logout(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    Response response;
    response.status = 204;
    response.headers = access_.forget_login();
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::me(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    const Principal& caller = *call.caller;
    const auto may = [&](api::Route route) {
        return access_.may(caller, call.request.head, route);
    };
    api::Me me;
    me.logged_in = !caller.anonymous();
    me.name = caller.name;
    me.mode = access_.mode();
    if (me.logged_in) me.scopes = caller.grants.scopes();
    me.read = may(api::Route::kSessions);
    me.control = may(api::Route::kCancel);
    me.approve = may(api::Route::kDecide);
    me.admin = may(api::Route::kTokens);
    Response response;
    api::append_me(response.body, me);
    call.connection.respond(call.to.slot, response);
    return {};
}

}  // namespace headway::server

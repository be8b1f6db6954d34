// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/logins.hpp"
#include "core/limits.hpp"
#include "core/words.hpp"
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
        case api::Route::kLogIn:
            return log_in(call);
        case api::Route::kLogout:
            return logout(call);
        case api::Route::kMe:
            return me(call);
        case api::Route::kDocs:
            return page(call, "docs.html");
        case api::Route::kOpenApi:
            return page(call, "openapi.json");
        default:
            return dashboard(call);
    }
}

/// Under one name only.
Result<> Dispatcher::dashboard(Call& call) {
    const std::string origin = own_origin(call);
    if (origin.empty()) return page(call, "index.html");
    Response response;
    response.status = 307;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = "Location: " + origin + "/\r\n";
    call.connection.respond(call.to.slot, response);
    return {};
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

/// Where a browser goes that opens the link: the page has to change the code for a login itself,
/// since only it can keep what comes of it. Nothing is used up here.
Result<> Dispatcher::login(Call& call) {
    constexpr std::string_view kKnown[] = {"code"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const std::string* code = query.find("code");
    const bool plain = code != nullptr && !code->empty() &&
                       code->size() <= core::limits::kLoginBytesMax &&
                       std::all_of(code->begin(), code->end(), core::is_word);
    Response response;
    response.status = 303;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = "Location: " + own_origin(call) + "/#/login?" +
                       (plain ? "code=" + *code : std::string{"failed=1"}) + "\r\n";
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::log_in(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(const std::string code, api::decode_login(tape_, call.request.body));
    HEADWAY_TRY(const Login made, access_.log_in(code));
    if (made.secret.empty()) {
        return core::Error{core::ErrorCode::kForbidden,
                           "the link was used already, or is older than ten minutes; `headway "
                           "dashboard` prints another",
                           "/code"};
    }
    Response response;
    api::append_login(response.body, made.secret, made.expires_at);
    call.connection.respond(call.to.slot, response);
    return {};
}

/// What is open in the name of the login ends, too.
Result<> Dispatcher::logout(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (access_.log_out(call.request.head)) cut_streams();
    Response response;
    response.status = 204;
    call.connection.respond(call.to.slot, response);
    return {};
}

/// `http://127.0.0.1:<port>` for who asked `localhost`, else nothing. That name may lead to ::1,
/// where another process can have our port; and a login counts for one origin only.
std::string Dispatcher::own_origin(const Call& call) const {
    constexpr std::string_view kName = "localhost:";
    const std::string host = core::lower(call.request.head.host);
    const std::string own = http_.url();
    const std::size_t port = own.rfind(':') + 1;
    const bool here = !call.request.peer.local && !call.request.peer.encrypted &&
                      own.starts_with("http://127.0.0.1:");
    const bool ours = host.starts_with(kName) && host.substr(kName.size()) == own.substr(port);
    return here && ours ? own : std::string{};
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/admin/logins.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"
#include "server/endpoints/people/own_origin.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Browser sessions: login codes, logins, GET /v1/me.

namespace headway::server {

using core::Result;

Result<> endpoints::create_login_code(Call& call) {
    HEADWAY_TRY(const LoginCode code, call.on.access.make_login_code());
    Response response;
    response.status = 201;
    // With the caller's Host, which may be a proxy's name. The Unix socket has no Host that a
    // browser could use.
    const char* const scheme = call.request.peer.encrypted ? "https://" : "http://";
    const std::string base =
        call.request.peer.local ? call.on.http.url() : scheme + std::string{call.request.head.host};
    api::append_login_code(response.body, login_url(base, code), code.expires_at);
    call.respond(response);
    return {};
}

/// The target of a login link. The page itself exchanges the code for a login, because only it can
/// store the result. The code is not used up here.
Result<> endpoints::open_login_link(Call& call) {
    const api::Query& query = call.query;
    const std::string* code = query.find("code");
    const bool plain = code != nullptr && !code->empty() &&
                       code->size() <= core::limits::kLoginBytesMax &&
                       std::all_of(code->begin(), code->end(), core::is_word);
    Response response;
    response.status = 303;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = "Location: " + own_origin(call) + "/#/login?" +
                       (plain ? "code=" + *code : std::string{"failed=1"}) + "\r\n";
    call.respond(response);
    return {};
}

Result<> endpoints::log_in(Call& call) {
    HEADWAY_TRY(const std::string code, api::decode_login(call.on.document, call.request.body));
    HEADWAY_TRY(const Login login, call.on.access.log_in(code));
    if (login.secret.empty()) {
        return core::Error{core::ErrorCode::kForbidden,
                           "the link was used already, or is older than ten minutes; `headway "
                           "dashboard` prints another",
                           "/code"};
    }
    Response response;
    api::append_login(response.body, login.secret, login.expires_at);
    call.respond(response);
    return {};
}

/// Also ends the streams of the login.
Result<> endpoints::log_out(Call& call) {
    if (call.on.access.log_out(call.request.head)) {
        call.on.streams.cut(
            [&](const std::string& caller) { return call.on.access.counts(caller); });
    }
    Response response;
    response.status = 204;
    call.respond(response);
    return {};
}

Result<> endpoints::who_am_i(Call& call) {
    const Principal& caller = call.caller;
    const auto may = [&](Guard guard) {
        return call.on.access.may(caller, call.request.head, guard);
    };
    api::Me me;
    me.logged_in = !caller.anonymous();
    me.name = caller.name;
    me.mode = call.on.access.mode();
    if (me.logged_in) me.scopes = caller.grants.scopes();
    me.read = may(Guard::kOverview);
    me.control = may(Guard::kControl);
    me.approve = may(Guard::kApprove);
    me.admin = may(Guard::kAdmin);
    Response response;
    api::append_me(response.body, me);
    call.respond(response);
    return {};
}

std::string own_origin(const Call& call) {
    constexpr std::string_view kName = "localhost:";
    const std::string host = core::lower(call.request.head.host);
    const std::string own = call.on.http.url();
    const std::size_t port = own.rfind(':') + 1;
    const bool here = !call.request.peer.local && !call.request.peer.encrypted &&
                      own.starts_with("http://127.0.0.1:");
    const bool ours = host.starts_with(kName) && host.substr(kName.size()) == own.substr(port);
    return here && ours ? own : std::string{};
}

}  // namespace headway::server

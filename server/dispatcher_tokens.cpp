// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/json_writer.hpp"
#include "api/tokens.hpp"
#include "core/limits.hpp"
#include "server/dispatcher_call.hpp"
#include "server/operator_token.hpp"
#include "server/token_text.hpp"

// /v1/tokens: made and revoked by the supervisor, read from what it has published.

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<> Dispatcher::create_token(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_token(tape_, call.request.body));
    HEADWAY_TRY(NewToken made, make_token());
    CreateTokenCommand command;
    command.token.id = std::move(made.id);
    command.token.name = std::move(decoded.name);
    command.token.grants = std::move(decoded.grants);
    command.token.hash = std::move(made.hash);
    command.token.created_at = clock_.now();
    if (decoded.expires_in) {
        // By the clock that its end is judged by, so that it lives as long as it was asked for.
        command.token.expires_at = clock_.earliest() + *decoded.expires_in;
    }
    command.secret = std::move(made.text);
    return submit(call, std::move(command), {}, call.request.body.size());
}

Result<> Dispatcher::tokens(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    Response response;
    api::append_tokens(response.body, access_.tokens(), clock_.earliest());
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::revoke_token(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (call.session() == kOperatorId) {
        return Error{ErrorCode::kInvalidId,
                     "the operator's token is replaced, not revoked: POST "
                     "/v1/tokens/operator/rotate",
                     "id"};
    }
    return submit(call, RevokeTokenCommand{call.session()}, {}, 0);
}

Result<> Dispatcher::rotate_operator(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (draining_) {
        return Error{ErrorCode::kDraining, "the daemon is going down; send it again", {}};
    }
    // Two syncs on this thread, on purpose: only the operator comes here, about as often as he
    // restarts us, and no request may be let in between the old token's end and the new one's
    // start.
    HEADWAY_TRY(const std::string text, access_.rotate_operator());
    warn_("the operator's token was replaced");
    // His logins went with it.
    streams_.cut([this](const std::string& caller) { return !access_.is_operator(caller); });
    Response response;
    response.status = 201;
    api::JsonWriter json{response.body};
    json.open_object();
    json.member("id", kOperatorId);
    json.member("file", access_.operator_file().string());
    json.member("token", text);
    json.close_object();
    call.connection.respond(call.to.slot, response);
    return {};
}

/// In one write for all tokens, once a minute at most.
void Dispatcher::note_token_uses(Clock::Steady::time_point now) {
    if (now - token_uses_at_ < core::limits::kTokenUseEvery) return;
    token_uses_at_ = now;
    std::vector<core::TokenUse> uses = access_.take_uses();
    if (!uses.empty()) ask({}, UseTokensCommand{std::move(uses)}, {}, 0);
}

}  // namespace headway::server

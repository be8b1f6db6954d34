// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/admin/tokens.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "server/access/operator_token.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/tokens/token_text.hpp"

// /v1/tokens: the engine creates and revokes tokens and publishes them for reads.

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<> endpoints::create_token(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_token(call.on.document, call.request.body));
    HEADWAY_TRY(NewToken token, make_token());
    CreateTokenCommand command;
    command.token.id = std::move(token.id);
    command.token.name = std::move(decoded.name);
    command.token.grants = std::move(decoded.grants);
    command.token.hash = std::move(token.hash);
    command.token.created_at = call.on.clock.now();
    if (decoded.expires_in) {
        // By the same clock as the check of expiry, so that the lifetime is exact.
        command.token.expires_at = call.on.clock.earliest() + *decoded.expires_in;
    }
    command.secret = std::move(token.text);
    return call.write(std::move(command));
}

Result<> endpoints::list_tokens(Call& call) {
    Response response;
    api::append_tokens(response.body, call.on.access.tokens(), call.on.clock.earliest());
    call.respond(response);
    return {};
}

Result<> endpoints::revoke_token(Call& call) {
    if (call.session() == kOperatorId) {
        return Error{ErrorCode::kInvalidId,
                     "the operator's token is replaced, not revoked: POST "
                     "/v1/tokens/operator/rotate",
                     "id"};
    }
    return call.write(RevokeTokenCommand{call.session()});
}

Result<> endpoints::rotate_operator(Call& call) {
    // Two syncs on this thread are deliberate: only the operator calls this route, rarely, and no
    // request may be authenticated between the end of the old token and the start of the new one.
    HEADWAY_TRY(const std::string text, call.on.access.rotate_operator());
    call.on.warn("the operator's token was replaced");
    // The logins ended with the old token.
    call.on.streams.cut(
        [&](const std::string& caller) { return !call.on.access.is_operator(caller); });
    Response response;
    response.status = 201;
    api::JsonWriter json{response.body};
    json.open_object();
    json.member("id", kOperatorId);
    json.member("file", call.on.access.operator_file().string());
    json.member("token", text);
    json.close_object();
    call.respond(response);
    return {};
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/tokens.hpp"
#include "server/supervisor_turn.hpp"

// Access tokens: stored here and published to the I/O thread, which checks them.

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<Answer> Supervisor::handle(CreateTokenCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_CHECK(store_.add_token(command.token));
    turn.tokens_changed = true;
    BodyReply reply;
    reply.status = 201;
    api::append_token(reply.body, command.token, context.now, command.secret);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::handle(RevokeTokenCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(const auto token, store_.revoke_token(command.id, context.now));
    if (!token) {
        return Error{ErrorCode::kUnknownToken,
                     "no token has this id; `headway token list` shows those there are", "id"};
    }
    turn.tokens_changed = true;
    BodyReply reply;
    api::append_token(reply.body, *token, context.now);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::handle(UseTokensCommand& command, const core::Context&, Turn&) {
    HEADWAY_CHECK(store_.note_token_uses(command.uses));
    return Answer{BodyReply{}};  // no client waits for it
}

}  // namespace headway::server

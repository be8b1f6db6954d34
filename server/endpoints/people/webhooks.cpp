// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/admin/webhooks.hpp"
#include "core/base/limits.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Requests about webhooks and their messages.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

}  // namespace

Result<> endpoints::list_webhooks(Call& call) {
    return call.read(WebhooksQuery{});
}

Result<> endpoints::list_deliveries(Call& call) {
    const api::Query& query = call.query;
    DeliveriesQuery wanted;
    wanted.endpoint = call.session();
    if (const std::string* state = query.find("state")) {
        if (*state != "pending" && *state != "dead") {
            return Error{ErrorCode::kInvalidParameter, "must be pending or dead", "state"};
        }
        wanted.dead = *state == "dead";
    }
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(wanted.limit, api::parse_number(*limit, "limit", 1, limits::kWebhookPageMax));
    }
    if (const std::string* cursor = query.find("cursor")) {
        HEADWAY_TRY(const auto after, api::parse_number(*cursor, "cursor", 1, INT64_MAX));
        wanted.after = static_cast<std::int64_t>(after);
    }
    return call.read(std::move(wanted));
}

Result<> endpoints::replay_deliveries(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_replay(call.on.document, call.request.body));
    WebhookReplayCommand command{call.session(), std::move(decoded.ids)};
    return call.write(std::move(command));
}

Result<> endpoints::test_webhook(Call& call) {
    return call.write(WebhookTestCommand{call.session()});
}

}  // namespace headway::server

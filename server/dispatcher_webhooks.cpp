// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/webhooks.hpp"
#include "core/limits.hpp"
#include "server/dispatcher_call.hpp"

// Requests about webhooks, and what became of messages to them.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

Error busy() {
    return {ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

}  // namespace

Result<> Dispatcher::route_webhooks(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kWebhookDeliveries:
            return webhook_deliveries(call);
        case api::Route::kWebhookReplay:
            return replay_webhook(call);
        case api::Route::kWebhookTest:
            return test_webhook(call);
        default:
            break;
    }
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    if (!ask(call.to, WebhooksQuery{}, {}, 0)) return busy();
    return {};
}

Result<> Dispatcher::webhook_deliveries(Call& call) {
    constexpr std::string_view kKnown[] = {"state", "limit", "cursor"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
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
    if (!ask(call.to, std::move(wanted), {}, 0)) return busy();
    return {};
}

Result<> Dispatcher::replay_webhook(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_replay(tape_, call.request.body));
    WebhookReplayCommand command{call.session(), std::move(decoded.ids)};
    return submit(call, std::move(command), {}, call.request.body.size());
}

Result<> Dispatcher::test_webhook(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    return submit(call, WebhookTestCommand{call.session()}, {}, 0);
}

void Dispatcher::webhook_done(WebhookResult result) {
    webhooks_done_.push_back(std::move(result));
    pass_webhooks();
}

/// As many as the queue has room for; the rest with the next second.
void Dispatcher::pass_webhooks() {
    std::size_t passed = 0;
    for (; passed < webhooks_done_.size(); ++passed) {
        const WebhookJob& job = webhooks_done_[passed].job;
        const ReplyTo to{job.connection, job.slot};
        if (!ask(to, WebhookDoneCommand{webhooks_done_[passed]}, {}, 0)) break;
    }
    webhooks_done_.erase(webhooks_done_.begin(),
                         webhooks_done_.begin() + static_cast<std::ptrdiff_t>(passed));
}

}  // namespace headway::server

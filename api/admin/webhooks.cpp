// SPDX-License-Identifier: Apache-2.0
#include "api/admin/webhooks.hpp"

#include "api/json/decode_fields.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

void write(JsonWriter& json, const WebhookDocument& webhook) {
    json.open_object();
    json.member("name", webhook.name);
    json.member("url", webhook.url);
    if (!webhook.format.empty()) json.member("format", webhook.format);
    json.member("state", webhook.state);
    if (!webhook.problem.empty()) json.member("problem", webhook.problem);
    json.member("events", webhook.events);
    json.member("verdicts", webhook.verdicts);
    json.member("pending", webhook.pending);
    json.member("dead", webhook.dead);
    json.member("delivered", webhook.delivered);
    json.member("failed", webhook.failed);
    json.member("died", webhook.died);
    json.member("dropped", webhook.dropped);
    json.member("last_success_at", webhook.succeeded_at);
    json.member("last_failure_at", webhook.failed_at);
    if (!webhook.failure.empty()) json.member("last_failure", webhook.failure);
    json.member("next_try_at", webhook.next_at);
    json.close_object();
}

}  // namespace

void append_webhooks(std::string& out, std::span<const WebhookDocument> webhooks) {
    JsonWriter json{out};
    json.open_object();
    json.key("webhooks");
    json.open_array();
    for (const WebhookDocument& webhook : webhooks)
        write(json, webhook);
    json.close_array();
    json.close_object();
}

void append_deliveries(std::string& out, std::span<const DeliveryDocument> deliveries, bool more) {
    JsonWriter json{out};
    json.open_object();
    json.key("deliveries");
    json.open_array();
    for (const DeliveryDocument& delivery : deliveries) {
        json.open_object();
        json.member("id", delivery.id);
        json.member("type", delivery.type);
        json.member("session", delivery.session);
        json.member("n", delivery.n);
        json.member("at", delivery.at);
        json.member("tries", delivery.tries);
        json.member("tried_at", delivery.tried_at);
        json.member("next_try_at", delivery.due_at);
        json.member("dead_at", delivery.dead_at);
        if (!delivery.reason.empty()) json.member("reason", delivery.reason);
        json.close_object();
    }
    json.close_array();
    json.key("next");
    if (more && !deliveries.empty()) {
        json.value(std::to_string(deliveries.back().cursor));
    } else {
        json.null();
    }
    json.close_object();
}

Result<DecodedReplay> decode_replay(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    ReplayBody read;
    HEADWAY_CHECK(fields::decode_object(document.root(), read));
    if (read.all == !read.ids.empty()) {
        return Error{ErrorCode::kMissingField,
                     "name the dead letters, as {\"ids\":[\"msg_...\"]}, or all of them, as "
                     "{\"all\":true}",
                     "/ids"};
    }
    if (read.ids.size() > core::limits::kWebhookReplayIdsMax) {
        return Error{ErrorCode::kInvalidField,
                     "at most " + std::to_string(core::limits::kWebhookReplayIdsMax) + " at once",
                     "/ids"};
    }
    return DecodedReplay{std::move(read.ids)};
}

}  // namespace headway::api

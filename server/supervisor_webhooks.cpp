// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/json_writer.hpp"
#include "server/supervisor_turn.hpp"

// Messages to webhooks: stored with their events, sent after the commit.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string test_document(const WebhookResult& result) {
    std::string body;
    api::JsonWriter json{body};
    json.open_object();
    json.member("webhook", result.job.endpoint);
    json.member("id", result.job.id);
    json.member("delivered", result.outcome == WebhookOutcome::kDelivered);
    json.key("status");
    if (result.status >= 200) {
        json.value(result.status);
    } else {
        json.null();
    }
    json.member("elapsed_ms", result.elapsed);
    if (!result.reason.empty()) json.member("reason", result.reason);
    json.close_object();
    return body;
}

}  // namespace

/// Loads the outbox. A full disk must not prevent the start; unwritten changes are found again at
/// the next one.
Result<> Supervisor::recover_webhooks() {
    HEADWAY_TRY(const bool changed, webhooks_.load(clock_.now()));
    if (!changed) return {};
    auto done = store_.begin();
    if (done) done = webhooks_.save_changes();
    if (done) done = store_.commit();
    if (done) return {};
    store_.rollback();
    report_(true, "webhooks: what changed of them was not written: " + done.error().detail);
    return {};
}

/// Ends the messages in flight, whether the turn commits or not.
void Supervisor::note_landed(const std::vector<Request>& requests) {
    for (const Request& request : requests) {
        if (const auto* done = std::get_if<WebhookDoneCommand>(&request.command))
            webhooks_.landed(done->result);
    }
}

Result<Answer> Supervisor::handle(WebhookDoneCommand& command, const core::Context& context,
                                  Turn&) {
    const WebhookResult& result = command.result;
    HEADWAY_CHECK(webhooks_.settle(result, context.now));
    if (result.job.row != 0) return Answer{BodyReply{}};  // no client waits for it
    if (result.outcome == WebhookOutcome::kCancelled) {
        return Error{ErrorCode::kDraining, "the daemon is going down; test again after that", {}};
    }
    BodyReply reply;
    reply.body = test_document(result);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::handle(WebhookReplayCommand& command, const core::Context& context,
                                  Turn&) {
    HEADWAY_TRY(const std::uint64_t replayed,
                webhooks_.replay(command.endpoint, command.ids, context.now));
    BodyReply reply;
    api::JsonWriter json{reply.body};
    json.open_object();
    json.member("replayed", replayed);
    json.close_object();
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const WebhooksQuery&) {
    BodyReply reply;
    api::append_webhooks(reply.body, webhooks_.documents());
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const DeliveriesQuery& query) {
    HEADWAY_TRY(auto found,
                webhooks_.deliveries(query.endpoint, query.dead, query.after, query.limit + 1));
    const bool more = found.size() > query.limit;
    if (more) found.pop_back();
    BodyReply reply;
    api::append_deliveries(reply.body, found, more);
    return Answer{std::move(reply)};
}

/// Answered by its WebhookDoneCommand, which carries the reply address.
Result<> Supervisor::start_test(const Request& request, const WebhookTestCommand& command) {
    WebhookJob job;
    job.at = clock_.now();
    job.connection = request.reply_to.connection;
    job.slot = request.reply_to.slot;
    return webhooks_.test(command.endpoint, std::move(job));
}

/// Sends due messages after their commit.
void Supervisor::send_webhooks() {
    if (lost_ || full_ || sync_failed_) return;
    if (auto sent = webhooks_.send_due(clock_.now()); !sent)
        report_(true, "webhooks cannot be read from the database: " + sent.error().detail);
}

void Supervisor::forget_webhooks() {
    if (!webhooks_.any() || !clock_steps_.trusted(clock_.reading().steady)) return;
    if (!webhooks_.has_removed(clock_.earliest())) return;
    auto done = store_.begin();
    if (done) done = webhooks_.forget_removed(clock_.earliest());
    if (done) done = store_.commit();
    if (!done) {
        store_.rollback();
        report_(true, "webhooks: old messages were not deleted: " + done.error().detail);
        note_failure(done.error());
        return;
    }
    if (auto loaded = webhooks_.load(clock_.now()); !loaded)
        report_(true, "webhooks cannot be read from the database: " + loaded.error().detail);
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/admin_commands.hpp"

#include <utility>

#include "server/engine/durability/backup_copy.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<TokenCreated> CreateTokenCommand::operator()(Transaction& transaction) {
    HEADWAY_CHECK(transaction.store().token_table().add_token(token));
    transaction.publish_tokens();
    return TokenCreated{std::move(token), std::move(secret), transaction.now()};
}

Result<TokenRevoked> RevokeTokenCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(auto token, transaction.store().token_table().revoke_token(id, transaction.now()));
    if (!token) {
        return Error{ErrorCode::kUnknownToken,
                     "no token has this id; `headway token list` shows those there are", "id"};
    }
    transaction.publish_tokens();
    return TokenRevoked{*std::move(token), transaction.now()};
}

Result<Unanswered> UseTokensCommand::operator()(Transaction& transaction) {
    HEADWAY_CHECK(transaction.store().token_table().note_token_uses(uses));
    return Unanswered{};
}

Result<WebhookList> WebhooksQuery::operator()(Reader& reader) const {
    return WebhookList{reader.webhooks().documents()};
}

Result<DeliveryList> DeliveriesQuery::operator()(Reader& reader) const {
    DeliveryList list;
    HEADWAY_TRY(list.deliveries, reader.webhooks().deliveries(endpoint, dead, after, limit + 1));
    list.more = list.deliveries.size() > limit;
    if (list.more) list.deliveries.pop_back();
    return list;
}

Result<> WebhookTestCommand::operator()(EngineContext& parts, const ReplyTo& to) const {
    WebhookJob job;
    job.at = parts.clock.now();
    job.connection = to.connection;
    job.slot = to.slot;
    return parts.webhooks.test(endpoint, std::move(job));
}

Result<DeliveriesReplayed> WebhookReplayCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(const std::uint64_t count,
                transaction.webhooks().replay(endpoint, ids, transaction.now()));
    return DeliveriesReplayed{count};
}

void WebhookDoneCommand::arrive(EngineContext& parts) const {
    parts.webhooks.landed(result);
}

void WebhookDoneCommand::wait(EngineContext& parts) const {
    parts.webhooks.hold(result);
}

Result<WebhookTried> WebhookDoneCommand::operator()(Transaction& transaction) {
    HEADWAY_CHECK(transaction.webhooks().settle(result, transaction.now()));
    if (result.job.row == 0 && result.outcome == WebhookOutcome::kCancelled)
        return Error{ErrorCode::kDraining, "the daemon is going down; test again after that", {}};
    return WebhookTried{std::move(result)};
}

Result<> BackupCommand::operator()(EngineContext& parts, const ReplyTo& to) const {
    if (parts.unavailable) {
        parts.backup.refuse(to, file,
                            {ErrorCode::kStorageUnavailable, "the journal cannot be read", {}});
    } else {
        parts.backup.start(to, file);
    }
    return {};
}

Result<> ReloadCommand::operator()(EngineContext& parts, const ReplyTo&) {
    static_cast<ReloadableSettings&>(parts.settings) = std::move(settings);
    return {};
}

}  // namespace headway::server

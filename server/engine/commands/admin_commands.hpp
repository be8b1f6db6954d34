// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/admin/webhooks.hpp"
#include "core/approvals/access.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"

// Commands on the daemon itself: tokens, webhooks, the configuration, backups.

namespace headway::server {

struct TokenCreated {
    core::TokenRecord token;
    std::string secret;  ///< the token's text
    core::Timestamp now;
};
struct CreateTokenCommand {
    core::TokenRecord token;
    std::string secret;  ///< the token's text, needed only for the reply

    core::Result<> name(Reader&, SessionNames&) const { return {}; }
    core::Result<TokenCreated> operator()(Transaction& transaction);
};

struct TokenRevoked {
    core::TokenRecord token;
    core::Timestamp now;
};
struct RevokeTokenCommand {
    std::string id;

    core::Result<> name(Reader&, SessionNames&) const { return {}; }
    core::Result<TokenRevoked> operator()(Transaction& transaction);
};

/// Stores when tokens were last used; gets no reply.
struct UseTokensCommand {
    std::vector<core::TokenUse> uses;

    core::Result<> name(Reader&, SessionNames&) const { return {}; }
    core::Result<Unanswered> operator()(Transaction& transaction);
};

/// The state of all webhooks.
struct WebhookList {
    std::vector<api::WebhookDocument> webhooks;
};
struct WebhooksQuery {
    core::Result<WebhookList> operator()(Reader& reader) const;
};

/// Undelivered messages of one webhook.
struct DeliveryList {
    std::vector<api::DeliveryDocument> deliveries;
    bool more = false;
};
struct DeliveriesQuery {
    std::string endpoint;
    bool dead = false;
    std::int64_t after = 0;
    std::size_t limit = 50;

    core::Result<DeliveryList> operator()(Reader& reader) const;
};

/// Sends a test to a webhook. The WebhookDoneCommand sends the reply when the try has ended.
struct WebhookTestCommand {
    std::string endpoint;

    core::Result<> operator()(EngineContext& parts, const ReplyTo& to) const;
};

/// The number of dead letters that are sent again.
struct DeliveriesReplayed {
    std::uint64_t count = 0;
};
/// Sends the dead letters `ids` again, or all dead letters if `ids` is empty.
struct WebhookReplayCommand {
    std::string endpoint;
    std::vector<std::string> ids;

    core::Result<> name(Reader&, SessionNames&) const { return {}; }
    core::Result<DeliveriesReplayed> operator()(Transaction& transaction);
};

/// The result of a try to send a message to a webhook. A client waits for the result only if the
/// message is a test.
struct WebhookTried {
    WebhookResult result;
};
struct WebhookDoneCommand {
    WebhookResult result;

    /// Marks the message as no longer in flight, whether the turn commits or not.
    void arrive(EngineContext& parts) const;
    /// False for a test, because its client gets the error.
    bool delivered() const { return result.job.row != 0; }
    /// Marks the message as in flight again, so that it is not sent a second time.
    void wait(EngineContext& parts) const;
    core::Result<> name(Reader&, SessionNames&) const { return {}; }
    core::Result<WebhookTried> operator()(Transaction& transaction);
};

/// Copies the database into an empty file. The reply is sent when the copy has ended
/// (Publication::copied).
struct BackupCommand {
    std::string file;  ///< an absolute path

    core::Result<> operator()(EngineContext& parts, const ReplyTo& to) const;
};

/// Applies the reloaded configuration; gets no reply.
struct ReloadCommand {
    ReloadableSettings settings;

    static constexpr bool kFirst = true;
    core::Result<> operator()(EngineContext& parts, const ReplyTo& to);
};

}  // namespace headway::server

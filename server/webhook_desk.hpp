// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/webhooks.hpp"
#include "core/session.hpp"
#include "core/webhooks.hpp"
#include "server/messages.hpp"
#include "server/webhook_messages.hpp"
#include "storage/outbox.hpp"

namespace headway::server {

/// Decides which message goes to which webhook and when. What has to outlive the daemon is in the
/// outbox; here is only what a restart may forget: what is on its way, and pauses.
///
/// One message of an endpoint is on its way at a time, the oldest that is due first. While an
/// endpoint is away (no connection, no answer in time, most statuses) all that is for it waits, at
/// most limits::kWebhookPauseMax at a time, and goes out in order as soon as one has arrived; a
/// message that the endpoint does not want (400, 409, 413, 422) waits for its next try alone, and
/// those behind it go first.
///
/// Supervisor thread only. Methods that write need a transaction; when it is rolled back, load()
/// has to be called.
class WebhookDesk {
public:
    /// False: nothing can be sent at present.
    using Send = std::function<bool(WebhookJob)>;

    WebhookDesk(storage::Outbox& outbox, core::WebhookRules rules);

    void send_with(Send send) { send_ = std::move(send); }
    /// Whether there is any endpoint, configured or removed; else nothing here costs anything.
    bool any() const { return !endpoints_.empty(); }

    /// Reads what the outbox knows. True when save_changes() has something to write: endpoints that
    /// came, went or moved.
    core::Result<bool> load(core::Timestamp now);
    core::Result<> save_changes();

    /// In the transaction of the events, which are the newest of the session.
    core::Result<> note(const core::Session& session, std::span<const core::Event> events);
    /// A try has ended, whether it can be written down or not.
    void landed(const WebhookResult& result);
    /// What follows from it. Writes.
    core::Result<> settle(const WebhookResult& result, core::Timestamp now);
    /// Sends what is due of what is committed; outside of a transaction.
    core::Result<> send_due(core::Timestamp now);
    /// When send_due() has something to do; kNever: not by itself.
    core::Timestamp next_wake() const;

    /// Deletes endpoints that left the configuration limits::kWebhookRemovedFor ago, and their
    /// messages. Writes.
    core::Result<> forget_removed(core::Timestamp now);
    bool has_removed(core::Timestamp now) const;

    /// Sends a test at once; its result comes back like any other, with `job.row` 0. Errors:
    /// kUnknownWebhook, kWebhookUnusable, kOverloaded, kDraining.
    core::Result<> test(const std::string& name, WebhookJob job);
    /// Sends dead letters again, all without `ids`; how many. Writes. Errors: kUnknownWebhook,
    /// kWebhookUnusable, kUnknownDelivery when there is none of them.
    core::Result<std::uint64_t> replay(const std::string& name, const std::vector<std::string>& ids,
                                       core::Timestamp now);

    std::vector<api::WebhookDocument> documents() const;
    /// Error: kUnknownWebhook.
    core::Result<std::vector<api::DeliveryDocument>> deliveries(const std::string& name, bool dead,
                                                                std::int64_t after,
                                                                std::size_t limit);
    /// Null as long as there was no endpoint.
    std::shared_ptr<const std::vector<WebhookStats>> stats();

private:
    struct Endpoint {
        core::WebhookRule rule;
        bool configured = false;
        storage::OutboxEndpoint stored;
        core::Timestamp next_due = core::kNever;
        // What load() leaves as it is.
        bool in_flight = false;
        bool testing = false;
        core::Timestamp paused_until = core::kNever;
    };

    Endpoint* find(std::string_view name);
    core::Result<Endpoint*> require(std::string_view name);
    core::Result<Endpoint*> require_usable(std::string_view name);
    core::Result<> add(Endpoint& endpoint, const core::Session& session, const core::Event& event,
                       const std::string& body);
    core::Result<> settle_failure(Endpoint& endpoint, const WebhookResult& result,
                                  core::Timestamp now);
    core::Result<> settle_test(Endpoint& endpoint, const WebhookResult& result,
                               core::Timestamp now);
    core::Result<> recovered(Endpoint& endpoint, core::Timestamp now);
    core::Result<> bury_pending(Endpoint& endpoint, std::uint64_t count, core::Timestamp now,
                                std::string_view reason);
    core::Result<> trim_dead(Endpoint& endpoint);
    core::Result<> save(Endpoint& endpoint);
    static bool may_send(const Endpoint& endpoint);
    static std::string_view state_of(const Endpoint& endpoint);
    static std::string problem_of(const Endpoint& endpoint);

    storage::Outbox& outbox_;
    core::WebhookRules rules_;
    Send send_;
    std::vector<Endpoint> endpoints_;  ///< those configured, then those removed
    std::vector<std::string> changed_;
    std::mt19937_64 random_;
    std::shared_ptr<const std::vector<WebhookStats>> stats_;
    bool stats_stale_ = true;
};

}  // namespace headway::server

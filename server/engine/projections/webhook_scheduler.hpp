// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/admin/webhooks.hpp"
#include "core/outbound/webhooks.hpp"
#include "core/session/session.hpp"
#include "server/engine/transaction/projection.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "storage/tables/outbox.hpp"

namespace headway::server {

/// Schedules the messages of each webhook. Persistent state is in the outbox; only messages in
/// flight are in memory, and pauses, which the last failed try in the outbox shows.
///
/// Each endpoint has at most one message in flight; the oldest due message is sent first. While an
/// endpoint is unreachable (no connection, timeout, most statuses), all its messages wait, at most
/// limits::kWebhookPauseMax between two tries, and are sent in order once one has been delivered. A
/// message that the endpoint refuses (400, 409, 413, 422) waits alone for its next try; later
/// messages overtake it.
///
/// People get requests for approval first. All events with one cause become one message, and in
/// each window there are at most as many messages as PeopleLimits allows, at most half of them
/// about other events than requests and alarms; further events become one message at the end of the
/// window. The rows of one message are settled in one transaction, so a
/// crash may repeat the whole message, but loses no event.
///
/// Engine thread only. After a rollback, call load().
class WebhookScheduler final : public Projection {
public:
    /// Returns false if the message cannot be sent at present.
    using Send = std::function<bool(WebhookJob)>;

    WebhookScheduler(storage::Outbox& outbox, core::WebhookRules rules);

    void send_with(Send send) { send_ = std::move(send); }
    /// True if there is any endpoint, configured or removed.
    bool any() const { return !endpoints_.empty(); }

    /// Reads the outbox. True if save_changes() has something to write, because endpoints were
    /// added or removed or have a new URL.
    core::Result<bool> load(core::Timestamp now);
    core::Result<> save_changes();

    core::Result<> apply(const Appended& appended) override {
        return note(appended.resident.session, appended.events);
    }
    /// Adds messages for the newest events of the session, in their transaction.
    core::Result<> note(const core::Session& session, std::span<const core::Event> events);
    /// Adds, for each endpoint for people, a message that is about no session. Its id is made from
    /// `name`. Only in a transaction.
    core::Result<> tell_people(std::string_view type, std::string_view name,
                               const std::string& body, core::Timestamp now);
    /// Records in memory that a try has ended, even if nothing can be written.
    void landed(const WebhookResult& result);
    /// Called when a result could not be stored: no message is sent to the endpoint until landed()
    /// is called again with this result.
    void hold(const WebhookResult& result);
    /// Records the result of a try. Only in a transaction.
    core::Result<> settle(const WebhookResult& result, core::Timestamp now);
    /// Sends committed messages that are due; outside of a transaction.
    core::Result<> send_due(core::Timestamp now);
    /// When send_due() must be called next; kNever: never.
    core::Timestamp next_wake() const;

    /// Reads the endpoints' figures and next due times again, since other daemons may have added or
    /// sent messages. True if figures have changed.
    core::Result<bool> look_again();

    /// Deletes endpoints that were removed from the configuration more than
    /// limits::kWebhookRemovedFor ago, with their messages. Only in a transaction.
    core::Result<> forget_removed(core::Timestamp now);
    bool has_removed(core::Timestamp now) const;

    /// Sends a test at once. Its result is delivered like any other, with 0 as `job.row`. Errors:
    /// kUnknownWebhook, kWebhookUnusable, kOverloaded, kDraining.
    core::Result<> test(const std::string& name, WebhookJob job);
    /// Sends the dead letters `ids` again, or all dead letters if `ids` is empty; returns their
    /// number. Only in a transaction. Errors: kUnknownWebhook, kWebhookUnusable; kUnknownDelivery
    /// if no dead letter matches.
    core::Result<std::uint64_t> replay(const std::string& name, const std::vector<std::string>& ids,
                                       core::Timestamp now);

    std::vector<api::WebhookDocument> documents() const;
    /// Error: kUnknownWebhook.
    core::Result<std::vector<api::DeliveryDocument>> deliveries(const std::string& name, bool dead,
                                                                std::int64_t after,
                                                                std::size_t limit);
    /// Null if there was never an endpoint.
    std::shared_ptr<const std::vector<WebhookStats>> stats();

private:
    struct Endpoint {
        core::WebhookRule rule;
        bool configured = false;
        storage::OutboxEndpoint stored;
        core::Timestamp next_due = core::kNever;
        core::Timestamp next_urgent_due = core::kNever;  ///< of requests and alarms
        // The members below are preserved by load().
        bool in_flight = false;
        bool testing = false;
        core::Timestamp paused_until = core::kNever;
        core::SendWindow window;
        core::Timestamp backlog_before =
            core::kNever;  ///< messages about older events had to wait for the end of a window
    };

    Endpoint* find(std::string_view name);
    core::Result<Endpoint*> require(std::string_view name);
    core::Result<Endpoint*> require_usable(std::string_view name);
    core::Result<> add(Endpoint& endpoint, const core::Session& session, const core::Event& event,
                       const std::string& body);
    core::Result<> put(Endpoint& endpoint, storage::OutboxMessage message);
    core::Result<> settle_delivery(Endpoint& endpoint, const WebhookResult& result,
                                   core::Timestamp now);
    core::Result<> settle_failure(Endpoint& endpoint, const WebhookResult& result,
                                  core::Timestamp now);
    core::Result<> settle_part(Endpoint& endpoint, const WebhookPart& part,
                               const WebhookResult& result, core::Timestamp now);
    core::Result<> send_next(Endpoint& endpoint, core::Timestamp now);
    core::Result<std::optional<WebhookJob>> next_job(Endpoint& endpoint, core::Timestamp now);
    static core::Timestamp opens_at(const Endpoint& endpoint);
    core::Result<> settle_test(Endpoint& endpoint, const WebhookResult& result,
                               core::Timestamp now);
    core::Result<> recovered(Endpoint& endpoint, core::Timestamp now);
    core::Result<> bury_pending(Endpoint& endpoint, std::uint64_t count, core::Timestamp now,
                                std::string_view reason);
    core::Result<> trim_dead(Endpoint& endpoint);
    core::Result<> save(Endpoint& endpoint);
    core::Result<> renew(Endpoint& endpoint);
    core::Result<> read_due(Endpoint& endpoint);
    core::Result<> read_pause(Endpoint& endpoint);
    static bool may_send(const Endpoint& endpoint);
    static std::string_view state_of(const Endpoint& endpoint);
    static std::string problem_of(const Endpoint& endpoint);

    storage::Outbox& outbox_;
    core::WebhookRules rules_;
    Send send_;
    std::vector<Endpoint> endpoints_;  ///< configured endpoints, then removed ones
    std::vector<std::string> changed_;
    std::mt19937_64 random_;
    std::shared_ptr<const std::vector<WebhookStats>> stats_;
    bool stats_stale_ = true;
};

}  // namespace headway::server

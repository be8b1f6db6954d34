// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/admin/webhook_body.hpp"
#include "core/base/limits.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"

// Requests of people about webhooks: lists, tests, replays.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using core::Timestamp;
namespace limits = core::limits;

template <class Enum, std::size_t N>
std::vector<std::string> names_in(const std::bitset<N>& set) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < N; ++i) {
        if (set.test(i)) names.emplace_back(core::EnumNames<Enum>::kNames[i]);
    }
    return names;
}

api::DeliveryDocument document_of(storage::OutboxMessage&& message) {
    api::DeliveryDocument shown;
    shown.cursor = message.row;
    shown.id = std::move(message.id);
    shown.type = std::move(message.type);
    shown.session = std::move(message.session);
    shown.n = message.n;
    shown.at = message.at;
    shown.tries = message.tries;
    shown.tried_at = message.tried_at;
    shown.dead_at = message.dead_at;
    if (message.dead_at == core::kNever) shown.due_at = message.due_at;
    shown.reason = std::move(message.reason);
    return shown;
}

/// The state that was read, except the configuration, which is each daemon's own.
storage::OutboxEndpoint with_configuration_of(const storage::OutboxEndpoint& own,
                                              storage::OutboxEndpoint read) {
    read.target = own.target;
    read.removed_at = own.removed_at;
    return read;
}

}  // namespace

WebhookScheduler::Endpoint* WebhookScheduler::find(std::string_view name) {
    const auto found =
        std::find_if(endpoints_.begin(), endpoints_.end(),
                     [name](const Endpoint& endpoint) { return endpoint.rule.name == name; });
    return found == endpoints_.end() ? nullptr : &*found;
}

Result<WebhookScheduler::Endpoint*> WebhookScheduler::require(std::string_view name) {
    if (Endpoint* endpoint = find(name)) return endpoint;
    return Error{ErrorCode::kUnknownWebhook,
                 "there is no webhook '" + std::string{name} +
                     "'; those in [webhooks.endpoints] are listed by GET /v1/webhooks",
                 "id"};
}

Result<WebhookScheduler::Endpoint*> WebhookScheduler::require_usable(std::string_view name) {
    HEADWAY_TRY(Endpoint * endpoint, require(name));
    if (endpoint->configured && endpoint->rule.problem.empty()) return endpoint;
    return Error{ErrorCode::kWebhookUnusable, problem_of(*endpoint), "id"};
}

std::string_view WebhookScheduler::state_of(const Endpoint& endpoint) {
    if (!endpoint.configured) return "removed";
    if (!endpoint.rule.problem.empty()) return "misconfigured";
    if (endpoint.stored.disabled_at != core::kNever) return "disabled";
    return endpoint.stored.failed_at > endpoint.stored.succeeded_at ? "failing" : "active";
}

/// Why nothing is sent to the endpoint, with the remedy, or empty.
std::string WebhookScheduler::problem_of(const Endpoint& endpoint) {
    if (!endpoint.configured) {
        return "it is not in the configuration any more; its messages are kept for a week, and "
               "sent "
               "when it is back";
    }
    if (!endpoint.rule.problem.empty()) return endpoint.rule.problem;
    if (endpoint.stored.disabled_at == core::kNever) return {};
    return "it answered 410, so nothing is sent to it; when it is back, `headway webhooks test " +
           endpoint.rule.name + "` enables it again";
}

std::vector<api::WebhookDocument> WebhookScheduler::documents() const {
    std::vector<api::WebhookDocument> documents;
    for (const Endpoint& endpoint : endpoints_) {
        const storage::OutboxEndpoint& stored = endpoint.stored;
        api::WebhookDocument& shown = documents.emplace_back();
        shown.name = stored.name;
        shown.url = endpoint.rule.url;
        if (endpoint.configured) shown.format = core::name_of(endpoint.rule.format);
        shown.state = state_of(endpoint);
        shown.problem = problem_of(endpoint);
        shown.events = names_in<core::EventType>(endpoint.rule.events);
        shown.verdicts = names_in<core::Verdict>(endpoint.rule.verdicts);
        shown.pending = stored.pending;
        shown.dead = stored.dead;
        shown.delivered = stored.delivered;
        shown.failed = stored.failed;
        shown.died = stored.died;
        shown.dropped = stored.dropped;
        shown.succeeded_at = stored.succeeded_at;
        shown.failed_at = stored.failed_at;
        shown.failure = stored.failure;
        if (may_send(endpoint)) shown.next_at = opens_at(endpoint);
    }
    return documents;
}

Result<std::vector<api::DeliveryDocument>> WebhookScheduler::deliveries(const std::string& name,
                                                                        bool dead,
                                                                        std::int64_t after,
                                                                        std::size_t limit) {
    HEADWAY_CHECK(require(name));
    HEADWAY_TRY(auto messages, outbox_.list_messages(name, dead, after, limit));
    std::vector<api::DeliveryDocument> documents;
    documents.reserve(messages.size());
    for (storage::OutboxMessage& message : messages)
        documents.push_back(document_of(std::move(message)));
    return documents;
}

Result<> WebhookScheduler::test(const std::string& name, WebhookJob job) {
    HEADWAY_TRY(Endpoint * endpoint, require_usable(name));
    if (endpoint->testing) {
        return Error{ErrorCode::kOverloaded, "a test of this webhook is under way; try again", {}};
    }
    job.endpoint = name;
    job.type = "webhook.test";
    job.body = api::webhook_test_body(name, job.at);
    job.id = "msg_test_" + core::to_hex(core::digest_of(name + std::to_string(random_())));
    if (!send_ || !send_(std::move(job))) {
        return Error{
            ErrorCode::kDraining, "nothing is sent any more; the daemon is going down", {}};
    }
    endpoint->testing = true;
    return {};
}

Result<std::uint64_t> WebhookScheduler::replay(const std::string& name,
                                               const std::vector<std::string>& ids, Timestamp now) {
    HEADWAY_TRY(Endpoint * endpoint, require_usable(name));
    storage::OutboxEndpoint& stored = endpoint->stored;
    if (stored.disabled_at != core::kNever) {
        return Error{ErrorCode::kWebhookUnusable, problem_of(*endpoint), "id"};
    }
    const std::uint64_t room = stored.pending < limits::kWebhookPendingMax
                                   ? limits::kWebhookPendingMax - stored.pending
                                   : 0;
    std::uint64_t revived = 0;
    if (ids.empty()) {
        HEADWAY_TRY(revived, outbox_.revive_oldest(name, room, now));
    }
    for (const std::string& id : ids) {
        if (revived == room) break;
        HEADWAY_TRY(const bool found, outbox_.revive_message(name, id, now));
        if (found) ++revived;
    }
    if (revived == 0 && !ids.empty() && room > 0) {
        return Error{ErrorCode::kUnknownDelivery,
                     "none of these is a dead letter of this webhook; `headway webhooks dead " +
                         name + "` lists them",
                     "/ids"};
    }
    stored.pending += revived;
    stored.dead -= std::min(stored.dead, revived);
    HEADWAY_CHECK(recovered(*endpoint, now));  // says the operator
    HEADWAY_CHECK(read_due(*endpoint));
    stats_stale_ = true;
    return revived;
}

/// Before its figures change: other daemons may have changed them.
Result<> WebhookScheduler::renew(Endpoint& endpoint) {
    HEADWAY_TRY(auto stored, outbox_.lock_outbox_endpoint(endpoint.stored.name));
    if (stored) endpoint.stored = with_configuration_of(endpoint.stored, *std::move(stored));
    return {};
}

Result<> WebhookScheduler::read_due(Endpoint& endpoint) {
    HEADWAY_TRY(endpoint.next_due, outbox_.next_due(endpoint.stored.name));
    if (!endpoint.rule.for_people()) return {};
    HEADWAY_TRY(endpoint.next_urgent_due, outbox_.next_urgent_due(endpoint.stored.name));
    return {};
}

/// The pause that settle_part() began with the last failed try, before a restart or at another
/// daemon. The endpoint asked for it (`Retry-After`) where its message waits longer than the next
/// try alone would have it wait. Retries may be configured to be shorter since.
Result<> WebhookScheduler::read_pause(Endpoint& endpoint) {
    if (!endpoint.configured || endpoint.stored.pending == 0) return {};
    HEADWAY_TRY(const auto last, outbox_.last_away(endpoint.stored.name));
    if (!last) return {};
    const core::Millis usual = last->tries < rules_.retry.size()
                                   ? *core::delay_before_try(rules_.retry, last->tries, 0)
                                   : rules_.retry.back();
    const core::Millis longest = usual + usual / 5;
    const bool may_ask =
        last->reason.starts_with("HTTP 429") || last->reason.starts_with("HTTP 503");
    const bool asked = may_ask && last->due_at - last->tried_at > longest;
    const core::Millis pause = std::min(longest, core::Millis{limits::kWebhookPauseMax});
    const Timestamp latest = asked ? last->due_at : last->tried_at + pause;
    endpoint.paused_until = std::max(endpoint.paused_until, std::min(last->due_at, latest));
    return {};
}

Result<bool> WebhookScheduler::look_again() {
    HEADWAY_TRY(auto known, outbox_.outbox_endpoints());
    bool changed = false;
    for (storage::OutboxEndpoint& stored : known) {
        Endpoint* const endpoint = find(stored.name);
        const bool unwritten =
            std::find(changed_.begin(), changed_.end(), stored.name) != changed_.end();
        if (endpoint == nullptr || unwritten) continue;
        stored = with_configuration_of(endpoint->stored, std::move(stored));
        changed = changed || endpoint->stored != stored;
        if (stored.succeeded_at > endpoint->stored.succeeded_at)
            endpoint->paused_until = core::kNever;  // another daemon has reached it
        endpoint->stored = std::move(stored);
    }
    stats_stale_ = stats_stale_ || changed;
    for (Endpoint& endpoint : endpoints_) {
        HEADWAY_CHECK(read_due(endpoint));
        HEADWAY_CHECK(read_pause(endpoint));
    }
    return changed;
}

bool WebhookScheduler::has_removed(Timestamp now) const {
    return std::any_of(endpoints_.begin(), endpoints_.end(), [&](const Endpoint& endpoint) {
        return endpoint.stored.removed_at != core::kNever &&
               now - endpoint.stored.removed_at > limits::kWebhookRemovedFor;
    });
}

Result<> WebhookScheduler::forget_removed(Timestamp now) {
    HEADWAY_TRY(const auto known, outbox_.outbox_endpoints());
    for (Endpoint& endpoint : endpoints_) {
        if (endpoint.stored.removed_at == core::kNever ||
            now - endpoint.stored.removed_at <= limits::kWebhookRemovedFor)
            continue;
        const bool in_use = std::any_of(known.begin(), known.end(), [&](const auto& stored) {
            return stored.name == endpoint.stored.name && stored.removed_at == core::kNever;
        });
        if (in_use) {  // by another daemon, whose configuration has it
            endpoint.stored.removed_at = now;
            continue;
        }
        HEADWAY_CHECK(outbox_.forget_outbox_endpoint(endpoint.stored.name));
    }
    return {};
}

std::shared_ptr<const std::vector<WebhookStats>> WebhookScheduler::stats() {
    if (endpoints_.empty() || !std::exchange(stats_stale_, false)) return stats_;
    auto stats = std::make_shared<std::vector<WebhookStats>>();
    for (const Endpoint& endpoint : endpoints_) {
        const storage::OutboxEndpoint& stored = endpoint.stored;
        if (!endpoint.configured) continue;
        stats->push_back({stored.name, stored.pending, stored.dead, stored.delivered, stored.failed,
                          stored.died, stored.dropped});
    }
    stats_ = std::move(stats);
    return stats_;
}

Result<> WebhookScheduler::tell_people(std::string_view type, std::string_view name,
                                       const std::string& body, Timestamp now) {
    for (Endpoint& endpoint : endpoints_) {
        if (!endpoint.configured || !endpoint.rule.for_people()) continue;
        storage::OutboxMessage message;
        message.id = "msg_" + core::to_hex(core::digest_of(name));
        message.type = type;
        message.at = now;
        message.due_at = now;
        message.body = body;
        HEADWAY_CHECK(put(endpoint, std::move(message)));
    }
    return {};
}

}  // namespace headway::server

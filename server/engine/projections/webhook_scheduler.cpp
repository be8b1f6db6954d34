// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/webhook_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "api/admin/webhook_body.hpp"
#include "core/base/limits.hpp"
#include "server/engine/projections/webhook_group.hpp"

namespace headway::server {
namespace {

using core::Result;
using core::Timestamp;
namespace limits = core::limits;

constexpr std::string_view kCrowdedOut = "too many messages waited for this endpoint";
/// Retry interval after a failed read of the database.
constexpr core::Millis kUnreadable{60'000};
/// How long another daemon that sends to the endpoint is left alone.
constexpr core::Millis kSentElsewhere{2'000};
constexpr std::string_view kGone = "the endpoint is gone (410)";

Timestamp earlier(Timestamp a, Timestamp b) {
    if (a == core::kNever || b == core::kNever) return std::max(a, b);
    return std::min(a, b);
}

/// The count was read before, and the database says what it has done: no invariant ties the two.
void take_off(std::uint64_t& count, std::uint64_t done) {
    count -= std::min(count, done);
}

/// True unless all alarms of these events are already raised. A repeated alarm is sent once until a
/// person acknowledges it; otherwise an agent could crowd other messages out of the queue.
bool is_news(const core::Session& session, std::span<const core::Event> events,
             const core::Event& event) {
    const auto* alarm = std::get_if<core::ApprovalAlarm>(&event.payload);
    if (alarm == nullptr) return true;
    const auto same = [alarm](const core::Event& other) {
        const auto* approval_alarm = std::get_if<core::ApprovalAlarm>(&other.payload);
        return approval_alarm != nullptr && approval_alarm->alarm == alarm->alarm &&
               approval_alarm->id == alarm->id && approval_alarm->tool == alarm->tool;
    };
    const auto first = std::find_if(events.begin(), events.end(), same);
    if (first->n != event.n) return false;
    const auto& raised = session.state().approvals.alarms;
    const auto kept = std::find_if(raised.begin(), raised.end(), [&](const core::RaisedAlarm& r) {
        return r.kind == alarm->alarm && r.tool == alarm->tool &&
               (r.approval == 0 ? alarm->id.empty()
                                : core::approval_id(session.id(), r.approval) == alarm->id);
    });
    if (kept == raised.end()) return false;  // more urgent alarms wait for a person already
    return kept->times <=
           static_cast<std::uint64_t>(std::count_if(events.begin(), events.end(), same));
}

/// True for an event that waits for no others of its cause.
bool is_pressing(const core::Event& event) {
    return std::holds_alternative<core::ApprovalRequested>(event.payload) ||
           std::holds_alternative<core::ApprovalAlarm>(event.payload);
}

/// Requests and alarms: the outbox has them under the same types.
bool is_urgent(std::string_view type) {
    return type == core::name_of(core::EventType::kApprovalRequested) ||
           type == core::name_of(core::EventType::kApprovalAlarm);
}

/// True for a message that has a request or an alarm in it.
bool is_urgent(const WebhookJob& job) {
    return is_urgent(job.type) ||
           std::any_of(job.others.begin(), job.others.end(),
                       [](const WebhookPart& other) { return is_urgent(other.type); });
}

}  // namespace

WebhookScheduler::WebhookScheduler(storage::Outbox& outbox, core::WebhookRules rules)
    : outbox_(outbox), rules_(std::move(rules)), random_(std::random_device{}()) {
    for (const core::WebhookRule& rule : rules_.endpoints) {
        Endpoint& endpoint = endpoints_.emplace_back();
        endpoint.rule = rule;
        endpoint.configured = true;
        endpoint.stored.name = rule.name;
    }
}

Result<bool> WebhookScheduler::load(Timestamp now) {
    HEADWAY_TRY(const auto known, outbox_.outbox_endpoints());
    std::erase_if(endpoints_, [](const Endpoint& endpoint) { return !endpoint.configured; });
    changed_.clear();
    for (const storage::OutboxEndpoint& stored : known) {
        Endpoint* endpoint = find(stored.name);
        if (endpoint == nullptr) {
            endpoint = &endpoints_.emplace_back();
            endpoint->rule.name = stored.name;
        }
        endpoint->stored = stored;
    }
    for (Endpoint& endpoint : endpoints_) {
        storage::OutboxEndpoint& stored = endpoint.stored;
        const bool moved = endpoint.configured && stored.target != endpoint.rule.target;
        const bool back = endpoint.configured && stored.removed_at != core::kNever;
        const bool left = !endpoint.configured && stored.removed_at == core::kNever;
        if (moved) {  // the state belongs to another address
            stored.target = endpoint.rule.target;
            stored.disabled_at = core::kNever;
            stored.failed_at = core::kNever;
            stored.failure.clear();
        }
        if (back) stored.removed_at = core::kNever;
        if (left) stored.removed_at = now;
        if (moved || back || left) changed_.push_back(stored.name);
        HEADWAY_CHECK(read_due(endpoint));
        if (!moved) HEADWAY_CHECK(read_pause(endpoint));
    }
    stats_stale_ = true;
    return !changed_.empty();
}

Result<> WebhookScheduler::save_changes() {
    for (const std::string& name : changed_)
        HEADWAY_CHECK(outbox_.save_outbox_endpoint(find(name)->stored));
    changed_.clear();
    return {};
}

Result<> WebhookScheduler::save(Endpoint& endpoint) {
    stats_stale_ = true;
    return outbox_.save_outbox_endpoint(endpoint.stored);
}

Result<> WebhookScheduler::note(const core::Session& session, std::span<const core::Event> events) {
    if (endpoints_.empty()) return {};
    for (const core::Event& event : events) {
        if (!is_news(session, events, event)) continue;
        std::string body;  // encoded for the first endpoint that needs it
        for (Endpoint& endpoint : endpoints_) {
            if (!endpoint.configured || !core::wants(endpoint.rule, event)) continue;
            if (body.empty()) body = api::webhook_body(session, event);
            HEADWAY_CHECK(add(endpoint, session, event, body));
        }
    }
    return {};
}

Result<> WebhookScheduler::add(Endpoint& endpoint, const core::Session& session,
                               const core::Event& event, const std::string& body) {
    storage::OutboxMessage message;
    message.id = core::webhook_message_id(session.id(), event);
    message.type = core::name_of(core::type_of(event.payload));
    message.session = session.id();
    message.n = event.n;
    message.at = event.at;
    message.due_at = event.at + rules_.retry.front();  // in the order of events
    if (endpoint.rule.for_people() && !is_pressing(event))
        message.due_at += endpoint.rule.limits.gather;
    message.body = body;
    return put(endpoint, std::move(message));
}

Result<> WebhookScheduler::put(Endpoint& endpoint, storage::OutboxMessage message) {
    storage::OutboxEndpoint& stored = endpoint.stored;
    message.endpoint = stored.name;
    stats_stale_ = true;
    if (stored.disabled_at != core::kNever) {
        message.dead_at = message.at;
        message.reason = kGone;
        HEADWAY_CHECK(renew(endpoint));
        HEADWAY_CHECK(outbox_.add_message(message));
        ++stored.died;
        ++stored.dead;
        HEADWAY_CHECK(trim_dead(endpoint));
        return save(endpoint);
    }
    HEADWAY_CHECK(outbox_.add_message(message));
    ++stored.pending;
    endpoint.next_due = earlier(endpoint.next_due, message.due_at);
    if (is_urgent(message.type))
        endpoint.next_urgent_due = earlier(endpoint.next_urgent_due, message.due_at);
    if (stored.pending <= limits::kWebhookPendingMax) return {};
    HEADWAY_CHECK(renew(endpoint));
    if (stored.pending <= limits::kWebhookPendingMax) return {};
    HEADWAY_CHECK(bury_pending(endpoint, stored.pending - limits::kWebhookPendingMax, message.at,
                               kCrowdedOut));
    return save(endpoint);
}

Result<> WebhookScheduler::bury_pending(Endpoint& endpoint, std::uint64_t count, Timestamp now,
                                        std::string_view reason) {
    HEADWAY_TRY(const std::uint64_t buried,
                outbox_.bury_oldest(endpoint.stored.name, count, now, reason));
    take_off(endpoint.stored.pending, buried);
    endpoint.stored.dead += buried;
    endpoint.stored.died += buried;
    return trim_dead(endpoint);
}

Result<> WebhookScheduler::trim_dead(Endpoint& endpoint) {
    if (endpoint.stored.dead <= limits::kWebhookDeadMax) return {};
    HEADWAY_TRY(const std::uint64_t dropped,
                outbox_.drop_dead(endpoint.stored.name, limits::kWebhookDeadMax));
    take_off(endpoint.stored.dead, dropped);
    endpoint.stored.dropped += dropped;
    return {};
}

void WebhookScheduler::landed(const WebhookResult& result) {
    Endpoint* const endpoint = find(result.job.endpoint);
    if (endpoint == nullptr) return;
    (result.job.row == 0 ? endpoint->testing : endpoint->in_flight) = false;
}

void WebhookScheduler::hold(const WebhookResult& result) {
    if (Endpoint* const endpoint = find(result.job.endpoint)) endpoint->in_flight = true;
}

Result<> WebhookScheduler::settle(const WebhookResult& result, Timestamp now) {
    Endpoint* const endpoint = find(result.job.endpoint);
    if (endpoint == nullptr || result.outcome == WebhookOutcome::kCancelled) return {};
    HEADWAY_CHECK(renew(*endpoint));
    if (result.job.row == 0) return settle_test(*endpoint, result, now);
    if (result.outcome == WebhookOutcome::kDelivered) {
        HEADWAY_CHECK(settle_delivery(*endpoint, result, now));
    } else {
        HEADWAY_CHECK(settle_failure(*endpoint, result, now));
    }
    HEADWAY_CHECK(save(*endpoint));
    HEADWAY_CHECK(read_due(*endpoint));
    return {};
}

Result<> WebhookScheduler::settle_delivery(Endpoint& endpoint, const WebhookResult& result,
                                           Timestamp now) {
    storage::OutboxEndpoint& stored = endpoint.stored;
    const auto remove = [&](const WebhookPart& part) -> Result<> {
        HEADWAY_TRY(const storage::Removed removed, outbox_.remove_message(part.row, part.id));
        if (removed == storage::Removed::kPending) take_off(stored.pending, 1);
        if (removed == storage::Removed::kDead) take_off(stored.dead, 1);
        ++stored.delivered;
        return {};
    };
    HEADWAY_CHECK(remove(result.job));
    for (const WebhookPart& other : result.job.others)
        HEADWAY_CHECK(remove(other));
    if (endpoint.rule.for_people())
        endpoint.window.delivered(endpoint.rule.limits, now, is_urgent(result.job));
    const bool was_away =
        endpoint.paused_until != core::kNever || stored.failed_at > stored.succeeded_at;
    stored.succeeded_at = now;
    if (!result.reason.empty()) {  // of a mail, for some of its recipients
        ++stored.failed;
        stored.failed_at = now;
        stored.failure = result.reason;
    }
    return was_away ? recovered(endpoint, now) : Result<>{};
}

Result<> WebhookScheduler::settle_failure(Endpoint& endpoint, const WebhookResult& result,
                                          Timestamp now) {
    storage::OutboxEndpoint& stored = endpoint.stored;
    ++stored.failed;
    stored.failed_at = now;
    stored.failure = result.reason;
    HEADWAY_CHECK(settle_part(endpoint, result.job, result, now));
    for (const WebhookPart& other : result.job.others)
        HEADWAY_CHECK(settle_part(endpoint, other, result, now));
    if (result.outcome != WebhookOutcome::kGone) return trim_dead(endpoint);
    stored.disabled_at = now;
    return bury_pending(endpoint, stored.pending, now, kGone);
}

/// After a failure: tried again, or a dead letter.
Result<> WebhookScheduler::settle_part(Endpoint& endpoint, const WebhookPart& part,
                                       const WebhookResult& result, Timestamp now) {
    storage::OutboxEndpoint& stored = endpoint.stored;
    const storage::OutboxFailure failure{part.tries + 1, now,
                                         result.outcome == WebhookOutcome::kAway, result.reason};
    auto delay = core::delay_before_try(rules_.retry, failure.tries, random_());
    if (failure.away) {
        const core::Millis asked = result.retry_after.value_or(core::Millis{0});
        if (delay) delay = std::max(*delay, asked);
        const core::Millis pause =
            std::min(delay.value_or(rules_.retry.back()), core::Millis{limits::kWebhookPauseMax});
        endpoint.paused_until = now + std::max(pause, asked);
    }
    if (delay && result.outcome != WebhookOutcome::kGone)
        return outbox_.delay_message(part.row, part.id, failure, now + *delay);
    HEADWAY_TRY(const bool pending, outbox_.bury_message(part.row, part.id, failure));
    if (pending) {  // unless it was crowded out meanwhile
        ++stored.died;
        ++stored.dead;
        take_off(stored.pending, 1);
    }
    return {};
}

/// Ends the wait of messages after the endpoint was away.
Result<> WebhookScheduler::recovered(Endpoint& endpoint, Timestamp now) {
    endpoint.paused_until = core::kNever;
    return outbox_.hurry_messages(endpoint.stored.name, now);
}

/// A test proves that the endpoint works, and changes no message.
Result<> WebhookScheduler::settle_test(Endpoint& endpoint, const WebhookResult& result,
                                       Timestamp now) {
    if (result.outcome != WebhookOutcome::kDelivered) return {};
    endpoint.stored.disabled_at = core::kNever;
    endpoint.stored.succeeded_at = now;
    HEADWAY_CHECK(recovered(endpoint, now));
    HEADWAY_CHECK(save(endpoint));
    HEADWAY_CHECK(read_due(endpoint));
    return {};
}

bool WebhookScheduler::may_send(const Endpoint& endpoint) {
    return endpoint.configured && !endpoint.in_flight && endpoint.rule.problem.empty() &&
           endpoint.stored.disabled_at == core::kNever && endpoint.next_due != core::kNever;
}

/// When the next message may go: after a pause, and in a window with room for one of its kind.
Timestamp WebhookScheduler::opens_at(const Endpoint& endpoint) {
    const core::PeopleLimits& people = endpoint.rule.limits;
    if (!endpoint.rule.for_people()) return std::max(endpoint.next_due, endpoint.paused_until);
    const Timestamp any = std::max(
        {endpoint.next_due, endpoint.paused_until, endpoint.window.closed_until(people, false)});
    if (endpoint.next_urgent_due == core::kNever) return any;
    return std::min(any, std::max({endpoint.next_urgent_due, endpoint.paused_until,
                                   endpoint.window.closed_until(people, true)}));
}

Timestamp WebhookScheduler::next_wake() const {
    Timestamp next = core::kNever;
    for (const Endpoint& endpoint : endpoints_) {
        if (may_send(endpoint) && send_) next = earlier(next, opens_at(endpoint));
    }
    return next;
}

Result<> WebhookScheduler::send_due(Timestamp now) {
    for (Endpoint& endpoint : endpoints_) {
        if (may_send(endpoint) && send_ && opens_at(endpoint) <= now)
            HEADWAY_CHECK(send_next(endpoint, now));
    }
    return {};
}

Result<> WebhookScheduler::send_next(Endpoint& endpoint, Timestamp now) {
    endpoint.paused_until = now + kUnreadable;  // kept only if the read fails
    HEADWAY_TRY(const bool ours, outbox_.claim_outbox_endpoint(endpoint.stored.name));
    if (!ours) {
        endpoint.paused_until = now + kSentElsewhere;
        return {};
    }
    HEADWAY_TRY(auto job, next_job(endpoint, now));
    endpoint.paused_until = core::kNever;
    if (!job) {
        HEADWAY_CHECK(read_due(endpoint));
        return {};
    }
    job->endpoint = endpoint.stored.name;
    job->at = now;
    endpoint.in_flight = send_(*std::move(job));
    if (!endpoint.in_flight) endpoint.paused_until = now + limits::kWebhookPauseMax;
    return {};
}

Result<std::optional<WebhookJob>> WebhookScheduler::next_job(Endpoint& endpoint, Timestamp now) {
    std::optional<WebhookJob> job;
    if (endpoint.rule.for_people()) {
        const core::PeopleLimits& people = endpoint.rule.limits;
        const Timestamp closed = endpoint.window.closed_until(people, false);
        if (closed != core::kNever && closed <= now) endpoint.backlog_before = closed;
        // With those that are due soon: their wait for others has the same end.
        HEADWAY_TRY(auto due,
                    outbox_.due_messages(endpoint.stored.name, now + people.gather,
                                         limits::kWebhookGroupMax, limits::kWebhookGroupBytesMax));
        if (closed > now)
            std::erase_if(due, [](const auto& message) { return !is_urgent(message.type); });
        return group_of(std::move(due), now, endpoint.backlog_before,
                        endpoint.window.crowded(people, now));
    }
    HEADWAY_TRY(auto message, outbox_.next_message(endpoint.stored.name, now));
    if (!message) return job;
    static_cast<WebhookPart&>(job.emplace()) = part_of(*std::move(message));
    return job;
}

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/webhook_group.hpp"

#include <algorithm>

#include "api/notify/notice.hpp"
#include "core/base/fields.hpp"
#include "core/events/event_type.hpp"
#include "core/outbound/webhook_groups.hpp"

namespace headway::server {
namespace {

core::WaitingNotice waiting_of(const storage::OutboxMessage& message) {
    const auto notice =
        api::notify::read_notice({message.type, message.session, message.n, message.body}, {});
    return {notice.asks, message.tries > 0 && !message.away, notice.cause,
            message.type == core::name_of(core::EventType::kApprovalAlarm)};
}

}  // namespace

WebhookPart part_of(storage::OutboxMessage&& message) {
    WebhookPart part;
    part.row = message.row;
    part.id = std::move(message.id);
    part.tries = message.tries;
    part.type = std::move(message.type);
    part.session = std::move(message.session);
    part.n = message.n;
    part.body = std::move(message.body);
    return part;
}

std::optional<WebhookJob> group_of(std::vector<storage::OutboxMessage>&& due, core::Timestamp now,
                                   core::Timestamp backlog_before, bool crowded) {
    std::optional<WebhookJob> job;
    const auto first = std::find_if(due.begin(), due.end(),
                                    [now](const auto& message) { return message.due_at <= now; });
    if (first == due.end()) return job;
    // One that was refused waits for its own time, so it may stand before the first that is due.
    std::rotate(due.begin(), first, first + 1);
    const bool backlog = due.front().at < backlog_before;
    if (backlog) {  // what came later goes by itself
        const auto late = std::stable_partition(due.begin(), due.end(), [&](const auto& message) {
            return message.at < backlog_before;
        });
        due.erase(late, due.end());
    }
    std::vector<core::WaitingNotice> waiting;
    waiting.reserve(due.size());
    for (const storage::OutboxMessage& message : due)
        waiting.push_back(waiting_of(message));
    const std::vector<std::size_t> chosen = core::told_together(waiting, backlog, crowded);
    job.emplace();
    for (const std::size_t place : chosen) {
        if (place == chosen.front()) {
            static_cast<WebhookPart&>(*job) = part_of(std::move(due[place]));
        } else {
            job->others.push_back(part_of(std::move(due[place])));
        }
    }
    const bool questions = crowded && waiting[chosen.front()].asks;
    job->backlog = (backlog || questions) && !job->others.empty();
    return job;
}

}  // namespace headway::server

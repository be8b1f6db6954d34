// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "storage/tables/outbox.hpp"

namespace headway::server {

/// A message of the outbox in the sender's form. Pure.
WebhookPart part_of(storage::OutboxMessage&& message);

/// The next message to people, made from `due`. `due` has pending messages in order; some may not
/// be due yet. Nothing if none is due at `now`. Messages about events before `backlog_before` had
/// to wait for the end of a window. `crowded`: several requests may share one message. The endpoint
/// and the time are not set. Pure.
std::optional<WebhookJob> group_of(std::vector<storage::OutboxMessage>&& due, core::Timestamp now,
                                   core::Timestamp backlog_before, bool crowded = false);

}  // namespace headway::server

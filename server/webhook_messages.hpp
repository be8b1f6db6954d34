// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.hpp"

// What the supervisor and the sender of webhooks hand each other.

namespace headway::server {

/// One try of one message.
struct WebhookJob {
    std::string endpoint;
    std::int64_t row = 0;     ///< in the outbox; 0: a test, which is in none
    std::string id;           ///< the webhook-id
    std::uint32_t tries = 0;  ///< before this one
    core::Timestamp at = core::kNever;
    std::string body;
    // Who waits for the outcome of a test; nobody for the others.
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

enum class WebhookOutcome : std::uint8_t {
    kDelivered,  ///< 2xx
    kRefused,    ///< the receiver does not want this message
    kAway,       ///< it takes none now: no connection, no answer in time, any other status
    kGone,       ///< 410: it wants no message any more
    kCancelled,  ///< the daemon is going down
};

struct WebhookResult {
    WebhookJob job;  ///< without its body
    WebhookOutcome outcome = WebhookOutcome::kCancelled;
    long status = 0;     ///< 0: no answer
    std::string reason;  ///< of a failure, and what to do where that is known
    std::optional<core::Millis> retry_after;
    core::Millis elapsed{0};
};

}  // namespace headway::server

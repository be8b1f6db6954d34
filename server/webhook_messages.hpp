// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.hpp"

// The messages between the engine and the webhook sender.

namespace headway::server {

/// One try of one message.
struct WebhookJob {
    std::string endpoint;
    std::int64_t row = 0;     ///< in the outbox; 0: a test, which is not stored
    std::string id;           ///< the webhook-id
    std::uint32_t tries = 0;  ///< before this one
    core::Timestamp at = core::kNever;
    std::string body;
    // The request that waits for a test; 0 for other messages.
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

enum class WebhookOutcome : std::uint8_t {
    kDelivered,  ///< 2xx
    kRefused,    ///< the receiver does not want this message
    kAway,       ///< no connection, timeout, or any other status
    kGone,       ///< 410: the receiver wants no more messages
    kCancelled,  ///< the daemon is going down
};

struct WebhookResult {
    WebhookJob job;  ///< without its body
    WebhookOutcome outcome = WebhookOutcome::kCancelled;
    long status = 0;     ///< 0: no answer
    std::string reason;  ///< of a failure, with the remedy if known
    std::optional<core::Millis> retry_after;
    core::Millis elapsed{0};
};

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.hpp"

// The messages between the engine and the webhook sender.

namespace headway::server {

/// A message of the outbox.
struct WebhookPart {
    std::int64_t row = 0;     ///< row in the outbox; 0: a test, which is not stored
    std::string id;           ///< the webhook-id
    std::uint32_t tries = 0;  ///< number of earlier tries
    std::string type;
    std::string session;
    std::uint64_t n = 0;
    std::string body;
};

/// One try of one message. If the endpoint is for people, the message also contains `others`.
struct WebhookJob : WebhookPart {
    std::string endpoint;
    core::Timestamp at = core::kNever;
    std::vector<WebhookPart> others;  ///< settled together with this message
    bool backlog = false;  ///< all its parts waited for the end of a window with too many messages
    // The client request that waits for a test; 0 for other messages.
    std::uint64_t connection = 0;
    std::uint64_t slot = 0;
};

/// Drops the bodies, which a result does not need.
inline void drop_bodies(WebhookJob& job) {
    job.body.clear();
    for (WebhookPart& other : job.others)
        other.body.clear();
}

enum class WebhookOutcome : std::uint8_t {
    kDelivered,  ///< the reply was 2xx
    kRefused,    ///< the receiver does not want this message
    kAway,       ///< no connection, a timeout, or any other status
    kGone,       ///< 410: the receiver wants no more messages
    kCancelled,  ///< the daemon is going down
};

struct WebhookResult {
    WebhookJob job;  ///< the job, without bodies
    WebhookOutcome outcome = WebhookOutcome::kCancelled;
    long status = 0;     ///< HTTP status; 0: no reply
    std::string reason;  ///< reason for a failure, with the remedy if known
    std::optional<core::Millis> retry_after;
    core::Millis elapsed{0};
};

}  // namespace headway::server

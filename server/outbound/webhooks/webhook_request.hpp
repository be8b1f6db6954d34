// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"

namespace headway::server {

/// The request on the wire, made of the stored messages when they are sent.
struct WebhookRequest {
    std::vector<std::string> headers;  ///< of HTTP, besides those of every request
    std::string body;                  ///< or a whole mail, or what a command reads
};

/// In the format of the target. `link` is where the dashboard is, or empty. Pure.
WebhookRequest request_for(const WebhookTarget& target, const WebhookJob& job,
                           std::string_view link);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"

namespace headway::server {

/// A request, made from the stored messages just before it is sent.
struct WebhookRequest {
    std::vector<std::string> headers;  ///< HTTP headers in addition to those of every request
    std::string body;                  ///< the HTTP body, a whole e-mail, or the input of a command
};

/// Makes the request in the format of the target. `link` is the dashboard's URL, or empty. Pure.
WebhookRequest request_for(const WebhookTarget& target, const WebhookJob& job,
                           std::string_view link);

}  // namespace headway::server

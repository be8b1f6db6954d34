// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/outbound/webhook_format.hpp"

namespace headway::config {

/// A receiver that is notified of events, [webhooks.endpoints.NAME].
struct WebhookEndpoint {
    std::string name;
    core::WebhookFormat format = core::WebhookFormat::kStandard;
    std::string url;          ///< http or https; smtps or smtp for e-mail; empty for a command
    std::string secret_file;  ///< file with the signing secrets, one per line, newest first
    std::string secret_env;   ///< environment variable that holds the secrets in place of the file,
                              ///< separated by spaces
    std::string topic;        ///< topic, for ntfy
    std::string chat;         ///< id of the chat, for telegram
    std::string from;         ///< for e-mail: the sender
    std::vector<std::string> to;  ///< for e-mail: recipients, at most limits::kWebhookRecipientsMax
    std::string user;             ///< user at the mail server; the secret is the password
    bool tls = true;              ///< the connection to the mail server uses TLS
    std::vector<std::string> argv;    ///< for a command: the program's full path and its
                                      ///< arguments
    std::vector<std::string> events;  ///< names of event types; empty = the default ones
    std::vector<std::string>
        verdicts;  ///< new verdicts that verdict.changed is sent for; empty = the default ones
    bool allow_private_addresses = false;
    bool decide = false;  ///< messages have links with which a person decides a request
    std::string ca_file;  ///< PEM of trusted authorities; empty = the system's
    std::chrono::milliseconds timeout{15'000};  ///< longest time for a whole delivery
    std::chrono::milliseconds connect_timeout{5'000};
    // For formats that people read: at most messages_max messages are sent in a `window`; all
    // further messages become one message at the end of the window.
    std::uint32_t messages_max = 20;
    std::chrono::milliseconds window = std::chrono::minutes{10};
    /// How long a message waits for others with the same cause, so that they are sent as one
    /// message.
    std::chrono::milliseconds gather = std::chrono::seconds{2};
    bool operator==(const WebhookEndpoint&) const = default;
};

/// [webhooks]. If there is no endpoint, no message is sent.
struct WebhookSettings {
    std::vector<WebhookEndpoint> endpoints;  ///< at most limits::kWebhookEndpointsMax
    /// The URL at which people reach the dashboard, used in links; empty: the daemon's own address.
    std::string link;
    /// The waits before the first attempt, before the second attempt, and so on: three days in
    /// total, as Standard Webhooks recommends.
    std::vector<std::chrono::milliseconds> retry{std::chrono::seconds{0}, std::chrono::seconds{5},
                                                 std::chrono::minutes{5}, std::chrono::minutes{30},
                                                 std::chrono::hours{2},   std::chrono::hours{5},
                                                 std::chrono::hours{10},  std::chrono::hours{14},
                                                 std::chrono::hours{20},  std::chrono::hours{24}};
    bool operator==(const WebhookSettings&) const = default;
};

}  // namespace headway::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace headway::config {

/// A URL that is notified of events, [webhooks.endpoints.NAME].
struct WebhookEndpoint {
    std::string name;
    std::string url;          ///< http or https
    std::string secret_file;  ///< file with the signing secrets, one a line, the newest first
    std::string secret_env;   ///< or the environment variable that holds them, with spaces between
    std::vector<std::string> events;    ///< names of event types; empty = the default ones
    std::vector<std::string> verdicts;  ///< of verdict.changed; empty = the default ones
    bool allow_private_addresses = false;
    std::string ca_file;  ///< PEM of the authorities to trust, empty = the system's
    std::chrono::milliseconds timeout{15'000};  ///< of a whole delivery
    std::chrono::milliseconds connect_timeout{5'000};
    bool operator==(const WebhookEndpoint&) const = default;
};

/// [webhooks]: without an endpoint no message is sent.
struct WebhookSettings {
    std::vector<WebhookEndpoint> endpoints;  ///< at most limits::kWebhookEndpointsMax
    /// Before the first try, before the second, ...: what Standard Webhooks recommends, three days.
    std::vector<std::chrono::milliseconds> retry{std::chrono::seconds{0}, std::chrono::seconds{5},
                                                 std::chrono::minutes{5}, std::chrono::minutes{30},
                                                 std::chrono::hours{2},   std::chrono::hours{5},
                                                 std::chrono::hours{10},  std::chrono::hours{14},
                                                 std::chrono::hours{20},  std::chrono::hours{24}};
    bool operator==(const WebhookSettings&) const = default;
};

}  // namespace headway::config

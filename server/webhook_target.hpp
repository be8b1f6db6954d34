// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/webhook_settings.hpp"
#include "core/webhooks.hpp"

namespace headway::server {

/// One endpoint, ready to be told: its secrets are read. The only place that knows them. Any thread
/// may make one, the thread of libcurl uses it.
class WebhookTarget {
public:
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// Reads the secrets from the file, else the environment. What is wrong is reported and kept as
    /// problem().
    WebhookTarget(config::WebhookEndpoint endpoint, const Report& report);

    const config::WebhookEndpoint& endpoint() const { return endpoint_; }
    const std::vector<std::string>& secrets() const { return secrets_; }
    /// Why nothing can be sent and what to do, or empty.
    const std::string& problem() const { return problem_; }
    /// What the supervisor has to know of it.
    core::WebhookRule rule() const;

private:
    void read_secrets();
    std::string setting(std::string_view key) const;

    config::WebhookEndpoint endpoint_;
    std::string problem_;
    std::vector<std::string> secrets_;
};

/// One for each endpoint of the settings.
std::vector<WebhookTarget> webhook_targets(const config::WebhookSettings& settings,
                                           const WebhookTarget::Report& report);

/// What the supervisor works by. Pure.
core::WebhookRules webhook_rules(const config::WebhookSettings& settings,
                                 const std::vector<WebhookTarget>& targets);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/settings/webhook_settings.hpp"
#include "core/outbound/webhooks.hpp"
#include "server/access/decision_links.hpp"

namespace headway::server {

/// One endpoint with its secrets, which are kept nowhere else. A target may be constructed on any
/// thread, and is then used on the thread of libcurl or of the commands.
class WebhookTarget {
public:
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// Reads the secrets from the file, else from the environment. A mistake is reported, and kept
    /// as problem().
    WebhookTarget(config::WebhookEndpoint endpoint, const Report& report);

    const config::WebhookEndpoint& endpoint() const { return endpoint_; }
    const std::vector<std::string>& secrets() const { return secrets_; }  ///< for signatures
    /// An access token or a password; empty if there is none, or if the URL itself is the secret.
    const std::string& secret() const { return secret_; }
    /// Why the endpoint is unusable and what to do, or empty.
    const std::string& problem() const { return problem_; }
    /// Adds decision links to the target's messages, if the configuration allows it. `links` makes
    /// the codes of these links and must outlive the target.
    void decide_with(const DecisionLinks& links);
    /// Null if there are no decision links.
    const DecisionLinks* links() const { return links_; }
    /// The engine's rule for this endpoint.
    core::WebhookRule rule() const;

private:
    void read_secrets();
    void take_secret(const std::string& text, const std::string& from);
    void take_bot(const std::string& token, const std::string& from);
    void warn(const Report& report) const;
    std::string setting(std::string_view key) const;
    std::string place() const;

    config::WebhookEndpoint endpoint_;
    const DecisionLinks* links_ = nullptr;
    std::string problem_;
    std::vector<std::string> secrets_;
    std::string secret_;
};

/// One target per configured endpoint.
std::vector<WebhookTarget> webhook_targets(const config::WebhookSettings& settings,
                                           const WebhookTarget::Report& report);

/// The engine's rules for these targets. Pure.
core::WebhookRules webhook_rules(const config::WebhookSettings& settings,
                                 const std::vector<WebhookTarget>& targets);

}  // namespace headway::server

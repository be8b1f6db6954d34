// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_target.hpp"

#include <cstdlib>
#include <utility>

#include "config/read_file.hpp"
#include "core/limits.hpp"
#include "core/text.hpp"
#include "server/webhook_signature.hpp"

namespace headway::server {
namespace {

/// Converts names to a set; they were validated at load.
template <class Enum, std::size_t N>
void choose(std::span<const std::string> names, std::span<const std::string_view> otherwise,
            std::bitset<N>& chosen) {
    Enum value{};
    for (const std::string& name : names) {
        if (core::parse_name(name, value)) chosen.set(static_cast<std::size_t>(value));
    }
    if (!names.empty()) return;
    for (const std::string_view name : otherwise) {
        if (core::parse_name(name, value)) chosen.set(static_cast<std::size_t>(value));
    }
}

/// Scheme and host only, because many services have a secret in the path.
std::string shown_url(std::string_view url) {
    const std::size_t host = url.find("://") + 3;
    const std::size_t rest = url.find_first_of("/?#", host);
    std::string shown{url.substr(0, rest)};
    if (rest != std::string_view::npos && url.substr(rest) != "/") shown += "/…";
    return shown;
}

}  // namespace

WebhookTarget::WebhookTarget(config::WebhookEndpoint endpoint, const Report& report)
    : endpoint_(std::move(endpoint)) {
    read_secrets();
    if (!problem_.empty()) {
        report(true, "webhook " + endpoint_.name + " cannot be sent to: " + problem_);
    } else if (endpoint_.url.starts_with("http://") && !endpoint_.allow_private_addresses) {
        report(true, "webhook " + endpoint_.name +
                         " is sent unencrypted, by HTTP; everybody on its way can read it. Set " +
                         setting("url") + " to an https address");
    }
}

std::string WebhookTarget::setting(std::string_view key) const {
    return "webhooks.endpoints." + endpoint_.name + "." + std::string{key};
}

void WebhookTarget::read_secrets() {
    std::string text;
    std::string from;
    if (!endpoint_.secret_file.empty()) {
        from = "the file of " + setting("secret_file");
        auto read =
            config::read_file(endpoint_.secret_file, core::limits::kWebhookSecretFileBytesMax);
        if (!read) {
            problem_ = from +
                       " cannot be read; `headway webhooks secret > FILE` makes one, and it "
                       "must belong to the user of the daemon";
            return;
        }
        text = *std::move(read);
    } else {
        from = "the environment variable " + endpoint_.secret_env;
        const char* const value = std::getenv(endpoint_.secret_env.c_str());
        if (value == nullptr) {
            problem_ = from + " is not set, which " + setting("secret_env") + " names";
            return;
        }
        text = value;
    }
    auto secrets = parse_webhook_secrets(text);
    if (secrets) {
        secrets_ = *std::move(secrets);
    } else {
        problem_ = "in " + from + ": " + secrets.error().detail;
    }
}

core::WebhookRule WebhookTarget::rule() const {
    core::WebhookRule rule;
    rule.name = endpoint_.name;
    rule.url = shown_url(endpoint_.url);
    rule.target = core::to_hex(core::digest_of(endpoint_.url));
    rule.problem = problem_;
    choose<core::EventType>(endpoint_.events, core::default_webhook_events(), rule.events);
    choose<core::Verdict>(endpoint_.verdicts, core::default_webhook_verdicts(), rule.verdicts);
    return rule;
}

std::vector<WebhookTarget> webhook_targets(const config::WebhookSettings& settings,
                                           const WebhookTarget::Report& report) {
    std::vector<WebhookTarget> targets;
    for (const config::WebhookEndpoint& endpoint : settings.endpoints)
        targets.emplace_back(endpoint, report);
    return targets;
}

core::WebhookRules webhook_rules(const config::WebhookSettings& settings,
                                 const std::vector<WebhookTarget>& targets) {
    core::WebhookRules rules;
    rules.retry = settings.retry;
    for (const WebhookTarget& target : targets)
        rules.endpoints.push_back(target.rule());
    return rules;
}

}  // namespace headway::server

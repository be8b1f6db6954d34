// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_target.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "config/settings/webhook_formats.hpp"
#include "config/values/read_file.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"
#include "server/outbound/webhooks/webhook_signature.hpp"

namespace headway::server {
namespace {

constexpr std::string_view kTelegramUrl = "https://api.telegram.org";

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
    if (url.empty()) return {};
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
    } else {
        warn(report);
    }
}

void WebhookTarget::warn(const Report& report) const {
    if (endpoint_.allow_private_addresses) return;
    if (endpoint_.url.starts_with("http://")) {
        report(true, "webhook " + endpoint_.name +
                         " is sent unencrypted, by HTTP; everybody on its way can read it. Set " +
                         setting("url") + " to an https address");
    } else if (endpoint_.format == core::WebhookFormat::kEmail && !endpoint_.tls) {
        report(true, "webhook " + endpoint_.name +
                         " is sent unencrypted; everybody on its way can read it. Take out " +
                         setting("tls"));
    }
}

std::string WebhookTarget::setting(std::string_view key) const {
    return "webhooks.endpoints." + endpoint_.name + "." + std::string{key};
}

void WebhookTarget::read_secrets() {
    if (endpoint_.format == core::WebhookFormat::kCommand) {
        if (::access(endpoint_.argv.front().c_str(), X_OK) != 0) {
            problem_ = endpoint_.argv.front() + " of " + setting("argv") +
                       " is no program that the user of the daemon may run";
        }
        return;
    }
    const bool optional = endpoint_.format != core::WebhookFormat::kStandard;
    if (optional && endpoint_.secret_file.empty() && endpoint_.secret_env.empty()) return;
    std::string text;
    std::string from;
    if (!endpoint_.secret_file.empty()) {
        from = "the file of " + setting("secret_file");
        auto read =
            config::read_file(endpoint_.secret_file, core::limits::kWebhookSecretFileBytesMax);
        if (!read) {
            problem_ = from +
                       (optional ? " cannot be read"
                                 : " cannot be read; `headway webhooks secret > FILE` makes one") +
                       ", and it must belong to the user of the daemon";
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
    take_secret(text, from);
}

/// Errors in the secret are reported without it.
void WebhookTarget::take_secret(const std::string& text, const std::string& from) {
    using Format = core::WebhookFormat;
    if (endpoint_.format == Format::kStandard) {
        auto secrets = parse_webhook_secrets(text);
        if (secrets) {
            secrets_ = *std::move(secrets);
        } else {
            problem_ = "in " + from + ": " + secrets.error().detail;
        }
        return;
    }
    const std::string word{core::trimmed(text)};
    const bool one = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
    });
    if (!one) {
        problem_ = "in " + from + " there is not one line with the secret";
    } else if (endpoint_.format == Format::kSlack || endpoint_.format == Format::kDiscord) {
        auto url = config::parse_webhook_url(word);
        const bool fits = url && url->starts_with("http");
        if (fits) {
            endpoint_.url = *std::move(url);
        } else {
            problem_ = "in " + from + " there is no URL such as \"https://hooks.example.com/…\"";
        }
    } else if (endpoint_.format == Format::kTelegram) {
        take_bot(word, from);
    } else if (endpoint_.format == Format::kNtfy && word.find(' ') != word.npos) {
        problem_ = "in " + from + " there is no access token such as \"tk_…\"";
    } else {
        secret_ = word;
    }
}

/// Telegram wants the token in the path, where it is as secret as a Slack URL.
void WebhookTarget::take_bot(const std::string& token, const std::string& from) {
    const bool fits = token.find(':') != token.npos &&
                      std::all_of(token.begin(), token.end(),
                                  [](char c) { return core::is_word(c) || c == '-' || c == ':'; });
    if (!fits) {
        problem_ = "in " + from + " there is no token of a bot such as \"123456:ABC-def\"";
        return;
    }
    std::string base = endpoint_.url.empty() ? std::string{kTelegramUrl} : endpoint_.url;
    while (base.ends_with('/'))
        base.pop_back();
    endpoint_.url = base + "/bot" + token + "/sendMessage";
}

/// The part of the address that distinguishes endpoints whose messages go to different people.
std::string WebhookTarget::place() const {
    std::string place = endpoint_.url;
    for (const std::string& word :
         endpoint_.format == core::WebhookFormat::kEmail ? endpoint_.to : endpoint_.argv)
        place.append("\n").append(word);
    const std::string& whom = endpoint_.topic.empty() ? endpoint_.chat : endpoint_.topic;
    return whom.empty() ? place : place + "\n" + whom;
}

void WebhookTarget::decide_with(const DecisionLinks& links) {
    if (endpoint_.decide) links_ = &links;
}

core::WebhookRule WebhookTarget::rule() const {
    core::WebhookRule rule;
    rule.name = endpoint_.name;
    rule.url = endpoint_.argv.empty() ? shown_url(endpoint_.url) : endpoint_.argv.front();
    rule.target = core::to_hex(core::digest_of(place()));
    rule.format = endpoint_.format;
    rule.limits = {endpoint_.messages_max, endpoint_.window, endpoint_.gather};
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "config/duration.hpp"
#include "config/webhook_keys.hpp"
#include "core/event_type.hpp"
#include "core/limits.hpp"
#include "core/suggest.hpp"
#include "core/verdict.hpp"
#include "core/webhooks.hpp"
#include "core/words.hpp"

// [webhooks.endpoints.NAME]: URLs that are notified.

namespace headway::config {
namespace {

namespace limits = core::limits;

constexpr std::string_view kEndpoints = "webhooks.endpoints.";
constexpr milliseconds kTimeoutMin{100};
constexpr milliseconds kTimeoutMax{60'000};  // a receiver answers and works afterwards

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

core::Result<> assign_url(WebhookEndpoint& endpoint, std::string_view text) {
    const bool secure = text.starts_with("https://");
    if (!secure && !text.starts_with("http://")) {
        return mistake(quoted(text) + " does not start with http:// or https://");
    }
    const std::string_view rest = text.substr(secure ? 8 : 7);
    const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
    // The text is not repeated: it would show the password.
    if (host.find('@') != std::string_view::npos) {
        return mistake(
            "a name or password has no place in a URL; the receiver knows us by the signature");
    }
    const bool odd = !is_printable(text) || text.find_first_of("#\"<>\\") != text.npos;
    if (host.empty() || host.starts_with(':') || odd || text.size() > limits::kStringBytesMax) {
        return mistake(quoted(text) + " is not a URL such as \"https://ops.example.com/headway\"");
    }
    endpoint.url = text;
    return {};
}

template <auto Member>
core::Result<> assign_file(WebhookEndpoint& endpoint, std::string_view text) {
    const bool fits = !text.empty() && text.size() <= limits::kStringBytesMax &&
                      text.find_first_of("\r\n") == text.npos;
    if (!fits) return mistake("is empty, too long or not on one line");
    // Not repeated: a secret that was put here by mistake must not appear in a log.
    if (text.starts_with("whsec_")) {
        return mistake("is the secret itself; write it to a file and name that here");
    }
    endpoint.*Member = text;
    return {};
}

core::Result<> assign_secret_env(WebhookEndpoint& endpoint, std::string_view text) {
    const bool name = !text.empty() && text.size() <= limits::kLabelBytesMax &&
                      !core::is_digit(text.front()) && !text.starts_with("whsec_") &&
                      std::all_of(text.begin(), text.end(), core::is_word);
    if (!name) return mistake("is not the name of an environment variable");
    endpoint.secret_env = text;
    return {};
}

/// A comma list of words of which each must be known.
template <auto Member, class Enum>
core::Result<> assign_names(WebhookEndpoint& endpoint, std::string_view text) {
    constexpr auto& kKnown = core::EnumNames<Enum>::kNames;
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = core::trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (word.empty()) continue;
        if (std::find(kKnown.begin(), kKnown.end(), word) == kKnown.end()) {
            const bool events = std::is_same_v<Enum, core::EventType>;
            return mistake(quoted(word) + (events ? " is no type of event" : " is no verdict") +
                           core::did_you_mean(word, kKnown));
        }
        if (std::find(names.begin(), names.end(), word) == names.end()) names.emplace_back(word);
    }
    if (names.empty()) return mistake("is empty; leave it out for the default");
    endpoint.*Member = std::move(names);
    return {};
}

core::Result<> assign_private(WebhookEndpoint& endpoint, std::string_view text) {
    if (text != "on" && text != "off") return mistake(quoted(text) + " is not one of on, off");
    endpoint.allow_private_addresses = text == "on";
    return {};
}

template <auto Member>
core::Result<> assign_time(WebhookEndpoint& endpoint, std::string_view text) {
    HEADWAY_TRY(const milliseconds value, parse_duration(text));
    if (value < kTimeoutMin || value > kTimeoutMax) {
        return mistake(quoted(text) + " is out of range; use " + print_duration(kTimeoutMin) +
                       " to " + print_duration(kTimeoutMax));
    }
    endpoint.*Member = value;
    return {};
}

template <auto Member>
std::string print_text(const WebhookEndpoint& endpoint) {
    return endpoint.*Member;
}

template <auto Member>
std::string print_list(const WebhookEndpoint& endpoint) {
    std::string text;
    for (const std::string& name : endpoint.*Member)
        text += (text.empty() ? "" : ",") + name;
    return text;
}

std::string print_private(const WebhookEndpoint& endpoint) {
    return endpoint.allow_private_addresses ? "on" : "off";
}

template <auto Member>
std::string print_time(const WebhookEndpoint& endpoint) {
    return print_duration(endpoint.*Member);
}

struct WebhookKey {
    std::string_view name;
    Kind kind;
    core::Result<> (*assign)(WebhookEndpoint& endpoint, std::string_view text);
    std::string (*print)(const WebhookEndpoint& endpoint);
};

using E = WebhookEndpoint;

constexpr std::array<WebhookKey, 9> kKeys{
    {{"url", Kind::kText, assign_url, print_text<&E::url>},
     {"secret_file", Kind::kText, assign_file<&E::secret_file>, print_text<&E::secret_file>},
     {"secret_env", Kind::kText, assign_secret_env, print_text<&E::secret_env>},
     {"events", Kind::kTextList, assign_names<&E::events, core::EventType>, print_list<&E::events>},
     {"verdicts", Kind::kTextList, assign_names<&E::verdicts, core::Verdict>,
      print_list<&E::verdicts>},
     {"allow_private_addresses", Kind::kText, assign_private, print_private},
     {"ca_file", Kind::kText, assign_file<&E::ca_file>, print_text<&E::ca_file>},
     {"timeout", Kind::kDuration, assign_time<&E::timeout>, print_time<&E::timeout>},
     {"connect_timeout", Kind::kDuration, assign_time<&E::connect_timeout>,
      print_time<&E::connect_timeout>}}};

const WebhookKey* find_webhook_key(std::string_view name) {
    const auto found = std::find_if(kKeys.begin(), kKeys.end(),
                                    [name](const WebhookKey& key) { return key.name == name; });
    return found == kKeys.end() ? nullptr : &*found;
}

bool is_webhook_name(std::string_view name) {
    return name.size() <= limits::kLabelBytesMax &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return core::is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
           });
}

}  // namespace

std::optional<EndpointKeyName> parse_webhook_key(std::string_view name) {
    if (!name.starts_with(kEndpoints)) return std::nullopt;
    name.remove_prefix(kEndpoints.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const EndpointKeyName parsed{name.substr(0, dot), name.substr(dot + 1)};
    return find_webhook_key(parsed.key) != nullptr ? std::optional{parsed} : std::nullopt;
}

const std::vector<std::string_view>& webhook_key_names() {
    static const std::vector<std::string_view> kNames = [] {
        std::vector<std::string_view> names;
        names.reserve(kKeys.size());
        for (const WebhookKey& key : kKeys)
            names.push_back(key.name);
        return names;
    }();
    return kNames;
}

Kind webhook_key_kind(std::string_view key) {
    const WebhookKey* found = find_webhook_key(key);
    return found != nullptr ? found->kind : Kind::kText;
}

core::Result<> assign_webhook_key(Settings& settings, std::string_view name,
                                  std::string_view text) {
    const std::optional<EndpointKeyName> parsed = parse_webhook_key(name);
    if (!parsed) return mistake("unknown key");
    if (!is_webhook_name(parsed->name)) {
        return mistake("an endpoint's name is of a-z, 0-9, _ and -, at most 128 of them");
    }
    auto& endpoints = settings.webhooks.endpoints;
    const auto found =
        std::find_if(endpoints.begin(), endpoints.end(),
                     [&parsed](const WebhookEndpoint& one) { return one.name == parsed->name; });
    const WebhookKey& key = *find_webhook_key(parsed->key);
    if (found != endpoints.end()) return key.assign(*found, text);

    if (endpoints.size() == limits::kWebhookEndpointsMax) return mistake("more than 8 endpoints");
    WebhookEndpoint added;
    added.name = parsed->name;
    HEADWAY_CHECK(key.assign(added, text));  // first, so that a mistake leaves no endpoint behind
    endpoints.push_back(std::move(added));
    return {};
}

std::vector<std::string> mistakes_in(const WebhookSettings& webhooks) {
    std::vector<std::string> mistakes;
    for (const WebhookEndpoint& endpoint : webhooks.endpoints) {
        const std::string table = std::string(kEndpoints) + endpoint.name;
        if (endpoint.url.empty()) mistakes.push_back(table + " has no url");
        if (endpoint.secret_file.empty() && endpoint.secret_env.empty()) {
            mistakes.push_back(table +
                               " has no secret_file and no secret_env; `headway webhooks secret` "
                               "makes a secret");
        }
        if (!endpoint.secret_file.empty() && !endpoint.secret_env.empty()) {
            mistakes.push_back(table + " has both of secret_file and secret_env");
        }
    }
    return mistakes;
}

std::vector<EndpointValue> webhook_values(const Settings& settings) {
    const WebhookEndpoint defaults;
    std::vector<EndpointValue> values;
    for (const WebhookEndpoint& endpoint : settings.webhooks.endpoints) {
        for (const WebhookKey& key : kKeys) {
            std::string text = key.print(endpoint);
            if (text == key.print(defaults)) continue;
            values.push_back({std::string(kEndpoints) + endpoint.name + "." + std::string(key.name),
                              std::move(text)});
        }
    }
    return values;
}

}  // namespace headway::config

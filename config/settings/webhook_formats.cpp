// SPDX-License-Identifier: Apache-2.0
#include "config/settings/webhook_formats.hpp"

#include <algorithm>

#include "config/values/parse.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::config {
namespace {

namespace limits = core::limits;
using Format = core::WebhookFormat;

bool is_visible(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool is_of_http(std::string_view url) {
    return url.starts_with("https://") || url.starts_with("http://");
}

bool is_of_mail(std::string_view url) {
    return url.starts_with("smtps://") || url.starts_with("smtp://");
}

std::string_view behind_scheme(std::string_view url) {
    return url.substr(url.find("://") + 3);
}

/// Whether a URL ends with its host and port.
bool has_no_path(std::string_view url) {
    const std::string_view rest = behind_scheme(url);
    const std::size_t path = rest.find_first_of("/?");
    return path == std::string_view::npos || rest.substr(path) == "/";
}

std::string quoted_format(Format format) {
    return "format = \"" + std::string{core::name_of(format)} + "\"";
}

/// Keys that only one format has.
void find_strange_keys(const WebhookEndpoint& endpoint, std::vector<std::string>& mistakes) {
    const WebhookEndpoint usual;
    const auto belongs = [&](bool is_set, std::string_view key, Format owner) {
        if (!is_set || endpoint.format == owner) return;
        mistakes.push_back(" has " + std::string{key} + ", which needs " + quoted_format(owner));
    };
    belongs(!endpoint.topic.empty(), "topic", Format::kNtfy);
    belongs(!endpoint.chat.empty(), "chat", Format::kTelegram);
    belongs(!endpoint.from.empty(), "from", Format::kEmail);
    belongs(!endpoint.to.empty(), "to", Format::kEmail);
    belongs(!endpoint.user.empty(), "user", Format::kEmail);
    belongs(!endpoint.tls, "tls", Format::kEmail);
    belongs(!endpoint.argv.empty(), "argv", Format::kCommand);
    const bool limits_people = endpoint.messages_max != usual.messages_max ||
                               endpoint.window != usual.window || endpoint.gather != usual.gather;
    if (endpoint.format == Format::kStandard && limits_people) {
        mistakes.emplace_back(
            " has messages_max, window or gather, which are for people; programs get every "
            "message");
    }
    if (endpoint.format == Format::kStandard && endpoint.decide)
        mistakes.emplace_back(" has decide, which is for people; programs decide by the API");
}

void check_mail(const WebhookEndpoint& endpoint, std::vector<std::string>& mistakes) {
    if (endpoint.from.empty())
        mistakes.emplace_back(" has no from; from = \"headway@example.com\" is its sender");
    if (endpoint.to.empty())
        mistakes.emplace_back(" has no to; to = [\"ana@example.com\"] are its recipients");
    const bool secret = !endpoint.secret_file.empty() || !endpoint.secret_env.empty();
    if (endpoint.user.empty() && secret)
        mistakes.emplace_back(" has a password and no user; set its user");
    if (!endpoint.user.empty() && !secret)
        mistakes.emplace_back(
            " has a user and no password; name it with secret_file or secret_env");
    if (endpoint.tls || endpoint.url.empty()) return;
    if (endpoint.url.starts_with("smtps://"))
        mistakes.emplace_back(" has an smtps:// url and tls = \"off\"; leave one of them out");
    if (!endpoint.user.empty() && !endpoint.allow_private_addresses)
        mistakes.emplace_back(" would send its password unencrypted; leave out tls = \"off\"");
}

void check_url(const WebhookEndpoint& endpoint, std::vector<std::string>& mistakes) {
    const bool mail = endpoint.format == Format::kEmail;
    if (mail && !is_of_mail(endpoint.url)) {
        mistakes.emplace_back(" has a url that is none of a mail server; an e-mail is sent by " +
                              std::string{"\"smtps://mail.example.com\" or \"smtp://…\""});
    } else if (!mail && !is_of_http(endpoint.url)) {
        mistakes.push_back(" has a url of a mail server, which needs " +
                           quoted_format(Format::kEmail));
    } else if (mail && !has_no_path(endpoint.url)) {
        mistakes.emplace_back(" has a url with a path; a mail server has none");
    } else if (endpoint.format == Format::kNtfy && !has_no_path(endpoint.url)) {
        mistakes.emplace_back(
            " has a url with a path; what is behind the host is the topic, which "
            "is a key of its own");
    } else if (endpoint.format == Format::kTelegram && !has_no_path(endpoint.url)) {
        mistakes.emplace_back(
            " has a url with a path; the bot's token belongs into the file of secret_file");
    }
}

/// Whether a secret must be there, and what it is.
void check_secret(const WebhookEndpoint& endpoint, std::vector<std::string>& mistakes) {
    const bool file = !endpoint.secret_file.empty();
    const bool variable = !endpoint.secret_env.empty();
    if (file && variable) mistakes.emplace_back(" has both of secret_file and secret_env");
    const bool url_is_secret =
        endpoint.format == Format::kSlack || endpoint.format == Format::kDiscord;
    if (url_is_secret && (file || variable) && !endpoint.url.empty()) {
        mistakes.emplace_back(
            " has both of url and a secret; the secret of this format is the url itself, leave "
            "one of them out");
    }
    if (endpoint.format == Format::kStandard && !file && !variable) {
        mistakes.emplace_back(
            " has no secret_file and no secret_env; `headway webhooks secret` makes a secret");
    }
    const bool telegram = endpoint.format == Format::kTelegram;
    if (telegram && !file && !variable) {
        mistakes.emplace_back(
            " has no secret_file and no secret_env; the secret is the token of the bot, as "
            "@BotFather says it");
    }
    if (endpoint.url.empty() && !telegram && !(url_is_secret && (file || variable)))
        mistakes.emplace_back(" has no url");
}

}  // namespace

core::Result<std::string> parse_webhook_url(std::string text) {
    if (!is_of_http(text) && !is_of_mail(text)) {
        return mistake(in_quotes(text) +
                       " does not start with http:// or https://, or for e-mail with smtps://");
    }
    const std::string_view rest = behind_scheme(text);
    const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
    // The text is not repeated: it would show the password.
    if (host.find('@') != std::string_view::npos) {
        return mistake(
            is_of_mail(text)
                ? "a name or password has no place in a URL; set its user and secret_file"
                : "a name or password has no place in a URL; the receiver knows us by the "
                  "signature");
    }
    const bool odd = !is_visible(text) || text.find_first_of("#\"<>\\") != text.npos;
    if (host.empty() || host.starts_with(':') || odd || text.size() > limits::kStringBytesMax) {
        return mistake(in_quotes(text) +
                       " is not a URL such as \"https://ops.example.com/headway\"");
    }
    return text;
}

core::Result<std::string> read_webhook_link(const Value& value) {
    std::string text = value.text();
    if (text.empty()) return text;
    const bool plain = is_of_http(text) && is_visible(text) &&
                       text.find_first_of("#?@\"'<>\\|()[]`*;,") == text.npos &&
                       text.size() <= limits::kStringBytesMax;
    const std::string_view rest = plain ? behind_scheme(text) : std::string_view{};
    if (rest.empty() || rest.starts_with('/') || rest.starts_with(':')) {
        return mistake(in_quotes(text) +
                       " is not where a dashboard is, such as \"https://headway.example.com\"");
    }
    while (text.ends_with('/'))
        text.pop_back();
    return text;
}

core::Result<std::string> read_topic(const Value& value) {
    std::string text = value.text();
    const bool fits =
        !text.empty() && text.size() <= 64 &&
        std::all_of(text.begin(), text.end(), [](char c) { return core::is_word(c) || c == '-'; });
    if (!fits) return mistake(in_quotes(text) + " is no topic: 1 to 64 of A-Z, a-z, 0-9, _ and -");
    return text;
}

core::Result<std::string> read_chat(const Value& value) {
    std::string text = value.text();
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const bool number =
        text.size() > sign && text.size() <= 20 &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(), core::is_digit);
    const bool name = text.size() > 1 && text.size() <= 64 && text.starts_with('@') &&
                      std::all_of(text.begin() + 1, text.end(), core::is_word);
    if (!number && !name) {
        return mistake(
            in_quotes(text) +
            " is no chat: its number as \"123456\" or \"-1001234567890\", or the name of "
            "a channel as \"@nightly\"");
    }
    return text;
}

core::Result<std::string> read_mail_address(const Value& value) {
    std::string text = value.text();
    const std::size_t at = text.find('@');
    const bool fits = is_visible(text) && text.size() <= 254 && at != text.npos && at > 0 &&
                      at + 1 < text.size() && text.find('@', at + 1) == text.npos &&
                      text.find_first_of("<>()[]\\,;:\"") == text.npos;
    if (!fits) return mistake(in_quotes(text) + " is no address such as \"ana@example.com\"");
    return text;
}

core::Result<Value::List> read_mail_addresses(const Value& value) {
    Value::List addresses;
    for (const std::string& word : value.items()) {
        HEADWAY_TRY(std::string address, read_mail_address(Value{word}));
        if (!core::contains(addresses, address)) addresses.push_back(std::move(address));
    }
    if (addresses.empty() || addresses.size() > limits::kWebhookRecipientsMax) {
        return mistake("must be 1 to " + std::to_string(limits::kWebhookRecipientsMax) +
                       " addresses, as [\"ana@example.com\"]");
    }
    return addresses;
}

core::Result<std::string> read_mail_user(const Value& value) {
    std::string text = value.text();
    const bool fits = !text.empty() && text.size() <= limits::kStringBytesMax && is_visible(text);
    if (!fits) return mistake("is empty, too long or not one word");
    return text;
}

core::Result<Value::List> read_argv(const Value& value) {
    Value::List words = value.items();
    const bool fits =
        !words.empty() && words.size() <= limits::kWebhookArgvMax && !value.has_empty_items() &&
        std::all_of(words.begin(), words.end(), [](const std::string& word) {
            return word.size() <= limits::kStringBytesMax && word.find('\0') == word.npos;
        });
    if (!fits) {
        return mistake("must be 1 to " + std::to_string(limits::kWebhookArgvMax) +
                       " words, none of them empty, as [\"/usr/local/bin/notify\", \"--now\"]");
    }
    if (!words.front().starts_with('/')) {
        return mistake(in_quotes(words.front()) +
                       " is not a program by its full path, as \"/usr/local/bin/notify\"; there "
                       "is no shell and no PATH to look for it");
    }
    return words;
}

std::vector<std::string> webhook_mistakes(const WebhookEndpoint& endpoint) {
    std::vector<std::string> mistakes;
    if (endpoint.format == Format::kCommand) {
        if (endpoint.argv.empty())
            mistakes.emplace_back(" has no argv; argv = [\"/usr/local/bin/notify\"] is what runs");
        const bool remote = !endpoint.url.empty() || !endpoint.secret_file.empty() ||
                            !endpoint.secret_env.empty() || !endpoint.ca_file.empty();
        if (remote) {
            mistakes.emplace_back(
                " is a command, which has no url, secret or ca_file; leave them out");
        }
    } else {
        check_secret(endpoint, mistakes);
        if (!endpoint.url.empty()) check_url(endpoint, mistakes);
    }
    if (endpoint.format == Format::kNtfy && endpoint.topic.empty())
        mistakes.emplace_back(" has no topic; topic = \"headway-alerts\" is what people subscribe");
    if (endpoint.format == Format::kTelegram && endpoint.chat.empty())
        mistakes.emplace_back(" has no chat; chat = \"123456\" is the number of who gets it");
    if (endpoint.format == Format::kEmail) check_mail(endpoint, mistakes);
    find_strange_keys(endpoint, mistakes);
    return mistakes;
}

}  // namespace headway::config

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/load/sections.hpp"
#include "config/settings/webhook_formats.hpp"
#include "core/base/limits.hpp"
#include "core/events/event_type.hpp"
#include "core/text/suggest.hpp"
#include "core/text/words.hpp"
#include "core/values/verdict.hpp"

// [webhooks.endpoints.NAME]: URLs that are notified.

namespace headway::config {
namespace {

namespace limits = core::limits;

// In milliseconds.
constexpr std::int64_t kTimeoutMin = 100;
constexpr std::int64_t kTimeoutMax = limits::kWebhookTimeoutMax.count();
constexpr std::int64_t kWindowMin = 60'000;
constexpr std::int64_t kGatherMax = 60'000;  // for a person this is late enough

core::Result<std::string> read_url(const Value& value) {
    return parse_webhook_url(value.text());
}

core::Result<std::string> read_path(const Value& value) {
    std::string text = value.text();
    const bool fits = !text.empty() && text.size() <= limits::kStringBytesMax &&
                      text.find_first_of("\r\n") == text.npos;
    if (!fits) return mistake("is empty, too long or not on one line");
    // Not repeated: a secret that was put here by mistake must not appear in a log.
    if (text.starts_with("whsec_")) {
        return mistake("is the secret itself; write it to a file and name that here");
    }
    return text;
}

core::Result<std::string> read_secret_variable(const Value& value) {
    std::string text = value.text();
    const bool name = !text.empty() && text.size() <= limits::kLabelBytesMax &&
                      !core::is_digit(text.front()) && !text.starts_with("whsec_") &&
                      std::all_of(text.begin(), text.end(), core::is_word);
    if (!name) return mistake("is not the name of an environment variable");
    return text;
}

/// Words of which each must be known.
template <class Enum>
core::Result<Value::List> read_names(const Value& value) {
    constexpr auto& kKnown = core::EnumNames<Enum>::kNames;
    Value::List names;
    for (std::string& word : value.items()) {
        if (!core::contains(kKnown, word)) {
            const bool events = std::is_same_v<Enum, core::EventType>;
            return mistake(in_quotes(word) + (events ? " is no type of event" : " is no verdict") +
                           core::did_you_mean(word, kKnown));
        }
        if (!core::contains(names, word)) names.push_back(std::move(word));
    }
    if (names.empty()) return mistake("is empty; leave it out for the default");
    return names;
}

std::vector<Row<WebhookEndpoint>> webhook_rows() {
    using E = WebhookEndpoint;
    return {enum_row<&E::format>("format"),
            value_row<read_url, &E::url>(Kind::kText, "", "url"),
            value_row<read_path, &E::secret_file>(Kind::kText, "", "secret_file"),
            value_row<read_secret_variable, &E::secret_env>(Kind::kText, "", "secret_env"),
            value_row<read_topic, &E::topic>(Kind::kText, "", "topic"),
            value_row<read_chat, &E::chat>(Kind::kText, "", "chat"),
            value_row<read_mail_address, &E::from>(Kind::kText, "", "from"),
            value_row<read_mail_addresses, &E::to>(Kind::kTextList, "", "to"),
            value_row<read_mail_user, &E::user>(Kind::kText, "", "user"),
            switch_row<kOnOff, 0, &E::tls>("tls"),
            value_row<read_argv, &E::argv>(Kind::kTextList, "", "argv"),
            value_row<read_names<core::EventType>, &E::events>(Kind::kTextList, "", "events"),
            value_row<read_names<core::Verdict>, &E::verdicts>(Kind::kTextList, "", "verdicts"),
            switch_row<kOnOff, 0, &E::allow_private_addresses>("allow_private_addresses"),
            switch_row<kOnOff, 0, &E::decide>("decide"),
            value_row<read_path, &E::ca_file>(Kind::kText, "", "ca_file"),
            time_row<kTimeoutMin, kTimeoutMax, &E::timeout>("timeout"),
            time_row<kTimeoutMin, kTimeoutMax, &E::connect_timeout>("connect_timeout"),
            whole_row<1, limits::kWebhookMessagesMax, &E::messages_max>("messages_max"),
            time_row<kWindowMin, kDayMs, &E::window>("window"),
            time_row<0, kGatherMax, &E::gather>("gather")};
}

constexpr const char* kWebhookHelp = R"(
# Each receiver has a table; without one no message is sent. Messages are signed as Standard Webhooks
# specifies, or made for people by another format. An example, with every key and the defaults of the last ones:
# [webhooks.endpoints.ops]
# format = "standard"                     # standard | slack | discord | ntfy | email | command | telegram
# url = "https://ops.example.com/headway"
# secret_file = "/etc/headway/ops.secret" # or secret_env; `headway webhooks secret` makes one. Several,
#                                         # one per line, all sign, so that a secret is replaced without a gap
# events = ["approval.requested", "approval.expired", "approval.alarm", "verdict.changed", "budget.level", "session.ended"]
# verdicts = ["blocked", "stuck", "silent"] # of verdict.changed; of budget.level critical and worse
# allow_private_addresses = "off"         # on: it may be on this machine or in a private network
# ca_file = "/etc/ssl/ops.pem"            # authorities to trust (default: the system's)
# timeout = "15s"                         # of a delivery, 100ms..1m
# connect_timeout = "5s"                  # 100ms..1m
# Of all formats but standard:
# decide = "off"                          # on | off: may a request be decided by the link in its message? needs webhooks.link
# messages_max = 20                       # in each window, 1..1000; later ones are one message at its end
# window = "10m"                          # 1m..1d
# gather = "2s"                           # events of one cause within this time are one message, 0s..1m
# slack, discord: the url, which is a secret itself, may also stand in the file of secret_file.
# ntfy: the secret is an access token, if one is needed:
# topic = "headway-alerts"
# telegram, whose secret is the token of the bot:
# chat = "123456"                         # the number of a person or a group, or "@channel"
# email, with url = "smtps://mail.example.com", or smtp:// and STARTTLS; the secret is the password of user:
# from = "headway@example.com"
# to = ["ana@example.com"]
# user = "headway"
# tls = "on"                              # off: everybody on the way can read the messages
# command, without a url or secret; the message is JSON on its standard input:
# argv = ["/usr/local/bin/notify", "--quietly"]
)";

}  // namespace

const AnyNamedTable& webhook_table() {
    static const NamedTable<WebhookEndpoint, &WebhookEndpoint::name, &Settings::webhooks,
                            &WebhookSettings::endpoints>
        kTable{{.path = "webhooks.endpoints",
                .entry = "endpoint",
                .example = "ops",
                .bad_name = kBadEndpointName,
                .too_many = "more than 8 endpoints",
                .help = kWebhookHelp},
               {.rows = webhook_rows(),
                .entries_max = limits::kWebhookEndpointsMax,
                .mistakes = webhook_mistakes}};
    return kTable;
}

}  // namespace headway::config

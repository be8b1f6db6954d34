// SPDX-License-Identifier: Apache-2.0
#include "config/load/sections.hpp"
#include "config/settings/webhook_formats.hpp"
#include "config/values/duration.hpp"
#include "core/base/limits.hpp"

namespace headway::config {
namespace {

core::Result<> assign_retry(Settings& settings, const Value& value) {
    std::vector<milliseconds> retry;
    for (const std::string& word : value.items()) {
        HEADWAY_TRY(const milliseconds delay, parse_duration(word));
        retry.push_back(delay);
    }
    if (retry.empty() || value.has_empty_items() || retry.size() > core::limits::kWebhookTriesMax) {
        return mistake("must be 1 to " + std::to_string(core::limits::kWebhookTriesMax) +
                       " durations, as [\"0s\", \"5s\", \"5m\"]: each stands before a try");
    }
    settings.webhooks.retry = std::move(retry);
    return {};
}

Value print_retry(const Settings& settings) {
    Value::List pauses;
    for (const milliseconds pause : settings.webhooks.retry)
        pauses.push_back(print_duration(pause));
    return pauses;
}

}  // namespace

void add_webhook_keys(std::vector<Key>& table) {
    Key key{"webhooks.retry", Kind::kTextList, "1..20 durations", kRestart,
            "Pauses before each try of a message; after the last it is a dead letter."};
    key.assign = assign_retry;
    key.print = print_retry;
    table.push_back(std::move(key));
    table.push_back(value_row<read_webhook_link, &Settings::webhooks, &WebhookSettings::link>(
        Kind::kText, "", "webhooks.link", kRestart,
        "URL at which people reach the dashboard, for links; empty: the daemon's own address."));
}

}  // namespace headway::config

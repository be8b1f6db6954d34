// SPDX-License-Identifier: Apache-2.0
#include "config/webhook_keys.hpp"

#include "config/duration.hpp"
#include "core/limits.hpp"
#include "core/words.hpp"

namespace headway::config {
namespace {

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

core::Result<> assign_retry(Settings& settings, std::string_view text) {
    std::vector<milliseconds> retry;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = core::trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        HEADWAY_TRY(const milliseconds delay, parse_duration(word));
        retry.push_back(delay);
    }
    if (retry.empty() || retry.size() > core::limits::kWebhookTriesMax) {
        return mistake("must be 1 to " + std::to_string(core::limits::kWebhookTriesMax) +
                       " durations, as [\"0s\", \"5s\", \"5m\"]: each stands before a try");
    }
    settings.webhooks.retry = std::move(retry);
    return {};
}

std::string print_retry(const Settings& settings) {
    std::string text;
    for (const milliseconds delay : settings.webhooks.retry)
        text += (text.empty() ? "" : ",") + print_duration(delay);
    return text;
}

}  // namespace

void add_webhook_keys(std::vector<Key>& table) {
    Key key{"webhooks.retry", Kind::kTextList, "1..20 durations", false,
            "Pauses before each try of a message; after the last it is a dead letter."};
    key.assign = assign_retry;
    key.print = print_retry;
    table.push_back(std::move(key));
}

}  // namespace headway::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/outbound/webhook_format.hpp"
#include "core/outbound/webhook_groups.hpp"
#include "core/values/verdict.hpp"

// Which events go to which webhook, and when a failed message is retried. Format and schedule
// follow Standard Webhooks (standardwebhooks.com).

namespace headway::core {

/// An endpoint and its subscription.
struct WebhookRule {
    std::string name;
    std::bitset<EnumNames<EventType>::kNames.size()> events;
    std::bitset<kVerdictCount> verdicts;  ///< subscribed targets of verdict.changed
    std::string url;      ///< for display: scheme and host, since the rest may be secret
    std::string target;   ///< digest to recognise a changed URL
    std::string problem;  ///< why nothing can be sent, or empty
    WebhookFormat format = WebhookFormat::kStandard;
    PeopleLimits limits;  ///< for every format but the standard one

    bool for_people() const noexcept { return format != WebhookFormat::kStandard; }
};

struct WebhookRules {
    std::vector<WebhookRule> endpoints;
    std::vector<Millis> retry;  ///< delay before the first try, the second, ...; not empty
};

/// Event types that need a person's action: the default subscription.
std::span<const std::string_view> default_webhook_events() noexcept;
/// Verdicts that need a person's attention.
std::span<const std::string_view> default_webhook_verdicts() noexcept;

/// True if the event concerns the endpoint: it is of a subscribed type and needs attention. A
/// verdict must be a subscribed one and not `blocked` because of an approval, which has an event of
/// its own; a budget level must be critical or worse, and worse than before. Pure.
bool wants(const WebhookRule& rule, const Event& event);

/// Delay of a message after `tries` tries, with up to a fifth more at random, so that messages that
/// failed together are not retried together. Nothing after the last try. Pure.
std::optional<Millis> delay_before_try(std::span<const Millis> retry, std::uint32_t tries,
                                       std::uint64_t random);

/// Id of the message about an event, the same on every endpoint and for all time. No other event
/// ever has this id, even after the database was restored. Pure.
std::string webhook_message_id(std::string_view session, const Event& event);

}  // namespace headway::core

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

// The choice of events for each webhook, and the schedule of retries. Format and schedule follow
// Standard Webhooks (standardwebhooks.com).

namespace headway::core {

/// An endpoint and its subscription.
struct WebhookRule {
    std::string name;
    std::bitset<EnumNames<EventType>::kNames.size()> events;
    std::bitset<kVerdictCount> verdicts;  ///< verdicts whose verdict.changed events are subscribed
    std::string url;      ///< scheme and host of the URL, for display, since the rest may be secret
    std::string target;   ///< digest of the URL, to recognise a change
    std::string problem;  ///< why nothing can be sent, or empty
    WebhookFormat format = WebhookFormat::kStandard;
    PeopleLimits limits;  ///< limits of messages to people, for all formats except the standard one

    bool for_people() const noexcept { return format != WebhookFormat::kStandard; }
};

struct WebhookRules {
    std::vector<WebhookRule> endpoints;
    std::vector<Millis> retry;  ///< delays before the first try, the second, and so on; not empty
};

/// Types of events that need an action of a person: the default subscription.
std::span<const std::string_view> default_webhook_events() noexcept;
/// Verdicts that need a person's attention.
std::span<const std::string_view> default_webhook_verdicts() noexcept;

/// True if the event concerns the endpoint: the event is of a subscribed type and needs attention.
/// A verdict must be a subscribed one; `blocked` because of an approval is excluded, since the
/// approval has its own event. A budget level must be critical or worse, and worse than before.
/// Pure.
bool wants(const WebhookRule& rule, const Event& event);

/// The delay before the next try of a message after `tries` tries; nothing after the last try. A
/// random part of up to a fifth is added, so that messages that failed together are not retried
/// together. Pure.
std::optional<Millis> delay_before_try(std::span<const Millis> retry, std::uint32_t tries,
                                       std::uint64_t random);

/// The id of the message about an event; the same at each try and for every endpoint. No other
/// event ever gets this id, even after a database is restored. Pure.
std::string webhook_message_id(std::string_view session, const Event& event);

}  // namespace headway::core

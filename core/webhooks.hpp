// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/time.hpp"
#include "core/verdict.hpp"

// Which events are told to whom, and when a message that did not arrive is tried again. Format and
// schedule are those of Standard Webhooks (standardwebhooks.com).

namespace headway::core {

/// An endpoint and what it wants to be told.
struct WebhookRule {
    std::string name;
    std::bitset<EnumNames<EventType>::kNames.size()> events;
    std::bitset<kVerdictCount> verdicts;  ///< of verdict.changed, those that it may change to
    std::string url;      ///< to be shown: scheme and host, since the rest may be secret
    std::string target;   ///< tells whether the URL is still the same
    std::string problem;  ///< why nothing can be sent, or empty
};

struct WebhookRules {
    std::vector<WebhookRule> endpoints;
    std::vector<Millis> retry;  ///< before the first try, before the second, ...; not empty
};

/// What somebody wants to be told who has to act: names of event types.
std::span<const std::string_view> default_webhook_events() noexcept;
/// Verdicts that want somebody.
std::span<const std::string_view> default_webhook_verdicts() noexcept;

/// Whether the event concerns the endpoint: it is of one of its types, and of a kind that asks for
/// attention. A verdict must be one of its verdicts, and not `blocked` because of an approval,
/// which has an event of its own; a level of a budget must be critical or worse, and worse than
/// before. Pure.
bool wants(const WebhookRule& rule, const Event& event);

/// How long a message waits that was tried `tries` times, with up to a fifth more at random, so
/// that those that failed together do not come back together. Nothing: no more tries. Pure.
std::optional<Millis> delay_before_try(std::span<const Millis> retry, std::uint32_t tries,
                                       std::uint64_t random);

/// The id of the message about an event, the same for ever and on every endpoint; another event of
/// another time never has it, also not after the database was restored. Pure.
std::string webhook_message_id(std::string_view session, const Event& event);

}  // namespace headway::core

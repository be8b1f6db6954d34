// SPDX-License-Identifier: Apache-2.0
#include "core/outbound/webhooks.hpp"

#include <array>

#include "core/base/assert.hpp"
#include "core/text/text.hpp"

namespace headway::core {
namespace {

constexpr std::array<std::string_view, 6> kEvents{"approval.requested", "approval.expired",
                                                  "approval.alarm",     "verdict.changed",
                                                  "budget.level",       "session.ended"};
constexpr std::array<std::string_view, 3> kVerdicts{"blocked", "stuck", "silent"};

template <class E, std::size_t N>
constexpr bool all_named(const std::array<std::string_view, N>& names) {
    E value{};
    for (const std::string_view name : names) {
        if (!parse_name(name, value)) return false;
    }
    return true;
}
static_assert(all_named<EventType>(kEvents) && all_named<Verdict>(kVerdicts));

bool asks_for_somebody(const WebhookRule& rule, const VerdictChanged& change) {
    const bool approval = change.to == Verdict::kBlocked && change.detector == "approval";
    // The agent tries again by itself, and usually that is enough.
    const bool passing = change.to == Verdict::kBlocked && passes(change.cause);
    return change.needs_somebody ||
           (rule.verdicts.test(static_cast<std::size_t>(change.to)) && !approval && !passing);
}

}  // namespace

std::span<const std::string_view> default_webhook_events() noexcept {
    return kEvents;
}

std::span<const std::string_view> default_webhook_verdicts() noexcept {
    return kVerdicts;
}

bool wants(const WebhookRule& rule, const Event& event) {
    if (!rule.events.test(static_cast<std::size_t>(type_of(event.payload)))) return false;
    if (const auto* change = std::get_if<VerdictChanged>(&event.payload))
        return asks_for_somebody(rule, *change);
    if (const auto* level = std::get_if<BudgetLevelChanged>(&event.payload))
        return level->to >= BudgetLevel::kCritical && level->to > level->from;
    return true;
}

std::optional<Millis> delay_before_try(std::span<const Millis> retry, std::uint32_t tries,
                                       std::uint64_t random) {
    if (tries >= retry.size()) return std::nullopt;
    const Millis delay = retry[tries];
    const auto more = static_cast<std::uint64_t>(delay.count()) / 5;
    return delay + Millis{random % (more + 1)};
}

std::string webhook_message_id(std::string_view session, const Event& event) {
    std::string what{session};
    what += '\n';
    what += std::to_string(event.n);
    what += '\n';
    what += std::to_string(event.at.time_since_epoch().count());
    HEADWAY_ASSERT(event.n > 0);
    return "msg_" + to_hex(digest_of(what));
}

}  // namespace headway::core

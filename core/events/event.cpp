// SPDX-License-Identifier: Apache-2.0
#include "core/events/event.hpp"

#include <utility>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

static_assert(std::variant_size_v<AnyPayload> == EnumNames<EventType>::kNames.size(),
              "each type has one payload");

template <std::size_t... I>
constexpr bool in_order(std::index_sequence<I...>) {
    return ((std::variant_alternative_t<I, AnyPayload>::kType == static_cast<EventType>(I)) && ...);
}
static_assert(in_order(std::make_index_sequence<std::variant_size_v<AnyPayload>>{}),
              "the place of a payload is its type");

template <std::size_t... I>
bool emplace_nth(AnyPayload& payload, std::size_t place, std::index_sequence<I...>) {
    return ((place == I && (static_cast<void>(payload.emplace<I>()), true)) || ...);
}

}  // namespace

EventType type_of(const Payload& payload) noexcept {
    HEADWAY_ASSERT(!payload.valueless_by_exception());
    return static_cast<EventType>(payload.index());
}

Payload::Payload() = default;
Payload::Payload(const Payload& other) = default;
Payload::Payload(Payload&& other) noexcept = default;
Payload& Payload::operator=(const Payload& other) = default;
Payload& Payload::operator=(Payload&& other) noexcept = default;
Payload::~Payload() = default;

bool Payload::operator==(const Payload& other) const {
    return static_cast<const AnyPayload&>(*this) == static_cast<const AnyPayload&>(other);
}

bool set_payload(Payload& payload, EventType type) {
    const bool known = emplace_nth(payload, static_cast<std::size_t>(type),
                                   std::make_index_sequence<std::variant_size_v<AnyPayload>>{});
    HEADWAY_ASSERT(!known || type_of(payload) == type);
    return known;
}

std::optional<Payload> make_payload(EventType type) {
    std::optional<Payload> payload{std::in_place};
    if (!set_payload(*payload, type)) payload.reset();
    return payload;
}

std::string_view change_name(EventType type) noexcept {
    switch (type) {
        case EventType::kToolFinished:
            return "tool_call";
        case EventType::kReflection:
            return "reflection_complete";
        case EventType::kTestResult:
            return "test_result";
        case EventType::kPhaseStarted:
            return "phase_started";
        case EventType::kPhaseCompleted:
            return "phase_completed";
        case EventType::kPlanUpdated:
            return "plan_generated";
        case EventType::kFactLearned:
            return "fact_learned";
        case EventType::kStateChanged:
            return "state_changed";
        default:
            return {};
    }
}

bool reportable(EventType type) noexcept {
    switch (type) {
        case EventType::kSessionStarted:
        case EventType::kVerdictChanged:
        case EventType::kDirectiveIssued:
        case EventType::kCancelRequested:
        case EventType::kProgressStats:
        case EventType::kBudgetSet:
        case EventType::kBudgetExtended:
        case EventType::kBudgetLevel:
        case EventType::kChildProgress:
        case EventType::kApprovalDecided:
        case EventType::kApprovalRedeemed:
        case EventType::kApprovalExpired:
        case EventType::kApprovalRevoked:
        case EventType::kApprovalAlarm:
        case EventType::kRunConflict:
        case EventType::kCheckRequested:
        case EventType::kCheckCompleted:
        case EventType::kSessionAmended:
        case EventType::kBudgetUpdated:
        case EventType::kAlarmAcknowledged:
        case EventType::kApprovalClosed:
            return false;
        default:
            return true;
    }
}

bool of_agent(const Payload& payload) noexcept {
    const auto* estimate = std::get_if<ProgressEstimated>(&payload);
    return reportable(type_of(payload)) && (estimate == nullptr || !estimate->by_judge());
}

}  // namespace headway::core

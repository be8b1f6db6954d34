// SPDX-License-Identifier: Apache-2.0
#include "core/events/event.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/names.hpp"

using namespace headway::core;

TEST_CASE("event: every type has a payload of its own and a name of its own", "[core]") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < EnumNames<EventType>::kNames.size(); ++i) {
        const auto type = static_cast<EventType>(i);
        const auto payload = make_payload(type);
        REQUIRE(payload.has_value());
        CHECK(type_of(*payload) == type);
        EventType parsed{};
        CHECK(parse_name(name_of(type), parsed));
        CHECK(parsed == type);
        names.insert(name_of(type));
    }
    CHECK(names.size() == std::variant_size_v<AnyPayload>);
}

TEST_CASE("event: a number that is no type makes no payload", "[core]") {
    CHECK_FALSE(make_payload(static_cast<EventType>(39)).has_value());
    CHECK_FALSE(make_payload(static_cast<EventType>(255)).has_value());
}

TEST_CASE("event: a name that is no type is refused and leaves the value", "[core]") {
    EventType type = EventType::kMessage;
    CHECK_FALSE(parse_name("heartbeats", type));
    CHECK_FALSE(parse_name("", type));
    CHECK(type == EventType::kMessage);
}

TEST_CASE("event: type numbers never change", "[core]") {
    // Stored on disk: a renumbering would misread old journals.
    CHECK(static_cast<int>(EventType::kSessionStarted) == 0);
    CHECK(static_cast<int>(EventType::kHeartbeat) == 1);
    CHECK(static_cast<int>(EventType::kCompacted) == 14);
    CHECK(static_cast<int>(EventType::kSessionEnded) == 19);
    CHECK(static_cast<int>(EventType::kApprovalRequested) == 25);
    CHECK(static_cast<int>(EventType::kRunConflict) == 31);
    CHECK(static_cast<int>(EventType::kCheckCompleted) == 33);
    CHECK(static_cast<int>(EventType::kSessionAmended) == 34);
    CHECK(static_cast<int>(EventType::kAlarmAcknowledged) == 36);
    CHECK(static_cast<int>(EventType::kApprovalClosed) == 38);
}

TEST_CASE("event: change names", "[core]") {
    const std::pair<EventType, std::string_view> cases[] = {
        {EventType::kToolFinished, "tool_call"},
        {EventType::kReflection, "reflection_complete"},
        {EventType::kTestResult, "test_result"},
        {EventType::kPhaseStarted, "phase_started"},
        {EventType::kPhaseCompleted, "phase_completed"},
        {EventType::kPlanUpdated, "plan_generated"},
        {EventType::kFactLearned, "fact_learned"},
        {EventType::kStateChanged, "state_changed"},
        {EventType::kHeartbeat, ""},
        {EventType::kToolStarted, ""},
        {EventType::kMessage, ""},
        {EventType::kProgressEstimated, ""},
        {EventType::kErrorReported, ""},
        {EventType::kVerdictChanged, ""},
        {EventType::kSessionEnded, ""},
    };
    for (const auto& [type, name] : cases)
        CHECK(change_name(type) == name);
}

TEST_CASE("event: a client may report every type except Headway's own", "[core]") {
    const std::set<EventType> ours{
        EventType::kSessionStarted,  EventType::kVerdictChanged,    EventType::kDirectiveIssued,
        EventType::kCancelRequested, EventType::kProgressStats,     EventType::kBudgetSet,
        EventType::kBudgetExtended,  EventType::kBudgetLevel,       EventType::kChildProgress,
        EventType::kApprovalDecided, EventType::kApprovalRedeemed,  EventType::kApprovalExpired,
        EventType::kApprovalRevoked, EventType::kApprovalAlarm,     EventType::kRunConflict,
        EventType::kCheckRequested,  EventType::kCheckCompleted,    EventType::kSessionAmended,
        EventType::kBudgetUpdated,   EventType::kAlarmAcknowledged, EventType::kApprovalClosed};
    for (std::size_t i = 0; i < EnumNames<EventType>::kNames.size(); ++i) {
        const auto type = static_cast<EventType>(i);
        CHECK(reportable(type) == (ours.count(type) == 0));
    }
}

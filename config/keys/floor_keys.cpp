// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "config/load/sections.hpp"
#include "config/values/parse.hpp"
#include "core/base/limits.hpp"
#include "core/events/event_type.hpp"

// How far sessions that agents open may weaken the policy. "policy", or 0, is as [policy] has it.

namespace headway::config {
namespace {

using core::PolicyFloor;

constexpr std::string_view kAsPolicy = "policy";

constexpr std::array<std::string_view, 3> kProfiles{kAsPolicy, "balanced", "strict"};
constexpr std::array<std::string_view, 3> kSwitches{kAsPolicy, "on", "off"};
constexpr std::array<std::string_view, 5> kOnStuck{kAsPolicy, "advise", "ask", "stop", "halt"};
constexpr std::array<std::string_view, 2> kDetectors{"on", "off"};
constexpr std::array<std::string_view, 2> kOrigins{"hint", "trusted"};

/// One of `Words`; `Read` makes the member of the place of the word, `Write` the place of it.
template <const auto& Words, auto Read, auto Write>
Key word_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kWord, join(Words, " | "), kReload, std::move(help)};
    key.assign = [](Settings& settings, const Value& value) -> core::Result<> {
        HEADWAY_TRY(const std::size_t place, parse_word(value, Words));
        Read(settings.policy_floor, place);
        return {};
    };
    key.print = [](const Settings& s) { return Value(Words[Write(s.policy_floor)]); };
    return key;
}

template <auto Member>
constexpr auto read_optional = [](PolicyFloor& floor, std::size_t place) {
    floor.*Member = place == 0 ? std::nullopt : std::optional{place == 1};
};
template <auto Member>
constexpr auto write_optional = [](const PolicyFloor& floor) -> std::size_t {
    if (!(floor.*Member)) return 0;
    return *(floor.*Member) ? 1 : 2;
};

core::Result<Value::List> read_ignored(const Value& value) {
    return parse_tools(value, core::limits::kRequiredToolsMax);
}

constexpr auto read_profile = [](PolicyFloor& floor, std::size_t place) {
    floor.profile =
        place == 0 ? std::nullopt
                   : std::optional{place == 2 ? core::Profile::kStrict : core::Profile::kBalanced};
};
constexpr auto write_profile = [](const PolicyFloor& floor) -> std::size_t {
    if (!floor.profile) return 0;
    return *floor.profile == core::Profile::kStrict ? 2 : 1;
};
// The words behind "policy" are those of OnStuck behind by_profile.
constexpr auto read_on_stuck = [](PolicyFloor& floor, std::size_t place) {
    floor.on_stuck = place == 0 ? std::nullopt : std::optional{static_cast<core::OnStuck>(place)};
};
constexpr auto write_on_stuck = [](const PolicyFloor& floor) -> std::size_t {
    return floor.on_stuck ? static_cast<std::size_t>(*floor.on_stuck) : 0;
};
constexpr auto read_detectors = [](PolicyFloor& floor, std::size_t place) {
    floor.detectors_off = place == 1;
};
constexpr auto write_detectors = [](const PolicyFloor& floor) -> std::size_t {
    return floor.detectors_off ? 1 : 0;
};
constexpr auto read_origin = [](PolicyFloor& floor, std::size_t place) {
    floor.trust_origin = place == 1;
};
constexpr auto write_origin = [](const PolicyFloor& floor) -> std::size_t {
    return floor.trust_origin ? 1 : 0;
};

void add_switches(std::vector<Key>& table) {
    table.push_back(word_key<kProfiles, read_profile, write_profile>(
        "policy.floor.profile",
        "Weakest profile of sessions opened without the scope control; policy: that of [policy]."));
    table.push_back(word_key<kSwitches, read_optional<&PolicyFloor::loop_detection>,
                             write_optional<&PolicyFloor::loop_detection>>(
        "policy.floor.loop_detection", "on: an opening cannot switch loop detection off."));
    table.push_back(word_key<kSwitches, read_optional<&PolicyFloor::judge>,
                             write_optional<&PolicyFloor::judge>>(
        "policy.floor.judge", "on: an opening cannot keep its session from judges."));
    table.push_back(word_key<kOnStuck, read_on_stuck, write_on_stuck>(
        "policy.floor.on_stuck", "Weakest last step after stuck."));
    table.push_back(word_key<kDetectors, read_detectors, write_detectors>(
        "policy.floor.detectors", "on: an opening cannot switch detectors off."));
    table.push_back(word_key<kOrigins, read_origin, write_origin>(
        "policy.floor.origin",
        "trusted: calls reported with origin hook are no evidence; hint: they are."));
}

}  // namespace

void add_floor_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::policy_floor;
    constexpr std::uint64_t kMany = 1'000'000'000;
    add_switches(table);
    table.push_back(value_row<read_ignored, kAt, &PolicyFloor::ignore_tools>(
        Kind::kTextList, "tool names", "policy.floor.ignore_tools", kReload,
        "Tools that an opening may ignore, besides those of policy.ignore_tools."));
    table.push_back(whole_row<1, core::kPatienceMax, kAt, &PolicyFloor::patience>(
        "policy.floor.patience", kReload, "The highest patience of a tool."));
    table.push_back(whole_row<1, 100, kAt, &PolicyFloor::threshold_factor>(
        "policy.floor.threshold_factor", kReload,
        "The highest thresholds of detectors, as a multiple of those in force."));
    table.push_back(
        time_row<core::kHeartbeatIntervalMin.count(), core::kHeartbeatIntervalMax.count(), kAt,
                 &PolicyFloor::heartbeat_interval>("policy.floor.heartbeat_interval", kReload,
                                                   "Longest heartbeat interval."));
    table.push_back(whole_row<core::kHeartbeatLimitMin, core::kHeartbeatLimitMax, kAt,
                              &PolicyFloor::heartbeat_limit>("policy.floor.heartbeat_limit",
                                                             kReload, "Highest heartbeat limit."));
    table.push_back(whole_row<0, kMany, kAt, &PolicyFloor::max_iterations>(
        "policy.floor.max_iterations", kReload,
        "Highest limit of iterations; 0: the limit of [policy], as in the next three."));
    table.push_back(whole_row<0, kMany, kAt, &PolicyFloor::max_tool_failures>(
        "policy.floor.max_tool_failures", kReload,
        "Highest limit of failures of one tool in a row."));
    table.push_back(whole_row<0, kMany, kAt, &PolicyFloor::max_parse_failures>(
        "policy.floor.max_parse_failures", kReload, "Highest limit of unreadable turns in a row."));
    table.push_back(time_row<0, kDayMs, kAt, &PolicyFloor::tool_time_limit>(
        "policy.floor.tool_time_limit", kReload, "Longest time limit of a call."));
    table.push_back(value_row<parse_fraction, kAt, &PolicyFloor::min_confidence>(
        Kind::kNumber, "0..1", "policy.floor.min_confidence", kReload,
        "Lowest confidence limit; 0: that of [policy]."));
}

}  // namespace headway::config

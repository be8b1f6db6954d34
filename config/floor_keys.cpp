// SPDX-License-Identifier: Apache-2.0
#include "config/floor_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "config/duration.hpp"
#include "core/event_type.hpp"
#include "core/limits.hpp"
#include "core/suggest.hpp"

// How far sessions that agents open may weaken the policy. "policy", or 0, is as [policy] has it.

namespace headway::config {
namespace {

using core::PolicyFloor;

constexpr std::string_view kAsPolicy = "policy";
constexpr std::int64_t kDay = 24LL * 3'600'000;

constexpr std::array<std::string_view, 3> kProfiles{kAsPolicy, "balanced", "strict"};
constexpr std::array<std::string_view, 3> kSwitches{kAsPolicy, "on", "off"};
constexpr std::array<std::string_view, 5> kOnStuck{kAsPolicy, "advise", "ask", "stop", "halt"};
constexpr std::array<std::string_view, 2> kDetectors{"on", "off"};
constexpr std::array<std::string_view, 2> kOrigins{"hint", "trusted"};

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
    std::string text;
    for (const std::string_view word : words)
        text.append(text.empty() ? "" : separator).append(word);
    return text;
}

/// The place of a word among those that are allowed.
core::Result<std::size_t> place_of(std::string_view text, std::span<const std::string_view> words) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    return mistake("\"" + std::string(text) + "\" is not one of " + join(words, ", ") +
                   core::did_you_mean(text, words));
}

/// One of `Words`; `Read` makes the member of the place of the word, `Write` the place of it.
template <const auto& Words, auto Read, auto Write>
Key word_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kText, join(Words, " | "), true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(const std::size_t place, place_of(text, Words));
        Read(settings.policy_floor, place);
        return {};
    };
    key.print = [](const Settings& s) { return std::string(Words[Write(s.policy_floor)]); };
    return key;
}

template <auto Member>
constexpr auto read_switch = [](PolicyFloor& floor, std::size_t place) {
    floor.*Member = place == 0 ? std::nullopt : std::optional{place == 1};
};
template <auto Member>
constexpr auto write_switch = [](const PolicyFloor& floor) -> std::size_t {
    if (!(floor.*Member)) return 0;
    return *(floor.*Member) ? 1 : 2;
};

template <class T>
core::Result<T> parse_whole(std::string_view text, std::uint64_t min, std::uint64_t max) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= min && number <= max)
        return static_cast<T>(number);
    return mistake("\"" + std::string(text) + "\" is not a whole number from " +
                   std::to_string(min) + " to " + std::to_string(max));
}

template <auto Member, std::uint64_t Min, std::uint64_t Max>
Key count_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max), true,
            std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        auto& value = settings.policy_floor.*Member;
        HEADWAY_TRY(value, parse_whole<std::remove_reference_t<decltype(value)>>(text, Min, Max));
        return {};
    };
    key.print = [](const Settings& s) { return std::to_string(s.policy_floor.*Member); };
    return key;
}

// Bounds in milliseconds.
template <auto Member, std::int64_t Min, std::int64_t Max>
Key time_key(std::string name, std::string help) {
    std::string range =
        print_duration(milliseconds{Min}) + ".." + print_duration(milliseconds{Max});
    Key key{std::move(name), Kind::kDuration, std::move(range), true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(const milliseconds value, parse_duration(text));
        if (value < milliseconds{Min} || value > milliseconds{Max}) {
            return mistake("\"" + std::string(text) + "\" is out of range; use " +
                           print_duration(milliseconds{Min}) + " to " +
                           print_duration(milliseconds{Max}));
        }
        settings.policy_floor.*Member = value;
        return {};
    };
    key.print = [](const Settings& s) { return print_duration(s.policy_floor.*Member); };
    return key;
}

Key min_confidence_key() {
    Key key{"policy.floor.min_confidence", Kind::kNumber, "0..1", true,
            "The lowest confidence that may be allowed; 0 is as [policy] has it."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        double number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc{} || rest != end || !(number >= 0 && number <= 1)) {
            return mistake("\"" + std::string(text) + "\" is not a number from 0 to 1");
        }
        settings.policy_floor.min_confidence = number;
        return {};
    };
    key.print = [](const Settings& s) {
        char digits[32];
        const auto end =
            std::to_chars(digits, digits + sizeof digits, s.policy_floor.min_confidence).ptr;
        return std::string{digits, end};
    };
    return key;
}

Key ignore_tools_key() {
    Key key{"policy.floor.ignore_tools", Kind::kTextList, "tool names", true,
            "Tools that an opening may ignore, besides those of policy.ignore_tools."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        std::vector<std::string> names;
        while (!text.empty()) {
            const std::size_t comma = std::min(text.find(','), text.size());
            std::string_view name = text.substr(0, comma);
            text.remove_prefix(std::min(comma + 1, text.size()));
            name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
            name = name.substr(0, name.find_last_not_of(' ') + 1);
            if (!name.empty()) names.emplace_back(name);
        }
        if (names.size() > core::limits::kRequiredToolsMax) return mistake("more than 256 tools");
        settings.policy_floor.ignore_tools = std::move(names);
        return {};
    };
    key.print = [](const Settings& s) {
        std::string text;
        for (const std::string& tool : s.policy_floor.ignore_tools)
            text.append(text.empty() ? "" : ",").append(tool);
        return text;
    };
    return key;
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
        "The least that sessions opened without the scope control may have; policy: as above."));
    table.push_back(word_key<kSwitches, read_switch<&PolicyFloor::loop_detection>,
                             write_switch<&PolicyFloor::loop_detection>>(
        "policy.floor.loop_detection", "on: an opening cannot switch it off."));
    table.push_back(
        word_key<kSwitches, read_switch<&PolicyFloor::judge>, write_switch<&PolicyFloor::judge>>(
            "policy.floor.judge", "on: an opening cannot keep its session from judges."));
    table.push_back(word_key<kOnStuck, read_on_stuck, write_on_stuck>(
        "policy.floor.on_stuck", "The least that follows stuck."));
    table.push_back(word_key<kDetectors, read_detectors, write_detectors>(
        "policy.floor.detectors", "on: an opening cannot switch detectors off."));
    table.push_back(word_key<kOrigins, read_origin, write_origin>(
        "policy.floor.origin",
        "trusted: calls reported with origin hook are no evidence; hint: they are."));
}

}  // namespace

void add_floor_keys(std::vector<Key>& table) {
    constexpr std::uint64_t kMany = 1'000'000'000;
    add_switches(table);
    table.push_back(ignore_tools_key());
    table.push_back(count_key<&PolicyFloor::patience, 1, core::kPatienceMax>(
        "policy.floor.patience", "The highest patience of a tool."));
    table.push_back(count_key<&PolicyFloor::threshold_factor, 1, 100>(
        "policy.floor.threshold_factor",
        "The highest thresholds of detectors, as a multiple of those in force."));
    table.push_back(time_key<&PolicyFloor::heartbeat_interval, core::kHeartbeatIntervalMin.count(),
                             core::kHeartbeatIntervalMax.count()>("policy.floor.heartbeat_interval",
                                                                  "The longest."));
    table.push_back(
        count_key<&PolicyFloor::heartbeat_limit, core::kHeartbeatLimitMin,
                  core::kHeartbeatLimitMax>("policy.floor.heartbeat_limit", "The highest."));
    table.push_back(count_key<&PolicyFloor::max_iterations, 0, kMany>(
        "policy.floor.max_iterations", "The highest; 0 is as [policy] has it, as in the next."));
    table.push_back(count_key<&PolicyFloor::max_tool_failures, 0, kMany>(
        "policy.floor.max_tool_failures", "The highest."));
    table.push_back(count_key<&PolicyFloor::max_parse_failures, 0, kMany>(
        "policy.floor.max_parse_failures", "The highest."));
    table.push_back(time_key<&PolicyFloor::tool_time_limit, 0, kDay>("policy.floor.tool_time_limit",
                                                                     "The longest."));
    table.push_back(min_confidence_key());
}

}  // namespace headway::config

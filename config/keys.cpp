// SPDX-License-Identifier: Apache-2.0
#include "config/keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "config/approval_keys.hpp"
#include "config/budget_keys.hpp"
#include "config/duration.hpp"
#include "config/floor_keys.hpp"
#include "config/judge_keys.hpp"
#include "config/listener_keys.hpp"
#include "config/policy_keys.hpp"
#include "config/redaction_keys.hpp"
#include "config/size.hpp"
#include "config/webhook_keys.hpp"
#include "core/limits.hpp"
#include "core/suggest.hpp"

namespace headway::config {
namespace {

using Choices = std::span<const std::string_view>;

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kHour = 3'600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;

constexpr std::array<std::string_view, 2> kProfiles{"balanced", "strict"};
constexpr std::array<std::string_view, 2> kSwitch{"on", "off"};
constexpr std::array<std::string_view, 6> kLevels{"trace", "debug", "info", "warn", "error", "off"};
constexpr std::array<std::string_view, 2> kAccessModes{"local", "token"};
constexpr std::array<std::string_view, 2> kLocalControl{"open", "token"};
constexpr std::array<std::string_view, 3> kFormats{"auto", "text", "json"};

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::string join(Choices words, std::string_view separator) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

core::Result<> check_choice(std::string_view text, Choices choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
    return mistake("\"" + std::string(text) + "\" is not one of " + join(choices, ", ") +
                   core::did_you_mean(text, choices));
}

core::Result<std::uint32_t> parse_count(std::string_view text, std::uint32_t min,
                                        std::uint32_t max) {
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= min && number <= max) return number;
    return mistake("\"" + std::string(text) + "\" is not a whole number from " +
                   std::to_string(min) + " to " + std::to_string(max));
}

core::Result<milliseconds> parse_span(std::string_view text, milliseconds min, milliseconds max) {
    HEADWAY_TRY(const milliseconds value, parse_duration(text));
    if (value >= min && value <= max) return value;
    return mistake("\"" + std::string(text) + "\" is out of range; use " + print_duration(min) +
                   " to " + print_duration(max));
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (word.starts_with(' '))
            word.remove_prefix(1);
        while (word.ends_with(' '))
            word.remove_suffix(1);
        if (!word.empty()) words.emplace_back(word);
    }
    return words;
}

core::Result<> check_host_name(std::string_view text) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]";
    if (!text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos) return {};
    return mistake("\"" + std::string(text) + "\" is not a host; write \"name\" or \"name:port\"");
}

template <auto Section, auto Member, std::uint32_t Min, std::uint32_t Max>
Key count_key(std::string name, bool reloadable, std::string help) {
    Key key{std::move(name), Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max),
            reloadable, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY((settings.*Section).*Member, parse_count(text, Min, Max));
        return {};
    };
    key.print = [](const Settings& s) { return std::to_string((s.*Section).*Member); };
    return key;
}

// Bounds in milliseconds.
template <auto Section, auto Member, std::int64_t Min, std::int64_t Max>
Key duration_key(std::string name, bool reloadable, std::string help) {
    std::string range =
        print_duration(milliseconds{Min}) + ".." + print_duration(milliseconds{Max});
    Key key{std::move(name), Kind::kDuration, std::move(range), reloadable, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY((settings.*Section).*Member,
                    parse_span(text, milliseconds{Min}, milliseconds{Max}));
        return {};
    };
    key.print = [](const Settings& s) { return print_duration((s.*Section).*Member); };
    return key;
}

template <auto Section, auto Member>
Key size_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kText, "as 64MiB", false, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY((settings.*Section).*Member, parse_size(text));
        return {};
    };
    key.print = [](const Settings& s) { return print_size((s.*Section).*Member); };
    return key;
}

template <auto Section, auto Member, const auto& Allowed>
Key choice_key(std::string name, bool reloadable, std::string help) {
    Key key{std::move(name), Kind::kText, join(Allowed, " | "), reloadable, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, Allowed));
        (settings.*Section).*Member = text;
        return {};
    };
    key.print = [](const Settings& s) { return (s.*Section).*Member; };
    return key;
}

Key allowed_hosts_key() {
    Key key{"server.allowed_hosts", Kind::kTextList, "name or name:port", true,
            "Further Host headers to accept, such as a proxy's name."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        std::vector<std::string> hosts = split_list(text);
        for (const std::string& host : hosts) {
            HEADWAY_CHECK(check_host_name(host));
        }
        settings.server.allowed_hosts = std::move(hosts);
        return {};
    };
    key.print = [](const Settings& s) {
        const std::vector<std::string_view> hosts(s.server.allowed_hosts.begin(),
                                                  s.server.allowed_hosts.end());
        return join(hosts, ",");
    };
    return key;
}

Key state_dir_key() {
    Key key{"storage.state_dir", Kind::kText, "", false,
            "Folder of headway.db; empty means the state folder of systemd, XDG or the home."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        settings.storage.state_dir = text;
        return {};
    };
    key.print = [](const Settings& s) { return s.storage.state_dir; };
    return key;
}

Key profile_key() {
    Key key{"policy.profile", Kind::kText, join(kProfiles, " | "), true,
            "Of new sessions: balanced suspects first, strict calls it stuck."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kProfiles));
        const bool strict = text == "strict";
        settings.policy.profile = strict ? core::Profile::kStrict : core::Profile::kBalanced;
        return {};
    };
    key.print = [](const Settings& s) {
        const bool strict = s.policy.profile == core::Profile::kStrict;
        return std::string(strict ? "strict" : "balanced");
    };
    return key;
}

Key loop_detection_key() {
    Key key{"policy.loop_detection", Kind::kText, join(kSwitch, " | "), true,
            "Of new sessions: off leaves liveness, failures and what agents say."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kSwitch));
        settings.policy.loop_detection = text == "on";
        return {};
    };
    key.print = [](const Settings& s) {
        return std::string(s.policy.loop_detection ? "on" : "off");
    };
    return key;
}

Key on_stuck_key() {
    constexpr const auto& kNames = core::EnumNames<core::OnStuck>::kNames;
    Key key{"policy.on_stuck", Kind::kText, join(kNames, " | "), true,
            "What follows stuck: advice, a question to a person, a stop, or the end."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kNames));
        core::parse_name(text, settings.policy.on_stuck);
        return {};
    };
    key.print = [](const Settings& s) { return std::string(core::name_of(s.policy.on_stuck)); };
    return key;
}

Key ignore_tools_key() {
    Key key{"policy.ignore_tools", Kind::kTextList, "tool names", true,
            "Tools whose calls are no evidence of anything, such as a logger's."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        const std::vector<std::string> names = split_list(text);
        if (names.size() > core::limits::kToolPoliciesMax) {
            return mistake("more than 32 tools");
        }
        settings.policy.tools.clear();
        for (const std::string& name : names)
            settings.policy.tools.push_back({name, true, 1});
        return {};
    };
    key.print = [](const Settings& s) {
        std::vector<std::string_view> names;
        for (const core::ToolPolicy& tool : s.policy.tools)
            names.push_back(tool.tool);
        return join(names, ",");
    };
    return key;
}

Key legacy_mode_key() {
    constexpr const auto& kNames = core::EnumNames<core::LegacyMode>::kNames;
    Key key{"legacy_timeouts.mode", Kind::kText, join(kNames, " | "), true,
            "The old timers of new sessions: note what they would have ended, or end it."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kNames));
        core::parse_name(text, settings.legacy_timeouts.mode);
        return {};
    };
    key.print = [](const Settings& s) {
        return std::string(core::name_of(s.legacy_timeouts.mode));
    };
    return key;
}

Key legacy_fallback_key() {
    Key key{
        "legacy_timeouts.fallback", Kind::kText, join(kSwitch, " | "), true,
        "on: a session that went silent, so that its status is not known, is ended by its timer."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kSwitch));
        settings.legacy_timeouts.fallback = text == "on";
        return {};
    };
    key.print = [](const Settings& s) {
        return std::string(s.legacy_timeouts.fallback ? "on" : "off");
    };
    return key;
}

void add_legacy_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::legacy_timeouts;
    table.push_back(legacy_mode_key());
    table.push_back(duration_key<kAt, &core::LegacyTimeouts::session, 0, 30 * kDay>(
        "legacy_timeouts.session", true, "From the opening of a session; 0s: no such timer."));
    table.push_back(duration_key<kAt, &core::LegacyTimeouts::tool, 0, kDay>(
        "legacy_timeouts.tool", true, "Of one tool call, only observed; 0s: no such timer."));
    table.push_back(legacy_fallback_key());
}

void add_server_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::server;
    add_listener_keys(table);
    table.push_back(allowed_hosts_key());
    table.push_back(count_key<kAt, &ServerSettings::connections_max, 16, 100'000>(
        "server.connections_max", false, "Connections at once; one more is closed at once."));
    table.push_back(duration_key<kAt, &ServerSettings::header_timeout, 10, kHour>(
        "server.header_timeout", false,
        "From the first byte of a request to the end of its header."));
    table.push_back(duration_key<kAt, &ServerSettings::body_timeout, 10, kHour>(
        "server.body_timeout", false, "From the end of the header to the end of the body."));
    table.push_back(duration_key<kAt, &ServerSettings::idle_timeout, 10, kDay>(
        "server.idle_timeout", false, "How long a kept-alive connection may rest."));
    table.push_back(duration_key<kAt, &ServerSettings::write_timeout, 10, kHour>(
        "server.write_timeout", false, "How long a client may leave a reply or a stream unread."));
    table.push_back(duration_key<kAt, &ServerSettings::drain_timeout, 0, kHour>(
        "server.drain_timeout", false, "After SIGTERM: how long replies in flight may take."));
}

void add_storage_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::storage;
    table.push_back(state_dir_key());
    table.push_back(duration_key<kAt, &StorageSettings::retention, 0, 3'650 * kDay>(
        "storage.retention", true, "Ended sessions are deleted after this; 0s keeps them."));
    table.push_back(count_key<kAt, &StorageSettings::sessions_resident_max, 1, 10'000'000>(
        "storage.sessions_resident_max", false,
        "Sessions kept in memory; idle ones above it are read back when needed."));
    table.push_back(size_key<kAt, &StorageSettings::sessions_resident_bytes>(
        "storage.sessions_resident_bytes", "Memory that those take, about. 0: without a bound."));
    table.push_back(duration_key<kAt, &StorageSettings::clock_confirm, 0, kDay>(
        "storage.clock_confirm", false,
        "A wall clock that jumps ahead is followed after this; 0s at once."));
    table.push_back(size_key<kAt, &StorageSettings::free_space_min>(
        "storage.free_space_min", "Free on the disk; with less, reports are refused. 0: none."));
    table.push_back(size_key<kAt, &StorageSettings::ballast>(
        "storage.ballast", "File that is given up so that a full disk can be cleaned. 0: none."));
}

void add_policy_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::policy;
    table.push_back(profile_key());
    table.push_back(
        duration_key<kAt, &core::Policy::heartbeat_interval, core::kHeartbeatIntervalMin.count(),
                     core::kHeartbeatIntervalMax.count()>(
            "policy.heartbeat_interval", true,
            "Interval asked of a quiet agent; it is not alive after two of them."));
    table.push_back(count_key<kAt, &core::Policy::heartbeat_limit, core::kHeartbeatLimitMin,
                              core::kHeartbeatLimitMax>(
        "policy.heartbeat_limit", true,
        "Heartbeats in a row without a state change, and with no call in flight."));
    table.push_back(loop_detection_key());
    table.push_back(on_stuck_key());
    table.push_back(ignore_tools_key());
    table.push_back(duration_key<kAt, &core::Policy::tool_time_limit, 0, kDay>(
        "policy.tool_time_limit", true,
        "A longer call is pointed out to its agent and is a failure of its tool; 0s: never."));
    add_policy_limit_keys(table);
    add_floor_keys(table);
}

std::vector<Key> build_table() {
    std::vector<Key> table;
    add_server_keys(table);
    add_storage_keys(table);
    add_policy_keys(table);
    add_legacy_keys(table);
    add_budget_keys(table);
    table.push_back(choice_key<&Settings::access, &AccessSettings::mode, kAccessModes>(
        "access.mode", true,
        "local: reports and reading need no token, approvals and tokens do; token: all does."));
    table.push_back(choice_key<&Settings::access, &AccessSettings::local_control, kLocalControl>(
        "access.local_control", true,
        "In mode local: whether cancel, pause, resume, nudge and budgets are open to all."));
    table.push_back(
        duration_key<&Settings::access, &AccessSettings::login_for, 60 * kSecond, 365 * kDay>(
            "access.login_for", true,
            "How long a browser that opened a login link stays logged in."));
    add_approval_keys(table);
    add_judge_keys(table);
    add_webhook_keys(table);
    add_redaction_keys(table);
    table.push_back(choice_key<&Settings::log, &LogSettings::level, kLevels>(
        "log.level", true, "Least important message that is written."));
    table.push_back(choice_key<&Settings::log, &LogSettings::format, kFormats>(
        "log.format", false, "auto is text on a terminal and json elsewhere."));
    return table;
}

}  // namespace

const std::vector<Key>& keys() {
    static const std::vector<Key> table = build_table();
    return table;
}

}  // namespace headway::config

// SPDX-License-Identifier: Apache-2.0
#include "config/load/keys.hpp"

#include <array>

#include "config/load/load.hpp"
#include "config/load/sections.hpp"
#include "config/values/parse.hpp"
#include "config/values/size.hpp"
#include "core/base/limits.hpp"

namespace headway::config {
namespace {

constexpr std::array<std::string_view, 6> kLevels{"trace", "debug", "info", "warn", "error", "off"};
constexpr std::array<std::string_view, 2> kAccessModes{"local", "token"};
constexpr std::array<std::string_view, 2> kLocalControl{"open", "token"};
constexpr std::array<std::string_view, 3> kFormats{"auto", "text", "json"};

core::Result<std::uint64_t> read_size(const Value& value) {
    return parse_size(value.text());
}

template <auto... Path>
Key size_key(std::string name, std::string help) {
    return shown_as<Settings>(
        [](const Settings& s) -> Value { return print_size(member<Path...>(s)); },
        value_row<read_size, Path...>(Kind::kText, "as 64MiB", std::move(name), kRestart,
                                      std::move(help)));
}

core::Result<Value::List> read_hosts(const Value& value) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]";
    Value::List hosts = value.items();
    for (const std::string& host : hosts) {
        if (host.find_first_not_of(kAllowed) == std::string::npos) continue;
        return mistake(in_quotes(host) + " is not a host; write \"name\" or \"name:port\"");
    }
    return hosts;
}

/// A list of tools that have one switch of ToolPolicy on.
template <bool core::ToolPolicy::*kFlag>
Key tools_key(const char* name, const char* help) {
    Key key{name, Kind::kTextList, "tool names", kReload, help};
    key.assign = [](Settings& settings, const Value& value) -> core::Result<> {
        HEADWAY_TRY(const Value::List names, parse_tools(value, core::limits::kToolPoliciesMax));
        std::vector<core::ToolPolicy> tools = settings.policy.tools;
        for (core::ToolPolicy& tool : tools)
            tool.*kFlag = false;
        for (const std::string& named : names) {
            auto tool =
                std::find_if(tools.begin(), tools.end(),
                             [&named](const core::ToolPolicy& own) { return own.tool == named; });
            if (tool == tools.end()) tool = tools.insert(tool, core::ToolPolicy{named});
            (*tool).*kFlag = true;
        }
        std::erase_if(
            tools, [](const core::ToolPolicy& own) { return own == core::ToolPolicy{own.tool}; });
        if (tools.size() > core::limits::kToolPoliciesMax)
            return mistake("too many tools together with the other lists of policy tools");
        settings.policy.tools = std::move(tools);
        return {};
    };
    key.print = [](const Settings& s) {
        Value::List names;
        for (const core::ToolPolicy& tool : s.policy.tools) {
            if (tool.*kFlag) names.push_back(tool.tool);
        }
        return Value(std::move(names));
    };
    return key;
}

void add_legacy_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::legacy_timeouts;
    table.push_back(
        enum_row<kAt, &core::LegacyTimeouts::mode>("legacy_timeouts.mode", kReload,
                                                   "Old timers of new sessions: observe records "
                                                   "what they would have ended, enforce ends it."));
    table.push_back(time_row<0, 30 * kDayMs, kAt, &core::LegacyTimeouts::session>(
        "legacy_timeouts.session", kReload, "From the opening of a session; 0s: no such timer."));
    table.push_back(time_row<0, kDayMs, kAt, &core::LegacyTimeouts::tool>(
        "legacy_timeouts.tool", kReload,
        "Timer of one tool call, only observed; 0s: no such timer."));
    table.push_back(switch_row<kOnOff, 0, kAt, &core::LegacyTimeouts::fallback>(
        "legacy_timeouts.fallback", kReload,
        "on: a session that went silent, so that its status is not known, is ended by its timer."));
}

void add_server_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::server;
    add_listener_keys(table);
    table.push_back(value_row<read_hosts, kAt, &ServerSettings::allowed_hosts>(
        Kind::kTextList, "name or name:port", "server.allowed_hosts", kReload,
        "Further Host headers to accept, such as a proxy's name."));
    table.push_back(whole_row<16, 100'000, kAt, &ServerSettings::connections_max>(
        "server.connections_max", kRestart,
        "Connections at the same time; further ones are closed. The operator's socket has 16 "
        "more."));
    table.push_back(time_row<10, kHourMs, kAt, &ServerSettings::header_timeout>(
        "server.header_timeout", kRestart,
        "From the first byte of a request to the end of its header."));
    table.push_back(time_row<10, kHourMs, kAt, &ServerSettings::body_timeout>(
        "server.body_timeout", kRestart, "From the end of the header to the end of the body."));
    table.push_back(time_row<10, kDayMs, kAt, &ServerSettings::idle_timeout>(
        "server.idle_timeout", kRestart, "How long a kept-alive connection may rest."));
    table.push_back(time_row<10, kHourMs, kAt, &ServerSettings::write_timeout>(
        "server.write_timeout", kRestart,
        "How long a client may leave a reply or a stream unread."));
    table.push_back(time_row<0, kHourMs, kAt, &ServerSettings::drain_timeout>(
        "server.drain_timeout", kRestart, "After SIGTERM: how long replies in flight may take."));
}

/// Not repeated in an error: it may hold a password.
core::Result<std::string> read_store(const Value& value) {
    HEADWAY_TRY(std::string url, read_text(value));
    if (url.empty() || url.starts_with("postgres://") || url.starts_with("postgresql://"))
        return url;
    return mistake("must be empty for SQLite, or begin with postgres:// or postgresql://");
}

void add_storage_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::storage;
    table.push_back(text_row<kAt, &StorageSettings::state_dir>(
        "storage.state_dir", kRestart,
        "Folder of headway.db; empty means the state directory of systemd, XDG or the home."));
    table.push_back(shown_as<Settings>(
        [](const Settings& settings) { return Value{without_password(settings.storage.store)}; },
        value_row<read_store, kAt, &StorageSettings::store>(
            Kind::kText, "empty, or postgres://...", "storage.store", kRestart,
            "Where the journal is: empty means SQLite in state_dir, else a PostgreSQL that several "
            "daemons share.")));
    table.push_back(time_row<500, 60'000, kAt, &StorageSettings::store_timeout>(
        "storage.store_timeout", kRestart,
        "Longest wait for a reply of PostgreSQL, also for a commit without its standby."));
    table.push_back(text_row<kAt, &StorageSettings::daemon_name>(
        "storage.daemon_name", kRestart,
        "Name of this one of several daemons; empty means its host and port."));
    table.push_back(time_row<0, 3'650 * kDayMs, kAt, &StorageSettings::retention>(
        "storage.retention", kReload, "Ended sessions are deleted after this; 0s keeps them."));
    table.push_back(whole_row<1, 10'000'000, kAt, &StorageSettings::sessions_resident_max>(
        "storage.sessions_resident_max", kRestart,
        "Sessions kept in memory; idle ones above it are read back when needed."));
    table.push_back(size_key<kAt, &StorageSettings::sessions_resident_bytes>(
        "storage.sessions_resident_bytes",
        "Memory of these sessions, approximately. 0: no bound."));
    table.push_back(time_row<0, kDayMs, kAt, &StorageSettings::clock_confirm>(
        "storage.clock_confirm", kRestart,
        "A wall clock that jumps ahead is accepted after this long; 0s: at once."));
    table.push_back(size_key<kAt, &StorageSettings::free_space_min>(
        "storage.free_space_min",
        "Free space on the disk below which reports are refused. 0: none."));
    table.push_back(size_key<kAt, &StorageSettings::ballast>(
        "storage.ballast", "File that is deleted so that a full disk can be cleaned. 0: none."));
}

void add_policy_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::policy;
    table.push_back(enum_row<kAt, &core::Policy::profile>(
        "policy.profile", kReload,
        "Profile of new sessions: balanced suspects first, strict calls it stuck."));
    table.push_back(
        time_row<core::kHeartbeatIntervalMin.count(), core::kHeartbeatIntervalMax.count(), kAt,
                 &core::Policy::heartbeat_interval>(
            "policy.heartbeat_interval", kReload,
            "Interval asked of a quiet agent; it is not alive after two of them."));
    table.push_back(whole_row<core::kHeartbeatLimitMin, core::kHeartbeatLimitMax, kAt,
                              &core::Policy::heartbeat_limit>(
        "policy.heartbeat_limit", kReload,
        "Heartbeats in a row without a state change, and with no call in flight."));
    table.push_back(switch_row<kOnOff, 0, kAt, &core::Policy::loop_detection>(
        "policy.loop_detection", kReload,
        "Detection of loops in new sessions; off leaves liveness, failures and agents' own "
        "reports."));
    table.push_back(enum_row<kAt, &core::Policy::on_stuck>(
        "policy.on_stuck", kReload,
        "Last step after stuck: advice, a question to a person, a stop, or the end."));
    table.push_back(tools_key<&core::ToolPolicy::ignore>(
        "policy.ignore_tools",
        "Tools whose calls are no evidence of anything, such as a logger's."));
    table.push_back(tools_key<&core::ToolPolicy::polls>(
        "policy.poll_tools", "Tools that ask for the status of something that runs elsewhere."));
    table.push_back(time_row<0, kDayMs, kAt, &core::Policy::tool_time_limit>(
        "policy.tool_time_limit", kReload,
        "A longer call gets feedback and is a failure of its tool; 0s: never."));
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
    add_day_keys(table);
    table.push_back(word_row<kAccessModes, &Settings::access, &AccessSettings::mode>(
        "access.mode", kReload,
        "local: reports and reading need no token, approvals and tokens do; token: all does."));
    table.push_back(word_row<kLocalControl, &Settings::access, &AccessSettings::local_control>(
        "access.local_control", kReload,
        "In mode local: whether cancel, pause, resume, nudge and budgets are open to all."));
    table.push_back(
        time_row<60 * kSecondMs, 365 * kDayMs, &Settings::access, &AccessSettings::login_for>(
            "access.login_for", kReload,
            "How long a browser that opened a login link stays logged in."));
    table.push_back(text_row<&Settings::access, &AccessSettings::secret_file>(
        "access.secret_file", kRestart,
        "Makes operator's token and logins the same at all daemons that have this file "
        "(scale.md)."));
    add_approval_keys(table);
    add_fan_out_keys(table);
    add_judge_keys(table);
    add_webhook_keys(table);
    add_digest_keys(table);
    add_keep_going_keys(table);
    add_observe_keys(table);
    add_redaction_keys(table);
    table.push_back(word_row<kLevels, &Settings::log, &LogSettings::level>(
        "log.level", kReload, "Least important message that is written."));
    table.push_back(word_row<kFormats, &Settings::log, &LogSettings::format>(
        "log.format", kRestart, "auto is text on a terminal and json elsewhere."));
    return table;
}

}  // namespace

const std::vector<Key>& keys() {
    static const std::vector<Key> table = build_table();
    return table;
}

}  // namespace headway::config

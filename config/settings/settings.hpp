// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings/judge_settings.hpp"
#include "config/settings/keep_going_settings.hpp"
#include "config/settings/webhook_settings.hpp"
#include "core/budgets/day_budget.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/meters/prices.hpp"
#include "core/policies/policy_floor.hpp"
#include "core/session/session.hpp"
#include "core/values/policy.hpp"

// The settings with their defaults, in one struct for each part that uses them. The keys of
// headway.toml are `<section>.<member>`; durations are written "10s", "500ms", "2m", "12h", "30d".

namespace headway::config {

using std::chrono::milliseconds;

struct ServerSettings {
    std::string listen = "127.0.0.1:7717";  ///< HOST:PORT; port 0 = chosen by the kernel
    std::string socket =
        "headway.sock";  ///< Unix socket; in the state directory if relative; empty: no socket
    std::string report_socket = "report.sock";  ///< Unix socket for reports only: see
                                                ///< report_socket()
    std::string
        report_group;      ///< name or number of the group that may use report_socket; empty: none
    std::string tls_cert;  ///< PEM chain; if tls_key is set too, the port accepts only TLS
    std::string tls_key;   ///< PEM
    bool insecure_bind = false;  ///< allows other machines to reach the port without TLS
    bool behind_proxy = false;   ///< requests come through a proxy; needs access.mode "token"
    std::vector<std::string>
        allowed_hosts;  ///< further values of `Host`, as "name" or "name:port"; reloadable
    std::uint32_t connections_max = 12'000;  ///< number of open connections, 16..100000, above
                                             ///< which new ones are closed at once
    milliseconds header_timeout{
        10'000};  ///< longest time from a request's first byte to the end of its header
    milliseconds body_timeout{30'000};   ///< longest time from the header's end to the body's end
    milliseconds idle_timeout{75'000};   ///< how long a connection may be open without a request
    milliseconds write_timeout{30'000};  ///< how long a client may leave a reply or stream unread
    milliseconds drain_timeout{8'000};   ///< how long replies in flight may take after SIGTERM
};

struct StorageSettings {
    std::string state_dir;  ///< the state directory; empty: $STATE_DIRECTORY, else
                            ///< $XDG_STATE_HOME/headway, else ~/.local/state/headway
    std::string store;      ///< URL of PostgreSQL; empty: SQLite in state_dir
    milliseconds store_timeout =
        std::chrono::seconds{5};  ///< longest wait for a reply of the store, commits included
    std::string daemon_name;      ///< name of this daemon, if several share a store; empty: its
                                  ///< host and port
    milliseconds retention = std::chrono::hours{
        24 * 30};  ///< ended sessions are deleted after this time; 0: they are kept; reloadable
    std::uint32_t sessions_resident_max =
        100'000;  ///< sessions in memory; above this number, idle sessions are evicted
    std::uint64_t sessions_resident_bytes = 512U << 20;  ///< approximate memory of these sessions;
                                                         ///< above this size, idle sessions are
                                                         ///< evicted; 0 = no bound
    milliseconds clock_confirm =
        std::chrono::minutes{5};  ///< a forward jump of the wall clock is accepted after this time
    std::uint64_t free_space_min = 64U << 20;  ///< reports are refused if fewer bytes of the disk
                                               ///< are free; 0 = only if the disk is full
    std::uint64_t ballast =
        16U << 20;  ///< bytes held in reserve, so that a full disk can be cleaned up; 0 = none
};

struct AccessSettings {
    std::string mode = "local";                            ///< "local" or "token"; reloadable
    std::string local_control = "open";                    ///< "open" or "token"; reloadable
    milliseconds login_for = std::chrono::hours{24 * 30};  ///< browser login's lifetime; reloadable
    std::string secret_file = {};  ///< secret of all daemons that share a store; empty: each daemon
                                   ///< has its own
};

/// Rules in addition to the built-in ones (core/redaction/secrets.hpp).
struct RedactionSettings {
    std::vector<std::string> secret_names;   ///< further names whose values are secrets and never
                                             ///< kept; reloadable
    std::vector<std::string> plain_names;    ///< names whose values are not secrets and are kept;
                                             ///< reloadable
    std::string capture = "full";            ///< "full" or "digests"; reloadable
    std::vector<std::string> digest_agents;  ///< only digests of these agents are kept; reloadable
};

/// The daily message to people about the night.
struct DigestSettings {
    std::optional<milliseconds> at;  ///< time of day (local, since midnight); none: no message
    milliseconds since = std::chrono::hours{12};  ///< period that the message covers
};

/// The agents that can be observed, because their stored sessions show, line by line, when a call
/// begins and when a turn ends.
inline constexpr std::array<std::string_view, 5> kObservedAgents{"claude", "codex", "copilot", "pi",
                                                                 "qwen"};

struct ObserveSettings {
    std::vector<std::string> agents;  ///< agents to observe; empty: none
};

struct LogSettings {
    std::string level = "info";   ///< trace, debug, info, warn, error or off; reloadable
    std::string format = "auto";  ///< auto (text on a terminal, else json), text or json
};

struct Settings {
    ServerSettings server;
    StorageSettings storage;
    core::Policy policy;                   ///< defaults of new sessions; reloadable
    core::PolicyFloor policy_floor;        ///< floor for sessions that are opened without the scope
                                           ///< `control`; reloadable
    std::string policy_preset = "none";    ///< "none" or "first-designs"; reloadable
    core::LegacyTimeouts legacy_timeouts;  ///< timers of new sessions; reloadable
    core::BudgetSettings budget;           ///< budgets of new sessions, by agent type; reloadable
    core::DayBudget day;                   ///< caps for all sessions of a day together; reloadable
    core::Prices prices;                   ///< prices of models; reloadable
    AccessSettings access;
    core::ApprovalRules approvals;  ///< which tools need approval, and the rules of approvals;
                                    ///< reloadable
    core::FanOutRules fan_out;      ///< how many sub-agents are too many; reloadable
    JudgeSettings judge;            ///< which model may be asked about sessions, and when
    WebhookSettings webhooks;       ///< URLs that are notified of events
    DigestSettings digest;          ///< the morning message to people
    KeepGoingSettings keep_going;   ///< which agents `headway run` resumes; unused by the daemon
    ObserveSettings observe;        ///< agents that are observed without hooks
    RedactionSettings redaction;
    LogSettings log;
};

}  // namespace headway::config

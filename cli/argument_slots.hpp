// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cli/options.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace headway::cli {

/// Where the parser puts what it reads, and the verb it found. Must outlive the parse; does not
/// move.
struct ArgumentSlots {
    ClientOptions client;
    config::ServeOptions serve;
    WaitOptions wait;
    WatchOptions watch;
    SessionsOptions sessions;
    ShowOptions show;
    EventsOptions events;
    ReportOptions report;
    EndOptions end;
    CancelOptions cancel;
    SteerOptions steer;
    ApprovalsOptions approvals;
    DecideOptions decide;
    BudgetOptions budget;
    CheckOptions check;
    std::string check_wait;  ///< what --wait says: a duration, or "true"
    CompareOptions compare;
    RunOptions run;
    ReplayOptions replay;
    EvalOptions eval;
    ConfigOptions config;
    DoctorOptions doctor;
    VersionOptions version;
    TokenOptions token;
    TopOptions top;
    DemoOptions demo;
    DemoAgentOptions demo_agent;
    CompletionOptions completion;
    ManualOptions manual;
    DashboardOptions dashboard;
    BackupOptions backup;
    RestoreOptions restore;
    WebhookOptions webhooks;
    std::optional<Command> command;
};

/// Adds wait, watch, top, sessions, show, events, report, end and cancel.
void add_session_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds pause, resume, nudge, approvals, acknowledge, approve, reject, answer, budget, check and
/// compare.
void add_steering_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds serve and run.
void add_process_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds replay and eval.
void add_recording_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds token and dashboard.
void add_token_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds webhooks.
void add_webhook_verbs(CLI::App& app, ArgumentSlots& slots);

/// Why no session can have this id; empty: one can. A word that the daemon would refuse anyhow is a
/// mistake of the command line, which costs nothing yet: `run` starts no command for it. Pure.
std::string session_id_fault(const std::string& id);

/// What the program is for, in a line.
inline constexpr const char* kProgramHelp =
    "Supervises autonomous agents by what they do, not by how long they take.";

/// Adds demo.
void add_demo_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds completion and manual.
void add_text_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds every verb, in the order in which help lists them, and the footer.
void add_all_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds backup and restore.
void add_database_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds config, doctor and version.
void add_other_verbs(CLI::App& app, ArgumentSlots& slots);

/// Adds an option that takes a duration; `flags` as CLI11 writes them.
void add_duration(CLI::App& verb, const std::string& flags, std::optional<milliseconds>& target,
                  const std::string& help);
void add_duration(CLI::App& verb, const std::string& flags, milliseconds& target,
                  const std::string& help);

/// Adds a verb that talks to a daemon, with the flags of all such verbs.
CLI::App& add_verb(CLI::App& app, const char* name, const char* help, const char* footer,
                   ClientOptions& client);

/// Adds --url, --token-file and --json.
void add_client_flags(CLI::App& verb, ClientOptions& client);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/credentials.hpp"
#include "config/load.hpp"

// What was asked for on the command line, one struct for each verb.

namespace headway::cli {

using std::chrono::milliseconds;

/// Shared by the verbs that talk to a daemon.
struct ClientOptions {
    std::string url;  ///< complete; --url, HEADWAY_URL, the daemon's socket or the default
    bool json = false;
    std::string token_file;  ///< --token-file
    std::string ca_file;     ///< --ca-file
    std::string state_dir;   ///< --state-dir: of the daemon, where its token and socket are
    Credential credential;   ///< what was found there or elsewhere
};

enum class OnStuck : std::uint8_t {
    kAsk,     ///< ask the person at the terminal; without one like kFail
    kFail,    ///< a stuck session ends the wait
    kIgnore,  ///< keep waiting
};

struct WaitOptions {
    ClientOptions client;
    std::vector<std::string> sessions;
    bool any = false;  ///< several sessions: the first is enough
    std::string until = "settled";
    std::uint64_t after = 0;
    std::string mode = "now";
    std::optional<milliseconds> timeout;  ///< none: for ever
    OnStuck on_stuck = OnStuck::kAsk;
    bool missing_waits = true;                    ///< for a session nobody has opened yet
    milliseconds open_within{60'000};             ///< for so long; 0: as long as it takes
    std::optional<milliseconds> silent_for;       ///< 0: never gives up; none: the daemon's default
    std::optional<milliseconds> connect_timeout;  ///< how long an unreachable daemon is retried
};

struct WatchOptions {
    ClientOptions client;
    std::string session;  ///< empty: all
    bool follow = false;
    std::optional<std::uint64_t> after;  ///< one session: start behind this event
    milliseconds connect_timeout{600'000};
};

struct SessionsOptions {
    ClientOptions client;
    std::string verdict;
    std::string label;
    std::string agent;
    std::optional<bool> open;
    std::size_t limit = 50;
    bool ids = false;  ///< nothing but ids, one a line
};

struct ShowOptions {
    ClientOptions client;
    std::string session;
};

struct EventsOptions {
    ClientOptions client;
    std::string session;
    std::uint64_t after = 0;
};

struct ReportOptions {
    ClientOptions client;
    std::string session;
    std::string type;
    std::string data;                 ///< JSON text; "@FILE", or "-" for standard input
    std::vector<std::string> fields;  ///< "key=value", "error.class=test"
    std::string event_id;             ///< empty: a random one, so that a retry is counted once
};

struct EndOptions {
    ClientOptions client;
    std::string session;
    std::string outcome = "completed";
    std::string reason;
};

struct CancelOptions {
    ClientOptions client;
    std::string session;
    std::string reason;
};

/// pause, resume, nudge and acknowledge: one route each.
struct SteerOptions {
    ClientOptions client;
    std::string what;  ///< the rest of the route
    std::string session;
    std::string text;
    std::optional<std::uint64_t> number;  ///< acknowledge: of one alarm; none: all
};
inline constexpr const char* kAcknowledge = "alarms/acknowledge";

struct ApprovalsOptions {
    ClientOptions client;
    std::string session;
    bool all = false;  ///< also what was decided
};

/// approve, reject and answer.
struct DecideOptions {
    ClientOptions client;
    std::string id;
    std::string decision;
    std::string reason;
    std::string response;
    std::string edit_file;
    std::string scope;
    std::string then;
    bool identical = false;
};

struct CheckOptions {
    ClientOptions client;
    std::string session;
    std::string id;  ///< of the check; empty: the daemon chooses one
    bool wait = false;
    std::optional<milliseconds> timeout;  ///< of the wait; none: for ever
};

/// Does not fail without a daemon, so it looks for URL and token itself.
struct DoctorOptions {
    config::LoadRequest sources;
    std::string url;         ///< empty: HEADWAY_URL, else where these settings listen
    std::string token_file;  ///< --token-file
    bool json = false;
    bool repair = false;  ///< saves what can be read of a damaged database
};

/// By the daemon, or of a database that none uses.
struct BackupOptions {
    ClientOptions client;
    config::LoadRequest sources;  ///< where the database is
    std::string file;
};

struct RestoreOptions {
    config::LoadRequest sources;
    std::string file;
    bool json = false;
};

struct CompareOptions {
    ClientOptions client;
    std::string session;  ///< empty: the totals
};

struct BudgetOptions {
    ClientOptions client;
    std::string session;
    std::string change;  ///< empty: show; "set" or "extend"
    std::optional<std::uint64_t> timeout_seconds;
    std::optional<std::uint64_t> max_steps;
    std::optional<std::uint64_t> max_tokens;
    std::optional<double> max_cost_usd;
    std::string reason;
};

struct RunOptions {
    ClientOptions client;
    std::string session;  ///< empty: made from the command's name
    std::string goal;
    std::vector<std::string> labels;  ///< "key=value"
    std::optional<milliseconds> interval;
    bool quiet = false;
    milliseconds linger{10'000};  ///< how long delivery may go on after the command's exit
    std::vector<std::string> command;
};

struct ReplayOptions {
    ClientOptions client;
    std::vector<std::string> files;
    bool to_daemon = false;           ///< play them; else judge them here
    bool why = false;                 ///< judging: print what each verdict rests on
    std::vector<std::string> policy;  ///< judging: "balanced", "strict" or "key=value"
    std::string session;              ///< empty: from the recording
    double speed = 0;                 ///< 0: as fast as it goes; 1: as recorded
    std::size_t batch = 1;            ///< events a report
    std::size_t parallel = 1;         ///< recordings at a time
    milliseconds connect_timeout{60'000};
};

struct EvalOptions {
    std::string folder;
    std::string labels;               ///< CSV file; empty: none
    std::vector<std::string> policy;  ///< "balanced", "strict" or "key=value"
    std::string judge;  ///< the letter of a judge that always says the same; empty: no judge
    bool list = false;
    bool json = false;
};

struct ConfigOptions {
    enum class Action : std::uint8_t { kCheck, kShow, kDefault };
    Action action = Action::kCheck;
    config::LoadRequest sources;
    bool origin = false;
    bool json = false;
};

struct TokenOptions {
    enum class Action : std::uint8_t { kCreate, kList, kRevoke, kRotateOperator };
    Action action = Action::kList;
    ClientOptions client;
    std::string name;
    std::vector<std::string> scopes;
    std::optional<milliseconds> expires;  ///< none: never
    std::string id;
};

struct WebhookOptions {
    enum class Action : std::uint8_t { kList, kPending, kDead, kReplay, kTest, kSecret };
    Action action = Action::kList;
    ClientOptions client;
    bool to_daemon = true;  ///< a secret is made without one
    std::string name;
    std::vector<std::string> ids;
    bool all = false;
    std::string out;  ///< `secret`: a new file, for its owner only; empty: standard output
};

struct TopOptions {
    ClientOptions client;
    bool once = false;  ///< one screen, as text
};

struct DemoOptions {
    std::string listen = "127.0.0.1:0";
    bool once = false;   ///< every agent works once, and the demo ends
    bool quiet = false;  ///< does not print events
    bool keep = false;   ///< the folder stays
    double pace = 1;     ///< how long the agents take to think, of what a person likes to watch
};

/// A process of the demo.
struct DemoAgentOptions {
    ClientOptions client;
    std::string kind;  ///< slow, loop, approval
    std::string session;
    std::string folder;
    double pace = 1;
};

struct CompletionOptions {
    std::string shell;  ///< bash, zsh, fish
};

struct ManualOptions {
    std::string verb;    ///< empty: the program
    std::string folder;  ///< empty: print one; else write all there
};

/// A link to the dashboard.
struct DashboardOptions {
    ClientOptions client;
    bool open = false;  ///< in the desktop's browser
};

struct VersionOptions {
    bool json = false;
};

using Command =
    std::variant<config::ServeOptions, WaitOptions, WatchOptions, SessionsOptions, ShowOptions,
                 EventsOptions, ReportOptions, EndOptions, CancelOptions, SteerOptions,
                 ApprovalsOptions, DecideOptions, BudgetOptions, CheckOptions, DoctorOptions,
                 CompareOptions, RunOptions, ReplayOptions, EvalOptions, ConfigOptions,
                 VersionOptions, TokenOptions, CompletionOptions, ManualOptions, DemoOptions,
                 DemoAgentOptions, TopOptions, DashboardOptions, BackupOptions, RestoreOptions,
                 WebhookOptions>;

}  // namespace headway::cli

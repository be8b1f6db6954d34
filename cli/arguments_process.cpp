// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "cli/argument_slots.hpp"

// The verbs that start something, and those about the program itself.

namespace headway::cli {
namespace {

void add_setting(CLI::App& verb, const char* flag, const char* key, config::LoadRequest& sources,
                 const char* help) {
    verb.add_option_function<std::string>(
        flag, [&sources, key](const std::string& value) { sources.flags[key] = value; }, help);
}

void add_sources(CLI::App& verb, config::LoadRequest& sources) {
    verb.add_option_function<std::string>(
            "--config", [&sources](const std::string& path) { sources.file = path; },
            "settings file; without it ./headway.toml, the XDG place, /etc/headway/headway.toml")
        ->type_name("FILE");
    const auto store = [&sources](const std::vector<std::string>& pairs) {
        for (const std::string& pair : pairs) {
            const std::size_t equals = pair.find('=');
            if (equals == 0 || equals == std::string::npos) {
                throw CLI::ValidationError("--set", "\"" + pair + "\" is not KEY=VALUE");
            }
            sources.flags[pair.substr(0, equals)] = pair.substr(equals + 1);
        }
    };
    verb.add_option_function<std::vector<std::string>>(
            "--set", store, "any setting, as in --set policy.heartbeat_interval=5s; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_serve(CLI::App& app, ArgumentSlots& slots) {
    config::LoadRequest& sources = slots.serve.sources;
    CLI::App& verb = *app.add_subcommand("serve", "Run the daemon");
    verb.footer(
        R"(Stops on SIGTERM or Ctrl-C after the replies in flight; SIGHUP reads its settings again.

Examples:
  headway serve
  headway serve --listen 127.0.0.1:0 --ports-file ./ports.json --state-dir ./state
  headway serve --set log.level=debug --set policy.profile=strict
  headway config default > headway.toml              every setting with its explanation)");
    add_setting(verb, "--listen", "server.listen", sources, "HOST:PORT, loopback; port 0: any");
    add_setting(verb, "--state-dir", "storage.state_dir", sources, "folder of the database");
    verb.add_option_function<std::string>(
            "--ports-file", [&slots](const std::string& path) { slots.serve.ports_file = path; },
            "written when ready, with the bound addresses as JSON")
        ->type_name("FILE");
    add_sources(verb, sources);
    verb.callback([&slots] { slots.command = slots.serve; });
}

/// The command is no operand of CLI11's, which would not show it.
class RunFormatter : public CLI::Formatter {
public:
    explicit RunFormatter(const CLI::FormatterBase& other) {
        column_width(other.get_column_width());
    }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        const std::string usage = CLI::Formatter::make_usage(app, std::move(name));
        const std::size_t end = std::min(usage.find_last_not_of('\n') + 1, usage.size());
        return usage.substr(0, end) + " -- COMMAND [ARGUMENTS...]" + usage.substr(end);
    }
};

void add_run(CLI::App& app, ArgumentSlots& slots) {
    RunOptions& run = slots.run;
    CLI::App& verb = *app.add_subcommand("run", "Supervise a command from start to exit");
    verb.formatter(std::make_shared<RunFormatter>(*app.get_formatter()));
    verb.footer(
        R"(Opens a session, passes standard input, output and signals through, reports lines of its
output, CPU, memory and disk of its process tree, and ends with its exit status. If the
daemon is away, the command runs all the same and the reports follow when it is back. The command
finds its session in HEADWAY_SESSION and the daemon in HEADWAY_URL. It is handed no token of yours,
nor any other HEADWAY_ variable: an agent that reports by itself gets a token of its own session, as
below. Its output goes through a pipe, so it may buffer or drop
colours as it does under `| cat`.

Examples:
  headway run -- make -j2
  headway run --session nightly-42 --label team=night -- ./agent.sh "fix the failing test"
  TOKEN=$(headway token create night --scope report:nightly-42 --expires 12h)
  headway run --session nightly-42 -- env HEADWAY_TOKEN="$TOKEN" ./agent
  headway wait nightly-42                            in another shell)");
    add_client_flags(verb, slots.client);
    verb.add_option("--session", run.session, "session id (default: from the command's name)")
        ->check(session_id_fault);
    verb.add_option("--goal", run.goal, "what it is meant to do (default: the command line)");
    verb.add_option("--label", run.labels, "label of the session; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_duration(verb, "--interval", run.interval, "heartbeat interval (default: the daemon's)");
    add_duration(verb, "--linger", run.linger,
                 "after the exit: how long to try to deliver the last reports");
    verb.add_flag("--quiet", run.quiet, "do not print the session id and warnings");
    verb.prefix_command();
    verb.callback([&slots, &verb] {
        slots.run.command = verb.remaining();
        slots.command = slots.run;
    });
}

void add_config(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = *app.add_subcommand("config", "Check or show the daemon's settings");
    verb.require_subcommand(1);
    verb.footer(
        R"(Flags win over HEADWAY_* variables, these over the file, the file over the defaults.

Examples:
  headway config check --config headway.toml         0 when right, 2 with every mistake
  headway config show --origin                       each value and where it comes from
  headway config default > headway.toml              a file to start from)");
    const auto add = [&](const char* name, const char* help, ConfigOptions::Action action) {
        CLI::App& sub = *verb.add_subcommand(name, help);
        sub.callback([&slots, action] {
            slots.config.action = action;
            slots.command = slots.config;
        });
        return &sub;
    };
    CLI::App* const check = add("check", "Check file and variables", ConfigOptions::Action::kCheck);
    CLI::App* const show = add("show", "Print the settings in force", ConfigOptions::Action::kShow);
    add("default", "Print a commented file of defaults", ConfigOptions::Action::kDefault);
    for (CLI::App* const sub : {check, show}) {
        add_sources(*sub, slots.config.sources);
        sub->add_flag("--json", slots.config.json, "print JSON for programs");
    }
    show->add_flag("--origin", slots.config.origin, "say where each value comes from");
}

void add_doctor(CLI::App& app, ArgumentSlots& slots) {
    DoctorOptions& doctor = slots.doctor;
    CLI::App& verb = *app.add_subcommand("doctor", "Look for what is wrong with this installation");
    verb.footer(
        R"(Looks at the settings, the state directory, the database, the operator's token and the
daemon, and asks each judge one tiny question, which its owner may charge for. One line each, with
what to do. 0 when all is well, 1 when something is wrong.

With --repair it saves what can be read of a damaged database, while no daemon runs: a new one takes its
place, every session in it up to its first event that is missing; the damaged one is kept beside it.

Examples:
  headway doctor
  headway doctor --repair
  headway doctor --config headway.toml --json)");
    verb.add_option("--url", doctor.url,
                    "the daemon, else HEADWAY_URL, else where these settings listen");
    verb.add_option("--token-file", doctor.token_file,
                    "file of the token to show, else HEADWAY_TOKEN, else HEADWAY_TOKEN_FILE")
        ->type_name("FILE");
    verb.add_flag("--json", doctor.json, "print JSON for programs");
    verb.add_flag("--repair", doctor.repair, "save what can be read of a damaged database");
    add_setting(verb, "--state-dir", "storage.state_dir", doctor.sources, "folder of the database");
    add_sources(verb, doctor.sources);
    verb.callback([&slots] { slots.command = slots.doctor; });
}

void add_backup(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "backup", "Copy the database into a file and check it",
        R"(The daemon makes the copy, on its own machine, while it works; where none runs, the database of
these settings is copied. The copy is complete, checked and synced when the verb ends with 0, only its
owner may read it, and nothing is ever overwritten. Needs the operator's token, or one with the scope
`admin`.

Examples:
  headway backup /var/backups/headway/$(date +%F).db
  headway backup --json today.db)",
        slots.client);
    verb.add_option("FILE", slots.backup.file, "where to; it must not be there yet")->required();
    add_sources(verb, slots.backup.sources);
    verb.callback([&slots] { slots.command = slots.backup; });
}

void add_restore(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = *app.add_subcommand("restore", "Put a backup in the place of the database");
    verb.footer(
        R"(The daemon must be stopped. The backup is checked first and stays as it is; the database that was there is
kept beside the new one, and its name is printed.

Example:
  headway restore /var/backups/headway/2026-11-21.db)");
    verb.add_option("FILE", slots.restore.file, "a backup that `headway backup` made")->required();
    verb.add_flag("--json", slots.restore.json, "print JSON for programs");
    add_setting(verb, "--state-dir", "storage.state_dir", slots.restore.sources,
                "folder of the database");
    add_sources(verb, slots.restore.sources);
    verb.callback([&slots] { slots.command = slots.restore; });
}

void add_version(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = *app.add_subcommand("version", "Print the version");
    verb.add_flag("--json", slots.version.json, "print JSON for programs");
    verb.callback([&slots] { slots.command = slots.version; });
}

}  // namespace

void add_process_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_serve(app, slots);
    add_run(app, slots);
}

void add_database_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_backup(app, slots);
    add_restore(app, slots);
}

void add_other_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_config(app, slots);
    add_doctor(app, slots);
    add_version(app, slots);
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include "cli/agents/agent_files.hpp"
#include "cli/agents/agent_finder.hpp"
#include "cli/agents/install/plans.hpp"
#include "cli/agents/settings/text_diff.hpp"
#include "cli/agents/talk.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb.hpp"

// `headway service`: the daemon of this user, kept running by its systemd.

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnit = "headway.service";
constexpr const char* kContinueUnit = "headway-continue.service";
constexpr std::string_view kUnitMark = "# Written by `headway service install`.";
constexpr std::chrono::milliseconds kSystemdPatience{30'000};

struct ServiceOptions {
    enum class Action { kInstall, kUninstall };
    Action action = Action::kInstall;
    std::string config;
    bool yes = false;
    bool print = false;
    bool keep_going = false;
};

/// One word of ExecStart.
std::string unit_word(const std::string& word) {
    std::string out = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '%' || c == '$') out += c;
        out += c;
    }
    return out + "\"";
}

std::string unit_text(const fs::path& program, const std::string& config) {
    const std::string settings = config.empty() ? "" : " --config " + unit_word(config);
    return std::string{kUnitMark} + R"(
[Unit]
Description=Headway, a supervisor for autonomous agents
Documentation=man:headway(1)

[Service]
Type=notify
ExecStart=)" +
           unit_word(program.string()) + " serve" + settings + R"(
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2
WatchdogSec=60
TimeoutStopSec=30
UMask=0077

[Install]
WantedBy=default.target
)";
}

std::string continue_text(const fs::path& program) {
    return std::string{kUnitMark} + R"(
[Unit]
Description=Headway continues the agents whose `headway run --keep-going` was cut off
Documentation=man:headway(1)
Wants=headway.service
After=headway.service

[Service]
Type=exec
ExecStart=)" +
           unit_word(program.string()) + R"( keep-going continue
UMask=0077

[Install]
WantedBy=default.target
)";
}

class Service {
public:
    Service(const ServiceOptions& options, const Console& console)
        : options_(options), console_(console) {
        const std::string named = variable_of(console.environment, "XDG_CONFIG_HOME");
        const fs::path folder = named.empty()
                                    ? fs::path{variable_of(console.environment, "HOME")} / ".config"
                                    : fs::path{named};
        folder_ = folder / "systemd" / "user";
    }

    int run() {
        const bool install = options_.action == ServiceOptions::Action::kInstall;
        const std::string config =
            options_.config.empty() ? "" : fs::absolute(options_.config).string();
        std::vector<FileChange> changes{
            {folder_ / kUnit, {}, unit_text(own_program(), config), 0600, false}};
        if (options_.keep_going || !install)
            changes.push_back(
                {folder_ / kContinueUnit, {}, continue_text(own_program()), 0600, false});
        if (options_.print) {
            for (const FileChange& change : changes) {
                console_.err << clean_line(change.path.string()) << ":\n";
                console_.out << *change.after;
            }
            return kExitOk;
        }
        if (!options_.yes && !console_.in_terminal) {
            return complain(console_, kExitUsage,
                            "refusing to change a service without confirmation",
                            "pass --yes, or --print to print the unit");
        }
        for (FileChange& change : changes) {
            const auto there = read_settings(change.path);
            if (!there) return complain(console_, kExitFailed, there.error().detail);
            change.before = *there;
            if (*there && !(*there)->starts_with(kUnitMark)) {
                return complain(console_, kExitFailed,
                                change.path.string() + " is not of `headway service`",
                                "move it away, or keep it: it may do what you want");
            }
        }
        if (!systemctl({"show-environment"})) {
            return complain(console_, kExitFailed, "systemd does not run for this user",
                            "log in with a session of one's own, or see `headway service install "
                            "--print`, or start `headway serve` in another way");
        }
        return install ? put_in(changes) : take_out(changes);
    }

private:
    bool systemctl(const std::vector<std::string>& words) const {
        const auto program = find_program("systemctl", console_.environment);
        if (!program) return false;
        std::vector<std::string> command{program->string(), "--user"};
        command.insert(command.end(), words.begin(), words.end());
        return ask_command(command, console_.environment, {}, kSystemdPatience).status == 0;
    }

    bool agreed(const FileChange& change) const {
        console_.out << unified_diff(change.path.string(), change.before.value_or(""),
                                     change.after.value_or(""))
                     << std::flush;
        return options_.yes || confirmed(console_, change.after ? "Write and start this?"
                                                                : "Stop and delete this?");
    }

    static std::string name_of(const FileChange& change) { return change.path.filename(); }

    int put_in(const std::vector<FileChange>& changes) const {
        for (const FileChange& change : changes) {
            if (change.changes() && !agreed(change)) return kExitFailed;
            if (!change.changes()) continue;
            if (const auto done = apply_change(change); !done)
                return complain(console_, kExitFailed, done.error().detail);
        }
        bool started = systemctl({"daemon-reload"}) && systemctl({"enable", "--now", kUnit});
        // Without --now: runs that were cut off before are left to the next login.
        if (options_.keep_going) started = started && systemctl({"enable", kContinueUnit});
        if (!started) {
            return complain(console_, kExitFailed, "systemd could not start " + std::string{kUnit},
                            "see `systemctl --user status headway`; does another daemon run?");
        }
        console_.err
            << "the daemon runs, and starts when you log in; `loginctl enable-linger` keeps "
               "it running when you are not\n";
        return kExitOk;
    }

    int take_out(std::vector<FileChange> changes) const {
        std::erase_if(changes, [](const FileChange& change) { return !change.before; });
        if (changes.empty()) {
            console_.err << "there is no service of ours\n";
            return kExitOk;
        }
        bool stopped = true;
        for (FileChange& change : changes) {
            change.after.reset();
            if (!agreed(change)) return kExitFailed;
            stopped = systemctl({"disable", "--now", name_of(change)}) && stopped;
            if (const auto done = apply_change(change); !done)
                return complain(console_, kExitFailed, done.error().detail);
        }
        if (systemctl({"daemon-reload"}) && stopped) return kExitOk;
        return complain(console_, kExitFailed, "systemd could not stop " + name_of(changes.front()),
                        "the unit is deleted; see `systemctl --user status headway`");
    }

    const ServiceOptions& options_;
    const Console& console_;
    fs::path folder_;
};

class ServiceVerb : public VerbOf<ServiceOptions> {
    using Action = ServiceOptions::Action;

public:
    void declare(Arguments& arguments) override {
        arguments.help("Run the daemon as a user service");
        arguments.footer(
            R"(`headway service install` writes a unit for `systemd --user` that starts this program as the
daemon. After `loginctl enable-linger` the daemon also runs while you are not logged in. The Debian
package has a system-wide service instead. With `install --keep-going`, a second unit, headway-continue, runs
`headway keep-going continue` once the daemon is ready. Agents then have the environment of that unit: their
credentials must be in files, or be added with `systemctl --user edit headway-continue`.

Examples:
  headway service install
  headway service install --config ~/headway.toml
  headway service uninstall)");
        Arguments install = add(arguments, "install", "Write a systemd unit, and start the daemon",
                                Action::kInstall);
        install.option("--config", options.config, "settings of the daemon").type("FILE");
        install.flag("--keep-going", options.keep_going,
                     "after a restart, also continue agents of `headway run --keep-going`");
        install.flag("--print", options.print, "print the unit, and change nothing");
        add(arguments, "uninstall", "Stop the daemon, and delete the systemd units",
            Action::kUninstall);
    }

    int run(const Console& console, const Server&) override {
        return Service(options, console).run();
    }

private:
    Arguments add(Arguments& service, const char* name, const char* help, Action action) {
        Arguments verb = service.verb(name, help, [this, action] { options.action = action; });
        verb.flag("--yes,-y", options.yes, "change the service without asking");
        return verb;
    }
};

}  // namespace

std::unique_ptr<Verb> make_service() {
    return std::make_unique<ServiceVerb>();
}

}  // namespace headway::cli

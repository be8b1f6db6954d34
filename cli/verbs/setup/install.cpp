// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <regex>
#include <system_error>

#include "agents/codex/trust.hpp"
#include "cli/agents/hook_way.hpp"
#include "cli/agents/install/hook_barriers.hpp"
#include "cli/agents/install/plans.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb.hpp"
#include "core/text/words.hpp"

// `headway install`: hooks in the settings of agents.

namespace headway::cli {
namespace {

struct InstallOptions {
    std::vector<std::string> agents;
    config::LoadRequest sources;
    std::string url;
    std::string require;
    bool require_given = false;
    std::string until;
    bool until_given = false;
    bool token = false;
    bool yes = false;
    bool dry_run = false;
    bool print = false;
    bool project = false;
    bool trust = false;
};

/// Why `matcher` guards no call, empty if it may. Claude Code takes "*" for every tool and all else
/// for a regular expression, and one that does not compile would match no tool.
std::string mistake_in_matcher(const std::string& matcher) {
    constexpr std::size_t kBytesMax = 500;  // std::regex recurses for each byte
    if (matcher.size() > kBytesMax) return "takes at most 500 bytes";
    if (core::lower(matcher).find("class:") != std::string::npos)
        return "the names of its own tools are meant, as in 'Bash|Write'; a class is for the "
               "settings of the daemon";
    if (matcher == "*") return {};
    try {
        const std::regex compiled{matcher};
    } catch (const std::regex_error&) {
        return "must be a regular expression of tool names, as in 'Bash|Write'";
    }
    return {};
}

class Installer {
public:
    Installer(const InstallOptions& options, const Console& console)
        : options_(options), console_(console), place_{console.environment, {}, {}} {
        std::error_code none;
        place_.folder = std::filesystem::current_path(none);
        if (options.project) place_.project = std::filesystem::current_path();
    }

    int run() {
        const bool silent = options_.yes || options_.dry_run || options_.print;
        if (!silent && !console_.in_terminal) {
            return complain(console_, kExitUsage,
                            "refusing to change settings of agents without confirmation",
                            "pass --yes, or --dry-run to print the changes");
        }
        auto way = find_hook_way(options_.url, options_.sources);
        if (!way) return complain(console_, kExitUsage, way.error().detail);
        way_ = *std::move(way);
        if (way_.named && options_.url.empty())
            console_.err << "hooks report to the daemon at " << clean_line(way_.url) << "\n";
        way_.require = options_.require;
        way_.until = options_.until;
        way_.until_given = options_.until_given;
        way_.token = way_.token || options_.token;
        if (!make_plans()) return kExitFailed;
        if (options_.print) return print();
        const bool changes = show_plans(plans_, console_, "Headway's hooks are there already");
        if (changes && !options_.dry_run && !agreed()) {
            console_.err
                << "nothing was changed\n"
                   "  `headway observe` follows agents without hooks, but cannot steer them\n";
            return kExitFailed;
        }
        const bool written = options_.dry_run || carry_out(plans_, console_);
        for (const AgentPlan& plan : plans_)
            if (plan.refusal.empty()) warn(plan);
        const bool good = !written || options_.dry_run || after();
        return written && good && !any_refused(plans_) ? kExitOk : kExitFailed;
    }

private:
    bool make_plans() {
        for (const AgentRow& row : agent_rows()) {
            const bool named = std::find(options_.agents.begin(), options_.agents.end(),
                                         row.name) != options_.agents.end();
            if (!named && !options_.agents.empty()) continue;
            AgentPlan plan{&row};
            if (named && !way_.until.empty() && !takes_goal(row)) {
                plan.refusal = std::string{row.title} +
                               " has no hook that keeps it going; --until is for claude, codex, "
                               "copilot, gemini and qwen";
                plans_.push_back(std::move(plan));
                continue;
            }
            if (!options_.print) plan.found = find_agent(row, console_.environment);
            if (!named && plan.found.program.empty() && !options_.print) continue;
            add_changes(plan);
            plans_.push_back(std::move(plan));
        }
        if (!plans_.empty()) return true;
        complain(console_, 0, "no agent that Headway knows is on PATH",
                 "name one of " + join(agent_names(), ", "));
        return false;
    }

    /// By commands where the agent's settings let no request through.
    HookWay way_of(const AgentRow& row) const {
        HookWay way = way_;
        way.commands = row.http && !find_hook_barriers(row, place_, way).http.empty();
        return way;
    }

    void add_changes(AgentPlan& plan) const {
        if (options_.print) return;
        auto changes = plan_install(*plan.row, place_, way_of(*plan.row), options_.require_given);
        if (changes) {
            plan.changes = *std::move(changes);
        } else {
            plan.refusal = changes.error().detail;
        }
    }

    int print() const {
        for (const AgentPlan& plan : plans_) {
            const auto path = settings_path(*plan.row, place_);
            if (path) console_.err << clean_line(path->string()) << ":\n";
            console_.out << snippet(*plan.row, way_) << std::flush;
        }
        return kExitOk;
    }

    bool agreed() const { return options_.yes || confirmed(console_, "Write this?"); }

    void warn(const AgentPlan& plan) const {
        if (plan.found.program.empty())
            console_.err << "note: " << plan.row->title << " is not on PATH\n";
        for (const std::string& warning :
             hook_warnings(*plan.row, place_, way_of(*plan.row), plan.found.version))
            console_.err << "warning: " << clean_line(warning) << "\n";
    }

    /// False if the trust that was asked for could not be stored.
    bool after() const {
        bool trusted = true;
        for (const AgentPlan& plan : plans_)
            if (plan.row->name == "codex" && plan.refusal.empty()) trusted = trust_codex(plan);
        const bool good = trusted || !options_.trust;
        if (!steers_without_token(options_.sources)) return good;
        console_.err
            << "An agent with a shell could resume itself, or extend its budget, by a request "
               "to the daemon. With these\nlines in headway.toml that takes a token, as approvals "
               "do anyway:\n"
               "  [access]\n  local_control = \"token\"\n";
        return good;
    }

    bool trust_codex(const AgentPlan& plan) const {
        const auto path = settings_path(*plan.row, place_);
        if (plan.found.program.empty() || !path) return say_untrusted();
        const bool ask = !options_.trust && !options_.yes && console_.in_terminal;
        const bool trust =
            options_.trust ||
            (ask && confirmed(console_, "Codex runs only hooks that are trusted. Trust these?"));
        if (!trust) return say_untrusted();
        const auto state = codex_trust(plan.found.program, *path, console_.environment, true);
        if (!state || state->trusted == 0 || state->untrusted > 0) {
            console_.err << "warning: the hooks could not be trusted"
                         << (state ? "" : ": " + clean_line(state.error().detail)) << "\n";
            return say_untrusted();
        }
        console_.err << "Codex trusts " << state->trusted << " hooks\n";
        return true;
    }

    bool say_untrusted() const {
        console_.err << "Codex silently skips hooks until they are trusted: start it and trust "
                        "them there, or\nrun `headway install codex --trust`\n";
        return false;
    }

    const InstallOptions& options_;
    const Console& console_;
    InstallPlace place_;
    HookWay way_;
    std::vector<AgentPlan> plans_;
};

constexpr const char* kInstallFooter =
    R"(Shows the changes, and asks before it writes them. Only Headway's own entries are added or updated; everything else in a settings
file stays as it is, byte for byte. The old file is kept in the same folder, as NAME.headway-backup.
`headway uninstall` removes the entries. `headway observe` follows agents without any change to
their settings, but cannot steer them.

Examples:
  headway install claude
  headway install --dry-run
  headway install claude --require 'Bash|Write'    these calls do not run while the daemon is unreachable
  headway install codex --trust
  headway install claude --until 'make test'
  headway install gemini --print >> notes.txt)";

class Install : public VerbOf<InstallOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Add Headway's hooks to agents' settings").footer(kInstallFooter);
        arguments.operand("AGENT", options.agents, "agents (default: all on PATH)")
            .choices(agent_names());
        arguments.flag("--yes,-y", options.yes, "write without asking");
        arguments.flag("--dry-run", options.dry_run, "print the changes, and make none");
        arguments.flag("--print", options.print, "only print the entries; read and write no file");
        arguments.flag("--project", options.project,
                       "change the settings of the project in this folder, not the user's");
        arguments
            .option(
                "--require",
                [this](const std::string& matcher) {
                    options.require = matcher;
                    options.require_given = true;
                    return mistake_in_matcher(matcher);
                },
                "claude: tools whose calls must not run while the daemon is unreachable; empty: "
                "none")
            .type("MATCHER");
        arguments
            .option(
                "--until",
                [this](const std::string& command) {
                    constexpr std::size_t kBytesMax = 500;
                    const bool one_line = command.find_first_of("\n\r") == std::string::npos;
                    if (command.size() > kBytesMax || !one_line)
                        return std::string{"takes a command of one line, at most 500 bytes"};
                    options.until = command;
                    options.until_given = true;
                    return std::string{};
                },
                "run this command at the end of each turn; if the command fails, the agent is sent "
                "back to work, at most 5 times in a session; empty: no command")
            .type("COMMAND");
        arguments.flag("--trust", options.trust,
                       "codex: trust the hooks; Codex skips hooks that are not trusted");
        arguments.flag("--token", options.token,
                       "let hooks that use a URL (claude, qwen) send HEADWAY_TOKEN; needed with "
                       "access.mode=token");
        arguments.option("--url", options.url,
                         "the daemon (default: HEADWAY_URL, else your running daemon, else the "
                         "address in the settings)");
        arguments.sources(options.sources);
    }

    int run(const Console& console, const Server&) override {
        return Installer(options, console).run();
    }
};

}  // namespace

std::unique_ptr<Verb> make_install() {
    return std::make_unique<Install>();
}

}  // namespace headway::cli

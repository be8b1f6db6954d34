// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/run.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/proc_tree.hpp"
#include "cli/records/report_fields.hpp"
#include "cli/run/supervised_command.hpp"
#include "core/values/policy.hpp"

// `headway run`: a session from a command's start to its exit. Whatever happens to the daemon, the
// command runs and its exit status is ours.

namespace headway::cli {
namespace {

constexpr const char* kCallId = "run";
constexpr std::size_t kGoalBytesMax = 8 * 1024;  // with every byte escaped it fits into a request
constexpr std::size_t kWordBytesMax = 512;       // "string" of API.md
constexpr std::size_t kArgumentsMax = 64;

std::string base_name(const RunOptions& options) {
    const std::string name = std::filesystem::path(options.command.front()).filename().string();
    return std::string(cut_bytes(name.empty() ? "command" : name, 100));
}

std::string command_line(const RunOptions& options) {
    return on_one_line(cut_bytes(join(options.command, " "), 4 * kWordBytesMax));
}

core::Result<Json> open_body(const RunOptions& options) {
    core::Result<Json> labels = build_labels(options.labels);
    if (!labels) return labels;
    Json body = {{"goal", options.goal.empty() ? command_line(options)
                                               : cut_bytes(options.goal, kGoalBytesMax)},
                 {"agent", {{"type", "command"}, {"name", base_name(options)}}}};
    if (!labels->empty()) body["labels"] = *labels;
    if (options.interval) body["policy"] = {{"heartbeat_interval_ms", options.interval->count()}};
    return body;
}

Json argument_list(const RunOptions& options) {
    Json words = Json::array();
    for (const std::string& word : options.command) {
        if (words.size() == kArgumentsMax) {
            words.push_back("[...]");
            break;
        }
        words.push_back(cut_bytes(word, kWordBytesMax));
    }
    return words;
}

// Samples the tree for heartbeats. Called on the reporter's thread.
class Beat {
public:
    explicit Beat(const CommandFigures& figures) : figures_(figures) {}

    Json operator()() {
        const TreeUsage now = tree_.usage(::getpid());
        // Sums of what is read one process after the other may slip back for a moment; work does
        // not.
        cpu_ms_ = std::max(cpu_ms_, now.cpu_ms);
        disk_bytes_ = std::max(disk_bytes_, now.disk_bytes);
        // Of a command that has just exited what it had last says more than nothing.
        if (now.rss_bytes > 0) rss_bytes_ = now.rss_bytes;
        Json data = {
            {"phase", "running"},
            {"resources",
             {{"cpu_ms", cpu_ms_}, {"rss_bytes", rss_bytes_}, {"disk_bytes", disk_bytes_}}}};
        if (figures_.is_agent) return data;
        const std::uint64_t counter = cpu_ms_ / 10 + figures_.output_bytes.load();
        data["in_flight"] = {{"call_id", kCallId}, {"counter", counter}};
        return data;
    }

private:
    const CommandFigures& figures_;
    ProcTree tree_;
    std::uint64_t cpu_ms_ = 0;
    std::uint64_t rss_bytes_ = 0;
    std::uint64_t disk_bytes_ = 0;
};

Json finished_call(const RunOptions& options, const ExitStatus& status, milliseconds duration) {
    Json data = {{"call_id", kCallId},
                 {"tool", base_name(options)},
                 {"ok", status.code == 0},
                 {"duration_ms", duration.count()},
                 {"result", {{"exit_status", status.code}}}};
    if (status.code != 0) {
        const char* const kind = status.signal == 0 ? "exit_status" : "signal";
        data["error"] = {{"class", kind}, {"message", status.text()}};
    }
    return data;
}

/// Closes the call that stands for the command, once it shows to be an agent whose calls are told.
Json call_of_agent(const RunOptions& options) {
    return {{"call_id", kCallId},
            {"tool", base_name(options)},
            {"ok", true},
            {"origin", "hook"},
            {"result", "prints what it does: its calls follow"}};
}

/// How a command ended, and what it said itself of it.
struct Ending {
    ExitStatus status;
    std::optional<StopDirective> stopped_by;
    RunFacts facts;
    RunEnd end;
    std::string model;
};

Json end_body(const Ending& ending) {
    std::string reason = ending.end.reason;
    const char* outcome = ending.end.completed ? "completed" : "failed";
    if (ending.stopped_by) {
        const std::string& why = ending.stopped_by->reason;
        reason = (why.empty() ? "stopped" : "stopped: " + why) + "; " + reason;
        outcome = "cancelled";
    }
    Json body = {{"outcome", outcome}, {"reason", reason}};
    Json result = Json::object();
    const auto& said = ending.facts.result;
    if (said && !said->text.empty()) result["text"] = said->text;
    if (!ending.model.empty()) result["model"] = ending.model;
    if (ending.end.cause != core::Cause::kNone) result["cause"] = core::name_of(ending.end.cause);
    if (!ending.end.retry_at.empty()) result["retry_at"] = ending.end.retry_at;
    if (!result.empty()) body["result"] = std::move(result);
    return body;
}

class Run {
public:
    Run(const RunOptions& options, const Console& console)
        : options_(options), console_(console), session_(options.session) {
        if (session_.empty()) session_ = session_id_of(base_name(options)) + "-" + random_tag();
    }

    int run(const Json& open) {
        const std::vector<int> inherited = inherited_descriptors();
        wipe_own_variables();
        announce();
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        ::signal(SIGPIPE, SIG_IGN);
        const auto began = steady_now();
        Ending ending;
        std::optional<Reporter> reporter;
        {
            const SignalGuard signals;  // before the reporter's thread exists
            reporter.emplace(reporter_setup(open));
            reporter->add("tool.started", {{"call_id", kCallId},
                                           {"tool", base_name(options_)},
                                           {"args", {{"argv", argument_list(options_)}}}});
            Process process = spawn_process(options_.command, child_environment(),
                                            signals.outer_mask(), inherited);
            if (process.pid < 0) return not_started(*reporter, process.error);
            SupervisedCommand::Setup setup{!options_.no_lines, call_of_agent(options_),
                                           codex_home(), figures_};
            SupervisedCommand command(std::move(process), signals, *reporter, std::move(setup));
            ending.status = command.run();
            ending.stopped_by = command.stopped_by();
            ending.facts = command.agent().facts();
            ending.end = run_end(ending.facts, ending.status);
            ending.model = command.agent().model();
            // A service manager may signal us twice, by our id and by our group. The second must
            // not cost the session its end, which takes --linger at most; Ctrl-C still ends that.
            for (const int signal : {SIGTERM, SIGHUP})
                ::signal(signal, SIG_IGN);
        }
        const auto spent = std::chrono::floor<milliseconds>(steady_now() - began);
        if (!figures_.is_agent) {
            reporter->add("tool.finished", finished_call(options_, ending.status, spent));
        }
        if (const auto& status = ending.end.status)
            reporter->add(
                "error.reported",
                {{"message", ending.status.text()}, {"status", *status}, {"ends_turn", true}});
        finish(*reporter, end_body(ending));
        return ending.status.code;
    }

private:
    Reporter::Setup reporter_setup(const Json& open) {
        Reporter::Setup setup;
        setup.url = options_.client.url;
        setup.credential = options_.client.credential;
        setup.session = session_;
        setup.open = dump(open);
        setup.heartbeat = options_.interval.value_or(milliseconds{10'000});
        setup.beat = Beat(figures_);
        setup.warn = [this](const std::string& text) { warn(text); };
        return setup;
    }

    /// Our own token is not for the command, which may be an agent: it could be the operator's. Nor
    /// is anything else of ours, but for where the daemon is.
    std::map<std::string, std::string> child_environment() const {
        auto environment = without_own_variables(console_.environment);
        environment["HEADWAY_SESSION"] = session_;
        environment["HEADWAY_URL"] = options_.client.url;
        return environment;
    }

    std::string codex_home() const {
        const auto variable = [this](const char* name) {
            const auto found = console_.environment.find(name);
            return found == console_.environment.end() ? std::string{} : found->second;
        };
        std::string home = variable("CODEX_HOME");
        if (home.empty() && !variable("HOME").empty()) home = variable("HOME") + "/.codex";
        return home;
    }

    void announce() {
        if (options_.quiet) return;
        if (options_.client.json) {
            console_.err << dump({{"session", session_}, {"url", options_.client.url}}) << "\n";
        } else {
            console_.err << "headway: session " << session_ << "\n";
        }
        console_.err.flush();
    }

    void warn(const std::string& text) {
        if (!options_.quiet) complain(console_, kExitOk, text);
    }

    int not_started(Reporter& reporter, int error) {
        ExitStatus status;
        status.code = error == ENOENT ? kExitNotFound : kExitCannotExecute;
        const std::string program{cut_bytes(options_.command.front(), 200)};
        const std::string why = program + ": " + std::strerror(error);
        Json data = finished_call(options_, status, milliseconds{0});
        data["error"] = {{"class", "spawn"}, {"message", why}};
        reporter.add("tool.finished", data);
        complain(console_, status.code, "cannot run " + why);
        finish(reporter, {{"outcome", "failed"}, {"reason", "cannot run " + why}});
        return status.code;
    }

    void finish(Reporter& reporter, const Json& end) {
        if (reporter.finish(end, options_.linger)) return;
        warn("not every report of " + session_ + " was delivered");
    }

    const RunOptions& options_;
    const Console& console_;
    std::string session_;
    CommandFigures figures_;
};

constexpr const char* kRunFooter =
    R"(Opens a session, passes standard input, output and signals through, reports lines of its
output, CPU, memory and disk of its process tree, and ends with its exit status. If the
daemon is away, the command runs all the same and the reports follow when it is back. JSON lines
that an agent prints about itself (claude, qwen, gemini and cursor-agent with --output-format
stream-json, codex exec --json, copilot --output-format json, opencode and kilo run --format json,
pi --mode json, cline --json) become its calls, messages, tokens and result. An agent that ends
without its result, with an error in its last words, stopped by its own guard against loops, or with
refused calls and nothing done has failed, whatever its exit status. The command
finds its session in HEADWAY_SESSION and the daemon in HEADWAY_URL. It is handed no token of yours,
nor any other HEADWAY_ variable: an agent that reports by itself gets a token of its own session, as
below. Its output goes through a pipe, so it may buffer or drop
colours as it does under `| cat`.

Examples:
  headway run -- make -j2
  headway run --session nightly-42 --label team=night -- ./agent.sh "fix the failing test"
  headway run -- codex exec --json "fix the failing test"
  TOKEN=$(headway token create night --scope report:nightly-42 --expires 12h)
  headway run --session nightly-42 -- env HEADWAY_TOKEN="$TOKEN" ./agent
  headway wait nightly-42                            in another shell)";

class RunVerb : public VerbOf<RunOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Supervise a command from start to exit").footer(kRunFooter);
        arguments.client(options.client);
        arguments.without_socket();  // the command gets the URL, and may not speak through a socket
        arguments
            .option("--session", options.session, "session id (default: from the command's name)")
            .check(session_id_fault);
        arguments.option("--goal", options.goal,
                         "what it is meant to do (default: the command line)");
        arguments.option("--label", options.labels, "label of the session; repeatable")
            .type("KEY=VALUE");
        arguments.duration("--interval", options.interval,
                           "heartbeat interval (default: the daemon's)");
        arguments.duration("--linger", options.linger,
                           "after the exit: how long to try to deliver the last reports");
        arguments.flag("--quiet", options.quiet, "do not print the session id and warnings");
        arguments.flag("--no-lines", options.no_lines,
                       "take JSON lines of an agent for ordinary output");
        arguments.command(
            [this](std::vector<std::string> words) { options.command = std::move(words); });
        arguments.finally([this]() -> std::optional<Mistake> {
            if (options.command.empty())
                return Mistake{"there is no command to run", "as in: headway run -- make -j2"};
            const milliseconds interval = options.interval.value_or(core::kHeartbeatIntervalMin);
            if (interval < core::kHeartbeatIntervalMin || interval > core::kHeartbeatIntervalMax)
                return Mistake{"--interval: must be from 100ms to 1h", {}};
            return std::nullopt;
        });
    }

    int run(const Console& console, const Server&) override {
        const core::Result<Json> open = open_body(options);
        if (!open) {
            return complain(console, kExitUsage, open.error().detail, "as in: --label team=night");
        }
        return Run(options, console).run(*open);
    }
};

}  // namespace

std::unique_ptr<Verb> make_run() {
    return std::make_unique<RunVerb>();
}

}  // namespace headway::cli

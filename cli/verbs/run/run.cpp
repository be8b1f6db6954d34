// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/run.hpp"

#include <filesystem>
#include <ostream>
#include <utility>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/report_fields.hpp"
#include "cli/run/command_beat.hpp"
#include "cli/verbs/run/agent_run.hpp"
#include "cli/verbs/run/keeping_options.hpp"
#include "core/values/policy.hpp"

// `headway run`: the options of one supervised command.

namespace headway::cli {
namespace {

constexpr std::size_t kGoalBytesMax = 8 * 1024;  // with every byte escaped it fits into a request
constexpr std::size_t kLineBytesMax = 2 * 1024;
constexpr std::size_t kWordBytesMax = 512;  // "string" of API.md
constexpr std::size_t kArgumentsMax = 64;

constexpr const char* kRunFooter =
    R"(Opens a session, passes standard input, output and signals through, reports the command's output and the CPU,
memory and disk use of its processes, and ends with the command's exit status (exceptions: --check, and below).
Without a daemon the command still runs. Unsent reports are sent if the daemon replies within --linger after the
exit, or within 1 s if no daemon was ever reached.

If an agent prints JSON lines, `run` reports the agent's calls, messages, tokens and result. This works with: claude,
qwen, gemini, cursor-agent (all with --output-format stream-json); copilot (--output-format json); opencode run, kilo
run (--format json); pi (--mode json); codex exec, cline (--json). The session of such an agent fails, even with exit
status 0, if the agent prints no result, ends with an error, is stopped by its own loop guard, or changes nothing
after a refused call. `run` then ends with 1 if COMMAND is the agent itself, not a script.

`run` never ends with 0 if Headway stopped the command (but with 1), or if a part of the command's standard output
could not be written (74).

With `enabled = true` in [keep_going] of your own headway.toml (never the one of the working folder), resumable
agents run as if with --keep-going. `headway keep-going continue` continues a run that was killed.

The command gets HEADWAY_SESSION (its session id), HEADWAY_URL (the daemon's address) and HEADWAY_RUN (a tag that marks
its processes). It gets no other HEADWAY_ variable and not your token. With access.mode=token, an agent that also sends
its own reports needs a token (example below). The output of the command goes through a pipe, so it may be buffered or
have no colours, as with `| cat`.

Examples:
  headway run -- make -j2
  headway run --session nightly-42 --label team=night -- ./agent.sh "fix the failing test"
  headway run -- codex exec --json "fix the failing test"
  headway run --keep-going --check 'make test' -- claude -p --output-format stream-json --verbose "fix the failing tests"
  TOKEN=$(headway token create night --scope report:nightly-42 --expires 12h)
  headway run --session nightly-42 -- env HEADWAY_TOKEN="$TOKEN" ./agent
  headway wait nightly-42                            in another shell)";

std::string command_line(const RunOptions& options) {
    return on_one_line(cut_bytes(join(options.command, " "), kLineBytesMax));
}

/// The daemon takes no report for a generation whose turn it is not: the command would run without
/// a word of it there.
std::string run_session_fault(const std::string& id) {
    std::string fault = session_id_fault(id);
    const std::string_view base = base_of_generation(id);
    const bool first = id.ends_with("~1");  // which is an id like any other
    if (!fault.empty() || base.empty() || base.size() == id.size() || first) return fault;
    return id + " is what the daemon calls a session that goes on after " + std::string(base) +
           "; choose another id, as in " + std::string(base) + "-" + id.substr(base.size() + 1);
}

class RunVerb : public VerbOf<RunOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Supervise a command from start to exit").footer(kRunFooter);
        arguments.client(options.client);
        arguments.without_socket();  // the command gets the URL, and may not speak through a socket
        arguments
            .option("--session", options.session, "session id (default: from the command's name)")
            .check(run_session_fault);
        arguments.option("--goal", options.goal,
                         "the task of the command (default: the command line)");
        arguments.option("--label", options.labels, "label of the session; repeatable")
            .type("KEY=VALUE");
        arguments.duration("--interval", options.interval,
                           "heartbeat interval (default: the daemon's)");
        arguments.duration("--linger", options.linger,
                           "how long to try to deliver the last reports after the exit");
        arguments.flag("--quiet", options.quiet, "do not print the session id or warnings");
        arguments.flag("--no-lines", options.no_lines,
                       "treat an agent's JSON lines as ordinary output");
        declare_keeping(arguments, options);
        arguments.command(
            [this](std::vector<std::string> words) { options.command = std::move(words); });
        arguments.finally([this]() -> std::optional<Mistake> {
            if (options.command.empty())
                return Mistake{"there is no command to run", "as in: headway run -- make -j2"};
            const milliseconds interval = options.interval.value_or(core::kHeartbeatIntervalMin);
            if (interval < core::kHeartbeatIntervalMin || interval > core::kHeartbeatIntervalMax)
                return Mistake{"--interval: must be from 100ms to 1h", {}};
            return keeping_fault(options);
        });
    }

    int run(const Console& console, const Server&) override {
        options.keeping.homes = agent_homes(console.environment);
        options.keeping.state_folder = state_folder_of(options.client, console.environment);
        if (const auto fault = settle_keeping(options, console))
            return complain(console, kExitUsage, fault->what, fault->next);
        return run_command(options, console);
    }
};

}  // namespace

std::string base_name(const RunOptions& options) {
    const std::string name = std::filesystem::path(options.command.front()).filename().string();
    return std::string(cut_bytes(name.empty() ? "command" : name, 100));
}

std::string goal_of(const RunOptions& options) {
    return options.goal.empty() ? command_line(options)
                                : std::string(cut_bytes(options.goal, kGoalBytesMax));
}

Json begun_call(const RunOptions& options) {
    Json words = Json::array();
    for (const std::string& word : options.command) {
        if (words.size() == kArgumentsMax) {
            words.push_back("[...]");
            break;
        }
        words.push_back(cut_bytes(word, kWordBytesMax));
    }
    return {{"call_id", kCommandCallId},
            {"tool", base_name(options)},
            {"args", {{"argv", std::move(words)}}}};
}

Json finished_call(const RunOptions& options, const ExitStatus& status, milliseconds duration) {
    Json data = {{"call_id", kCommandCallId},
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

core::Result<Json> open_body(const RunOptions& options) {
    HEADWAY_TRY(const Json labels, build_labels(options.labels));
    Json body = {{"goal", goal_of(options)},
                 {"agent", {{"type", "command"}, {"name", base_name(options)}}}};
    if (!labels.empty()) body["labels"] = labels;
    if (options.interval) body["policy"] = {{"heartbeat_interval_ms", options.interval->count()}};
    return body;
}

std::unique_ptr<Verb> make_run() {
    return std::make_unique<RunVerb>();
}

}  // namespace headway::cli

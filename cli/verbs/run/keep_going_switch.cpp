// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>

#include "api/text/timestamp.hpp"
#include "cli/agents/agent_finder.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/stop_signals.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/keep_going/run_record.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/process.hpp"
#include "cli/verbs/run/agent_run.hpp"
#include "system/subprocess.hpp"

// `headway keep-going off`: no agent is started again, by any `headway run` of this user. `headway
// keep-going continue`: those go on whose `headway run` was killed.

namespace headway::cli {
namespace {

struct KeepGoingSwitch {
    ClientOptions client;
    std::string what;
    std::string session;  ///< whose run is continued; empty: all
};

constexpr std::chrono::milliseconds kChildLook{200};
/// Stands for an exit status: another process was first.
constexpr int kTaken = -1;

std::string phase_text(const RunRecord& record) {
    if (record.phase == RunPhase::kChecking) return "checking";
    if (record.phase == RunPhase::kRunning) return "at work";
    return "waiting until " + api::timestamp_text(record.wait.step.at) + ": " +
           record.wait.step.why;
}

Json record_json(const RunRecord& record) {
    Json json = {{"session", record.session},
                 {"agent", record.agent},
                 {"folder", record.begins_in.path},
                 {"phase", record.phase == RunPhase::kWaiting ? "waiting" : phase_text(record)},
                 {"latest", api::timestamp_text(record.latest())},
                 {"resumes", record.counts.resumes},
                 {"pid", record.run.pid},
                 {"running", is_running(record.run)}};
    if (record.phase == RunPhase::kWaiting) {
        json["until"] = api::timestamp_text(record.wait.step.at);
        json["why"] = record.wait.step.why;
    }
    return json;
}

std::string record_line(const RunRecord& record) {
    const bool runs = is_running(record.run);
    return clean_line(record.session + ": " +
                      (record.agent.empty() ? record.argv.front() : record.agent) + " in " +
                      record.begins_in.path + ", " + phase_text(record)) +
           (runs ? "; process " + std::to_string(record.run.pid)
                 : "; no process: headway keep-going continue " + record.session);
}

/// `headway keep-going continue`.
class Continuer {
public:
    Continuer(const KeepGoingSwitch& options, const Console& console)
        : options_(options),
          console_(console),
          folder_(state_folder_of(options.client, console.environment)) {}

    int run() const {
        if (!options_.session.empty()) {
            const int code = continue_one(options_.session);
            return code == kTaken ? kExitFailed : code;
        }
        std::vector<std::string> sessions;
        for (const FoundRecord& found : records_in(folder_)) {
            if (!found.record) {
                complain(console_, kExitOk,
                         clean_line(found.record.error().detail) + "; it is left alone");
            } else if (!is_running(found.record->run)) {
                sessions.push_back(found.record->session);
            }
        }
        if (sessions.size() == 1) {
            const int code = continue_one(sessions.front());
            return code == kTaken ? kExitOk : code;
        }
        if (!sessions.empty()) return side_by_side(sessions);
        console_.err << "headway: there is no run to continue\n";
        return kExitOk;
    }

private:
    int continue_one(const std::string& session) const {
        core::Result<RecordFile> file = RecordFile::hold(folder_, session);
        if (!file) {
            const bool taken = file.error().code == core::ErrorCode::kSessionOpen;
            return complain(console_, taken ? kTaken : kExitFailed, file.error().detail);
        }
        const core::Result<RunRecord> record = file->read();
        if (!record) {
            file->leave();
            const bool gone = record.error().code == core::ErrorCode::kUnknownSession;
            return complain(console_, gone ? kTaken : kExitFailed,
                            clean_line(record.error().detail));
        }
        if (is_running(record->run)) {
            file->leave();
            return complain(
                console_, kTaken,
                "process " + std::to_string(record->run.pid) + " keeps " + session + " going");
        }
        return continue_run(*std::move(file), *record, options_.client, console_);
    }

    /// Each in a process of its own, with a file for its output: one agent that hangs, or a person
    /// who cancels it, does not matter to the others.
    int side_by_side(const std::vector<std::string>& sessions) const {
        const StopSignals signals;
        std::vector<pid_t> running;
        int code = kExitOk;
        for (const std::string& session : sessions) {
            const pid_t pid = start(session);
            if (pid > 0) running.push_back(pid);
            if (pid <= 0) code = kExitFailed;
        }
        while (!running.empty()) {
            if (signals.came(kChildLook))
                for (const pid_t pid : running)
                    ::kill(pid, SIGTERM);
            std::erase_if(running, [&code](pid_t pid) {
                int status = 0;
                if (::waitpid(pid, &status, WNOHANG) == 0) return false;
                if (exit_status_of(status).code != kExitOk) code = kExitFailed;
                return true;
            });
        }
        return code;
    }

    pid_t start(const std::string& session) const {
        const std::string log = record_log(folder_, session);
        const system::FileDescriptor file = system::above_standard(system::FileDescriptor{
            ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   0600)});
        system::Started started;
        started.error = errno;
        struct stat about {};
        const bool regular =
            file.open() && ::fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode);
        if (file.open() && !regular) started.error = EEXIST;
        if (regular)
            started = system::start({.argv = words_for(session),
                                     .streams = {system::kNowhere, file.get(), file.get()},
                                     .mask = system::no_signals()});
        if (started.pid > 0) {
            console_.err << "headway: continues " << session << "; its output is in "
                         << clean_line(log) << "\n"
                         << std::flush;
        } else {
            complain(console_, kExitFailed,
                     "cannot continue " + session + ": " + std::strerror(started.error));
        }
        return started.pid;
    }

    std::vector<std::string> words_for(const std::string& session) const {
        const ClientOptions& client = options_.client;
        std::vector<std::string> words{own_program().string(), "keep-going", "continue", session};
        const auto usual = daemon_url({}, console_.environment);
        const std::pair<const char*, std::string> given[] = {
            {"--url", usual && *usual == client.url ? "" : client.url},
            {"--token-file", client.token_file},
            {"--ca-file", client.ca_file},
            {"--state-dir", client.state_dir}};
        for (const auto& [name, value] : given)
            if (!value.empty()) words.insert(words.end(), {name, value});
        return words;
    }

    const KeepGoingSwitch& options_;
    const Console& console_;
    const std::string folder_;
};

class KeepGoingVerb : public VerbOf<KeepGoingSwitch> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Switch automatic resumes on or off, or continue runs that were cut off")
            .footer(kFooter);
        arguments.client(options.client);
        arguments.without_socket();
        // The others need only its state directory.
        arguments.uses_daemon(options.client, [this] { return options.what == "continue"; });
        arguments
            .operand("ACTION", options.what,
                     "off: stop resumes; on: allow resumes; status: show the state and the runs; "
                     "continue: continue runs that were cut off")
            .required()
            .choices({"off", "on", "status", "continue"});
        arguments.operand("SESSION", options.session, "continue only the run of this session")
            .check(session_id_fault);
        arguments.finally([this]() -> std::optional<Mistake> {
            if (options.session.empty() || options.what == "continue") return std::nullopt;
            return Mistake{"only `continue` takes a session", {}};
        });
    }

    int run(const Console& console, const Server&) override {
        if (options.what == "continue") return Continuer(options, console).run();
        const std::string folder = state_folder_of(options.client, console.environment);
        const KeepGoingState state(folder);
        const bool shows = options.what == "status";
        if (!shows) {
            if (auto done = state.set_off(options.what == "off"); !done)
                return complain(console, kExitFailed, done.error().detail);
        }
        const bool off = state.is_off();
        const std::vector<FoundRecord> runs =
            shows ? records_in(folder) : std::vector<FoundRecord>{};
        if (options.client.json) {
            Json json = {{"off", off}, {"file", state.switch_file()}};
            if (shows) json["runs"] = Json::array();
            for (const FoundRecord& found : runs)
                if (found.record) json["runs"].push_back(record_json(*found.record));
            console.out << dump(json) << "\n";
        } else {
            console.out << (off ? "off: no agent is started again (" + state.switch_file() + ")\n"
                                : "on\n");
            if (off) console.out << elsewhere(state, console);
            for (const FoundRecord& found : runs)
                if (found.record) console.out << record_line(*found.record) << "\n";
        }
        for (const FoundRecord& found : runs)
            if (!found.record) complain(console, kExitOk, clean_line(found.record.error().detail));
        return kExitOk;
    }

private:
    /// The hooks, which have no --state-dir, look at one switch only; empty: at this one, or that
    /// is off too.
    static std::string elsewhere(const KeepGoingState& state, const Console& console) {
        const KeepGoingState usual(state_folder_of({}, console.environment));
        if (usual.switch_file() == state.switch_file() || usual.is_off()) return {};
        return "goals of hooks go on: they look at " + usual.switch_file() +
               ", which `headway keep-going off` without --state-dir makes\n";
    }

    static constexpr const char* kFooter =
        R"(From `off` to `on`, no agent is resumed, or sent back to work when the command of `headway install --until`
fails. A `headway run --keep-going` that is waiting to resume its agent then ends within two seconds. A running
agent continues to its end; `headway cancel` asks it to stop. The switch is a file in the state directory
(--state-dir DIR; default: $STATE_DIRECTORY, else $XDG_STATE_HOME/headway, else ~/.local/state/headway), so no
daemon is needed.

`continue` continues each `headway run --keep-going` that was killed, or was cut off when the machine went down. The
run keeps its session, conversation, folder and limits, and goes on as soon as the daemon replies. An agent that
outlived its run is ended first. Several runs go on side by side; the path of each output file is printed. The
environment of a run is not stored: each run gets the environment, daemon and token of this command.

Examples:
  headway keep-going off
  headway keep-going status
  headway keep-going continue

Exit codes: 0 done   1 the file cannot be changed, or a run failed   64 usage
`continue` of one run: the exit status of its agent)";
};

}  // namespace

std::unique_ptr<Verb> make_keep_going() {
    return std::make_unique<KeepGoingVerb>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/agent_run.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "api/text/timestamp.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/keep_going/agent_folder.hpp"
#include "cli/records/report_fields.hpp"
#include "cli/run/command_beat.hpp"
#include "cli/run/supervised_command.hpp"
#include "cli/verbs/run/keeping_options.hpp"

namespace headway::cli {
namespace {

/// Closes the call of the command once an agent's own calls are reported.
Json call_of_agent(const RunOptions& options) {
    return {{"call_id", kCommandCallId},
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
    bool cancelled = false;  ///< by a person, between two runs
};

Json end_body(const Ending& ending) {
    std::string reason = ending.end.reason;
    const char* outcome = ending.end.completed ? "completed"
                          : ending.cancelled   ? "cancelled"
                                               : "failed";
    if (ending.stopped_by) {
        const std::string& why = ending.stopped_by->reason;
        reason = (why.empty() ? "stopped" : "stopped: " + why) + "; " + reason;
        outcome = "cancelled";
    }
    Json body = {{"outcome", outcome}, {"reason", reason}};
    Json result = Json::object();
    const auto& answer = ending.facts.result;
    if (answer && !answer->text.empty()) result["text"] = answer->text;
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
        record_ = new_record(options, session_, goal_of(options), console.environment);
        if (!options.keep_going) return;
        if (auto held = RecordFile::hold(options.keeping.state_folder, session_); held) {
            file_ = *std::move(held);
            const auto left = file_.read();
            if (left || left.error().code != core::ErrorCode::kUnknownSession)
                warn("this run replaces one of the same session that was cut off");
        } else {
            warn(held.error().detail + "; a restart of the machine would end this run");
        }
    }

    Run(const RunOptions& options, const Console& console, RecordFile file, const RunRecord& record)
        : options_(options),
          console_(console),
          session_(record.session),
          continues_(true),
          file_(std::move(file)),
          record_(record) {
        record_.run = recorded_process(::getpid());
        figures_.is_agent = true;  // as its first run has shown
    }

    int run(const Json& open) {
        const std::vector<int> inherited = inherited_descriptors();
        hide_own_variables();
        announce();
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        ::signal(SIGPIPE, SIG_IGN);
        const auto began = steady_now();
        Ending ending;
        std::optional<Reporter> reporter;
        {
            const SignalGuard signals;  // before the reporter's thread exists
            reporter.emplace(reporter_setup(open));
            if (!continues_) reporter->add("tool.started", begun_call(options_));
            const int error = run_agent(*reporter, signals, inherited, ending);
            // Without an end for the session: it goes on after the restart.
            const bool over = ending.end.completed && options_.keeping.check.empty();
            if (interrupted_ && !over && file_.held() && machine_goes_down(console_.environment))
                return ending.status.code;
            // It ends by itself; but with a token that is valid, it could be continued.
            continues_ && reporter->denied() ? file_.leave() : file_.remove();
            if (error != 0) return not_started(*reporter, error);
            // A service manager may signal us twice, by our id and by our group. The second must
            // not cost the session its end, which takes --linger at most; Ctrl-C still ends that.
            for (const int signal : {SIGTERM, SIGHUP})
                ::signal(signal, SIG_IGN);
        }
        const auto spent = std::chrono::floor<milliseconds>(steady_now() - began);
        if (!figures_.is_agent)
            reporter->add("tool.finished", finished_call(options_, ending.status, spent));
        if (const auto& status = ending.end.status)
            reporter->add(
                "error.reported",
                {{"message", ending.status.text()}, {"status", *status}, {"ends_turn", true}});
        finish(*reporter, end_body(ending));
        if (ending.status.code != 0 || !lost_output_) return ending.status.code;
        return complain(console_, kExitOutput,
                        "a part of the command's output could not be written, and is lost");
    }

private:
    /// Runs the command, and the agent again as long as it is kept going. An errno if the command
    /// cannot be started.
    int run_agent(Reporter& reporter, const SignalGuard& signals, const std::vector<int>& inherited,
                  Ending& ending) {
        const auto environment = child_environment();
        const auto say = [this](const std::string& text) { warn(text); };
        std::uint64_t starts = record_.starts;
        RecordKeeper keeper(file_, record_, reporter, say);
        KeepGoing keeping(options_.keeping, options_.command, signals, reporter, figures_,
                          environment, say, keeper);
        std::optional<KeepGoing::Words> words = options_.command;
        if (continues_) words = go_on(keeping, ending);
        RunBefore before;
        while (words) {
            const std::string began = api::timestamp_text(wall_now());
            Process process = spawn_process(*words, environment, signals.outer_mask(), inherited,
                                            {}, options_.no_lines ? "" : "HEADWAY_RUN");
            if (process.pid < 0 && starts == 0) return process.error;
            if (process.pid < 0) {
                ending.end.completed = false;
                ending.end.reason +=
                    "; cannot be resumed: " + words->front() + ": " + std::strerror(process.error);
                break;
            }
            ++starts;
            if (options_.keep_going) keeping.note_start(process.pid);
            SupervisedCommand command(std::move(process), signals, reporter,
                                      setup_of(*words, began, before, keeping));
            ending = ending_of(command, *words);
            lost_output_ = lost_output_ || command.lost_output();
            if (const AgentLines& agent = command.agent(); !agent.conversation().empty())
                before = {agent.conversation(), agent.meter().last_total(),
                          agent.meter().counted()};
            RunOver over = over_of(command, ending, signals);
            // A service manager may signal the agent before this process.
            if (over.signal == SIGTERM && file_.held() && machine_goes_down(console_.environment))
                over.interrupted = true;
            words = options_.keep_going ? keeping.after(over, command) : std::nullopt;
            interrupted_ = over.interrupted;
            command.tell_kept();
            if (over.end.completed && !ending.end.completed && check_fault(over).empty()) {
                ending.end.completed = true;  // the check decides
                ending.end.reason = "the check passed; " + ending.end.reason;
                ending.status = {};
            }
            note_check(ending, over);
            // No check has passed, or the agent's words say so. A script may print such lines, too.
            const RunFacts& facts = ending.facts;
            const bool known = is_agent_program(options_.command.front()) &&
                               (!facts.agent.empty() || !facts.called.empty() || over.mute);
            if (ending.status.code == 0 && !ending.end.completed &&
                (known || !options_.keeping.check.empty()))
                ending.status.code = 1;
        }
        if (starts > 1)
            ending.end.reason +=
                "; resumed " + std::to_string(starts - 1) + (starts == 2 ? " time" : " times");
        ending.cancelled = keeping.cancelled();
        if (ending.status.code == 0 && (ending.stopped_by || ending.cancelled))
            ending.status.code = kExitFailed;
        if (!keeping.why_over().empty()) ending.end.reason += "; " + keeping.why_over();
        if (lost_output_) ending.end.reason += "; a part of its output could not be written";
        return 0;
    }

    SupervisedCommand::Setup setup_of(const KeepGoing::Words& words, const std::string& began,
                                      const RunBefore& before, KeepGoing& keeping) {
        const milliseconds most = options_.keep_going ? kAgentWaitMost : milliseconds{0};
        SupervisedCommand::Setup setup{!options_.no_lines,
                                       call_of_agent(options_),
                                       options_.keeping.homes,
                                       most,
                                       figures_,
                                       began,
                                       before,
                                       {}};
        // Another program may go on by itself after its agent.
        setup.own_program = is_agent_program(words.front());
        if (setup.own_program) setup.stay_max = options_.keeping.stay_most;
        setup.end_stay = setup.keeps_errors = options_.keep_going;
        setup.counted_above = run_reads_output(console_.environment, options_.client.url);
        setup.say = [this](const std::string& text) { warn(text); };
        if (options_.keep_going) setup.each_second = [&keeping] { keeping.note_session(); };
        if (options_.keep_going)
            setup.in_conversation = [&keeping](const std::string& agent, const std::string& id) {
                keeping.note_conversation(agent, id);
            };
        return setup;
    }

    /// Goes on from the record, which knows how the agent stood when the run was cut off.
    std::optional<KeepGoing::Words> go_on(KeepGoing& keeping, Ending& ending) {
        const bool waited = record_.phase == RunPhase::kWaiting;
        const bool ended_well = record_.phase == RunPhase::kChecking;
        const std::string stood = waited       ? record_.wait.step.why
                                  : ended_well ? "the agent had ended"
                                               : "the agent was at work";
        ending.end.completed = ended_well;
        ending.end.reason = stood + " when `headway run` was killed or the machine went down";
        RunOver over;
        over.end = ending.end;
        over.signal = waited || ended_well ? 0 : SIGKILL;
        auto words = keeping.go_on(over);
        interrupted_ = over.interrupted;
        note_check(ending, over);
        ending.status.code = ending.end.completed ? kExitOk : kExitFailed;
        return words;
    }

    Ending ending_of(SupervisedCommand& command, const KeepGoing::Words& words) const {
        Ending ending;
        ending.status = command.run();
        ending.stopped_by = command.stopped_by();
        if (command.ended_after_result()) ending.status = {};
        const RunFacts facts = command.ended_for_wait().value_or(command.agent().facts());
        ending.facts = command.ended_after_result().value_or(facts);
        // A script may call its agent without a word; the agent itself has its lines.
        if (!options_.no_lines && is_agent_program(words.front()))
            command.add_to(ending.facts, called_for_lines(words), ending.status);
        ending.end = run_end(ending.facts, ending.status);
        // Our signal ended it, so its own status is unknown: the result decides.
        if (command.ended_after_result() && !ending.end.completed) ending.status.code = 1;
        ending.model = command.agent().model();
        return ending;
    }

    /// The signal that ended it; also one of a person that it, or a shell around it, has caught.
    static int signal_of(const ExitStatus& status) {
        constexpr int kSignalBase = 128;
        const int caught = status.code - kSignalBase;
        const bool of_person = caught == SIGHUP || caught == SIGINT || caught == SIGTERM;
        return status.signal == 0 && of_person ? caught : status.signal;
    }

    static RunOver over_of(const SupervisedCommand& command, const Ending& ending,
                           const SignalGuard& signals) {
        RunOver over;
        over.end = ending.end;
        over.interrupted = command.interrupted();
        over.unread = command.unread();
        over.stopped = ending.stopped_by.has_value();
        over.guarded = ending.end.guarded;
        over.needs_person = ending.end.refused;
        over.progressed = ending.facts.changed;
        over.clean = ending.status.code == 0 && ending.status.signal == 0;
        over.signal = command.ended_for_wait() ? 0 : signal_of(ending.status);
        // As by `nohup`. Node sets an ignored signal back to its default, and so it is killed.
        if (over.signal == SIGHUP && signals.ignores(SIGHUP)) over.signal = SIGKILL;
        return over;
    }

    static void note_check(Ending& ending, const RunOver& over) {
        const std::string_view fault = check_fault(over);
        if (fault.empty()) return;
        ending.end.completed = false;
        ending.end.reason = std::string(fault) + "; " + ending.end.reason;
    }

    Reporter::Setup reporter_setup(const Json& open) {
        Reporter::Setup setup;
        setup.url = options_.client.url;
        setup.credential = options_.client.credential;
        setup.session = continues_ ? record_.generation : session_;
        setup.opened_at = record_.opened_at;
        setup.open = dump(open);
        setup.heartbeat = options_.interval.value_or(milliseconds{10'000});
        setup.beat = CommandBeat(figures_);
        setup.warn = [this](const std::string& text) { warn(text); };
        setup.goes_on = true;
        return setup;
    }

    /// Our own token is not for the command, which may be an agent: it could be the operator's. It
    /// gets none of our variables but these three.
    std::map<std::string, std::string> child_environment() const {
        auto environment = without_own_variables(console_.environment);
        environment["HEADWAY_SESSION"] = session_;
        environment["HEADWAY_RUN"] = record_.mark;
        environment["HEADWAY_URL"] = options_.client.url;
        // Claude would wait for a limit by itself, for hours in one process.
        if (options_.keep_going) environment.erase("CLAUDE_CODE_RETRY_WATCHDOG");
        return environment;
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
        if (!options_.quiet) notes_.say(clean_line(text));
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
    Notes notes_{console_};
    std::string session_;
    const bool continues_ = false;  ///< the run of a record
    RecordFile file_;
    RunRecord record_;
    bool interrupted_ = false;
    bool lost_output_ = false;
    CommandFigures figures_;
};

}  // namespace

int run_command(const RunOptions& options, const Console& console) {
    const core::Result<Json> open = open_body(options);
    if (!open)
        return complain(console, kExitUsage, open.error().detail, "as in: --label team=night");
    return Run(options, console).run(*open);
}

int continue_run(RecordFile file, const RunRecord& record, const ClientOptions& client,
                 const Console& console) {
    const RunOptions options = options_of(record, client, console.environment);
    const core::Result<Json> open = open_body(options);
    if (!open) return complain(console, kExitFailed, open.error().detail);
    return Run(options, console, std::move(file), record).run(*open);
}

}  // namespace headway::cli

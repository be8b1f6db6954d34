// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/wait.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/client/session_names.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/report_file.hpp"
#include "cli/views/event_line.hpp"
#include "cli/wait/below.hpp"
#include "cli/wait/junit_report.hpp"
#include "cli/wait/verdict_wait.hpp"
#include "config/values/duration.hpp"

// `headway wait`: long polls until the question is answered. The daemon may come and go meanwhile.

namespace headway::cli {
namespace {

enum class Poll : std::uint8_t { kAnswered, kTimedOut, kGaveUp };

class Waiter {
public:
    Waiter(const WaitOptions& options, const Console& console)
        : options_(options),
          console_(console),
          daemon_(options.client.url, options.client.credential) {
        until_ = options.on_stuck == OnStuck::kIgnore ? until_without(options.until, "stuck")
                                                      : options.until;
    }

    int run() {
        const ReportFile junit{options_.junit};
        if (junit.is_output() && options_.client.json) {
            return complain(console_, kExitUsage, "--json and --junit - both want standard output",
                            "name a file for one of them");
        }
        if (!options_.junit.empty()) {
            if (const auto fine = junit.check(); !fine)  // now rather than after hours
                return complain(console_, kExitUsage, fine.error().detail);
        }
        const int code = wait();
        if (options_.junit.empty() || report(junit, code)) return code;
        return code == kExitOk ? kExitOutput : code;
    }

private:
    int wait() {
        if (until_.empty()) {
            return complain(console_, kExitUsage, "nothing is left to wait for",
                            "--on-stuck ignore takes `stuck` out of --until");
        }
        if (console_.err_terminal && !options_.client.json) {
            console_.err << "waiting until " << until_ << " ... (Ctrl-C to give up)\n";
        }
        PollPace pace;
        for (;;) {
            HttpReply reply;
            const bool held = asked_;  // the first asks how things stand
            const SteadyTime began = steady_now();
            const Poll poll = ask_until_answered(reply);
            if (poll != Poll::kAnswered)
                return poll == Poll::kTimedOut ? timed_out() : explain(reply);
            const std::optional<Json> body = body_json(reply);
            if (!reply.ok() || !body) return refused(reply);
            last_ = *body;
            WaitAnswer answer = read_wait_reply(*body, options_.any);
            asked_ = true;
            say_patience(answer);
            if (answer.met && leaving_stuck_ && !answer.stuck) {
                leaving_stuck_ = false;  // it moves again; is that what was waited for?
                continue;
            }
            if (answer.met && answer.stuck && person_keeps_waiting(answer)) continue;
            if (answer.met || answer.impossible) return finish(*body, answer, answer.exit_code);
            say_unopened(answer);
            needs_ = needs_below(daemon_, options_.any, until_, answer);
            if (!needs_.empty()) return finish(*body, answer, answer.exit_code);
            if (!held) continue;
            const auto took = std::chrono::floor<milliseconds>(steady_now() - began);
            std::this_thread::sleep_for(std::min(pace.after(took), time_left()));
        }
    }

    bool report(const ReportFile& file, int code) {
        std::vector<JunitCase> cases = junit_cases(last_, options_.sessions, code, needs_);
        for (JunitCase& one : cases) {
            if (!one.failure.empty() && one.failure != "no_answer")
                one.lines = last_of(one.session);
        }
        const auto waited = std::chrono::floor<milliseconds>(steady_now() - began_);
        console_.out << std::flush;
        const auto written = file.write(junit_report(cases, waited));
        if (!written) complain(console_, code, written.error().detail);
        return written.has_value();
    }

    /// The last events of a session, oldest first; nothing if they cannot be read.
    std::vector<std::string> last_of(const std::string& session) {
        constexpr int kEvents = 20;
        std::vector<std::string> lines;
        const std::string query = "/events?order=newest&limit=" + std::to_string(kEvents);
        const std::optional<Json> page = body_json(daemon_.get(session_path(session, query)));
        if (!page) return lines;
        for (const Json& event : (*page)["events"])
            lines.insert(lines.begin(), event_line(event, {}));
        return lines;
    }

    Poll ask_until_answered(HttpReply& reply) {
        Backoff backoff;
        const SteadyTime began = steady_now();
        for (bool again = false;; again = true) {
            // Once, however short the time is: 0 asks how things stand.
            if (again && !reached_ && options_.timeout == milliseconds{0}) return Poll::kGaveUp;
            // An unreachable daemon is another end than a session that is not there yet.
            if ((again || asked_) && time_left().count() <= 0)
                return again && !reply.answered() ? Poll::kGaveUp : Poll::kTimedOut;
            // The first at once: a mistyped name should be seen before the wait is over.
            const milliseconds wait = asked_ ? std::min(kPoll, time_left()) : milliseconds{0};
            const std::string until = leaving_stuck_ ? all_verdicts_but("stuck") : until_;
            const auto waited = std::chrono::floor<milliseconds>(steady_now() - began_);
            reply = daemon_.get(wait_path(options_, until, wait, waited), wait + kAnswerGrace);
            if (!worth_retrying(reply)) {
                reached_ = true;
                return Poll::kAnswered;
            }
            reached_ = reached_ || reply.answered();
            const milliseconds patience =
                options_.connect_timeout.value_or(reached_ ? kReconnect : kFirstContact);
            const milliseconds pause = std::min(backoff.next(), time_left());
            if (steady_now() + pause - began > patience) return Poll::kGaveUp;
            std::this_thread::sleep_for(pause);
        }
    }

    milliseconds time_left() const {
        if (!options_.timeout) return std::chrono::hours{24};
        const auto spent = std::chrono::ceil<milliseconds>(steady_now() - began_);
        return std::max(*options_.timeout - spent, milliseconds{0});
    }

    bool person_keeps_waiting(const WaitAnswer& answer) {
        if (options_.on_stuck != OnStuck::kAsk || !console_.in_terminal) return false;
        for (const std::string& line : answer.lines)
            console_.err << line << "\n";
        console_.err << "keep waiting? [y/N] " << std::flush;
        std::string text;
        if (!std::getline(std::cin, text) || !(text == "y" || text == "Y" || text == "yes")) {
            return false;
        }
        // One session: wait for it to leave `stuck`, so that the next time asks again. Several, or
        // the past: do not ask again.
        if (options_.sessions.size() == 1 && options_.mode == "now") {
            leaving_stuck_ = true;
        } else {
            until_ = until_without(until_, "stuck");
        }
        return !until_.empty();
    }

    /// Once for each, on standard error, --json or not: it is not what was asked for.
    void say_unopened(const WaitAnswer& answer) {
        for (const std::string& id : answer.unopened) {
            if (!said_.insert(id).second) continue;
            console_.err << "headway: session " << clean_line(id) << " does not exist yet";
            if (options_.open_within.count() > 0)
                console_.err << "; waiting " << config::print_duration(options_.open_within)
                             << " for it to be opened";
            const std::string near = nearest_session(daemon_, id);
            console_.err << (near.empty() ? "" : "; did you mean `" + near + "`?") << '\n'
                         << std::flush;
        }
    }

    void say_patience(const WaitAnswer& answer) {
        for (const auto& [id, after] : answer.patient) {
            if (!said_patient_.insert(id).second) continue;
            console_.err << "headway: " << clean_line(id) << " is given up after "
                         << config::print_duration(after) << " without a heartbeat, not "
                         << config::print_duration(options_.silent_for.value_or(milliseconds{0}))
                         << ": less than two of its heartbeat intervals proves nothing\n"
                         << std::flush;
        }
    }

    /// The exit code may be that of another session, which ended worse.
    int explain_end(const WaitAnswer& answer) {
        if (!answer.silent.empty()) {
            const std::string id = clean_line(answer.silent.front());
            return complain(console_, answer.exit_code, "no heartbeat of " + id + " for too long",
                            "`headway show " + id + "` says what it did last; --silent-for 1h " +
                                "waits longer; `headway end " + id + " --outcome failed` ends it");
        }
        if (answer.never_opened.empty()) {
            return complain(console_, answer.exit_code, "it has ended and can never be: " + until_);
        }
        const std::string& id = answer.never_opened.front();
        const std::string near = nearest_session(daemon_, id);
        return complain(console_, answer.exit_code,
                        "session " + clean_line(id) + " was not opened within " +
                            config::print_duration(options_.open_within),
                        near.empty() ? "--open-within 10m waits longer, 0 as long as it takes"
                                     : "did you mean `" + near + "`?");
    }

    int finish(const Json& body, const WaitAnswer& answer, int code) {
        if (options_.client.json) {
            console_.out << dump(body) << "\n";
        } else {
            std::ostream& where = options_.junit == "-" ? console_.err : console_.out;
            for (const std::string& line : answer.lines)
                where << line << "\n";
        }
        if (answer.impossible && !answer.met) explain_end(answer);
        if (code == kExitDaemonError) return complain(console_, code, kUnknownVerdict);
        return code;
    }

    int timed_out() {
        if (options_.client.json && !last_.is_null()) console_.out << dump(last_) << "\n";
        return complain(console_, kExitTimeout,
                        "not " + until_ + " within " + config::print_duration(*options_.timeout),
                        "`headway show " + options_.sessions.front() + "` says where it stands");
    }

    /// A failure of the wait itself must not look like a session that failed, which is 1.
    int explain(const HttpReply& reply) {
        const int code = explain_failure(console_, daemon_, reply);
        if (code != kExitFailed) return code;
        const bool denied = reply.status == 401 || reply.status == 403 || reply.status == 429;
        if (denied) return kExitDenied;
        return problem_of(reply).code.empty() ? kExitUnreachable : kExitDaemonError;
    }

    int refused(const HttpReply& reply) {
        if (reply.status != 404 || problem_of(reply).code != "unknown_session") {
            return explain(reply);
        }
        std::string near;
        if (options_.sessions.size() == 1) near = nearest_session(daemon_, options_.sessions[0]);
        return complain(console_, kExitNeverOpened,
                        options_.sessions.size() == 1
                            ? "no session " + clean_line(options_.sessions[0]) + " exists"
                            : clean_line(problem_of(reply).detail.substr(
                                  0, problem_of(reply).detail.find(';'))),
                        near.empty() ? "--missing wait waits for it to be opened"
                                     : "did you mean `" + near + "`?");
    }

    const WaitOptions& options_;
    const Console& console_;
    Daemon daemon_;
    std::string until_;
    bool leaving_stuck_ = false;
    bool reached_ = false;
    bool asked_ = false;          ///< the daemon has said once how things stand
    std::set<std::string> said_;  ///< that they do not exist yet
    std::set<std::string> said_patient_;
    const SteadyTime began_ = steady_now();
    Json last_;
    NeedsBelow needs_;
};

constexpr const char* kWaitFooter = R"(Exit codes:
  0    completed, or an --until verdict that has no code below
  1    failed or halted
  2    stuck
  3    cancelled, or ended with any verdict (also completed, failed) that --until does not name
  4    needs a person: blocked or needs_somebody; with `--until waiting`, any `waiting`
  5    silent: the agent has sent nothing for --silent-for
  6    never opened
  64   usage
  69   no daemon answers
  70   the daemon answered with an error
  74   completed, but the output or the JUnit file cannot be written
  77   the daemon refuses the token, or requires one
  124  --timeout has passed

Exit code 5: the agent has sent nothing for --silent-for, counted from its last event or the start of
the daemon, whichever is later. The default is 10 heartbeat intervals (100 s if the interval is 10 s);
while a call without heartbeats is in flight, at least 30 minutes. A --silent-for other than 0 counts
as at least two intervals. Time is not counted while the agent waits for a person to decide
or answer, while a person has paused the agent, or while a session that the agent opened is working:
--timeout limits these waits.

Verdicts for --until: starting progressing exploring slow waiting blocked suspect stuck silent
completed failed cancelled halted (ended by a budget or a policy). --until also takes:
  settled          `ended`, stuck, blocked or needs_somebody
  ended            completed failed cancelled halted
  event            any event whose number is above --after
  needs_somebody   the agent waits for something that has ended or does not change: a person should look

Examples:
  headway wait build-1                             until it ends, is stuck or needs a person
  headway wait build-1 --timeout 2h || echo $?     give up after two hours
  headway wait build-1 --until ended --on-stuck ignore
  headway wait build-1 --open-within 10m           allow ten minutes for it to open
  headway wait a b c --all                         all of them; the worst decides the exit code
  headway wait a b c --any                         the first that has an awaited verdict
  headway wait a b c --junit headway.xml           and a report for the CI service)";

class Wait : public VerbOf<WaitOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Wait for a session's verdict; the exit code names the outcome");
        arguments.footer(kWaitFooter);
        arguments.client(options.client);
        arguments.operand("SESSION", options.sessions, "one or more session ids")
            .check(session_id_fault)
            .required();
        declare_question(arguments);
        declare_patience(arguments);
    }

    int run(const Console& console, const Server&) override {
        return Waiter(options, console).run();
    }

private:
    void declare_question(Arguments& arguments) {
        arguments.flag("--any", options.any,
                       "several sessions: return when one has an awaited verdict");
        arguments
            .flag(
                "--all", [this] { options.any = false; },
                "several sessions: return when all have an awaited verdict (default)")
            .excludes("--any");
        arguments
            .option("--until", options.until,
                    "verdicts or names to wait for (listed below), comma separated")
            .check([](const std::string& text) {
                return text.find_first_not_of(", ") != text.npos
                           ? std::string{}
                           : "name a set (settled, ended, event) or verdicts: " + all_verdicts();
            })
            .show_default();
        arguments
            .option("--junit", options.junit,
                    "write JUnit XML for a CI service: one case per session; - is standard output")
            .type("FILE");
        arguments.option("--after", options.after, "ignore events up to this number");
        arguments
            .option("--mode", options.mode,
                    "now: only the current verdict counts; ever: an earlier one counts, too")
            .choices({"now", "ever"})
            .show_default();
    }

    void declare_patience(Arguments& arguments) {
        arguments.duration("--timeout", options.timeout,
                           "give up after this long (default: never)");
        const auto set_on_stuck = [this](const std::string& word) {
            options.on_stuck = word == "fail"     ? OnStuck::kFail
                               : word == "ignore" ? OnStuck::kIgnore
                                                  : OnStuck::kAsk;
            return std::string{};
        };
        arguments
            .option("--on-stuck", set_on_stuck,
                    "when stuck: `ask` you (no terminal: as `fail`), `fail` with exit code 2, or "
                    "`ignore` it and keep waiting")
            .choices({"ask", "fail", "ignore"})
            .fallback("ask");
        const auto set_missing = [this](const std::string& word) {
            options.missing_waits = word == "wait";
            return std::string{};
        };
        arguments
            .option("--missing", set_missing,
                    "a session that is not open yet: wait for it, or fail")
            .choices({"wait", "fail"})
            .fallback("wait");
        arguments.duration("--open-within", options.open_within,
                           "wait this long for a session to open; 0: no limit");
        arguments.duration("--silent-for", options.silent_for,
                           "give up on an agent that sends nothing for this long; 0: no limit "
                           "(default: 10 of its heartbeat intervals; see below)");
        arguments.duration(
            "--connect-timeout", options.connect_timeout,
            "keep trying to reach the daemon for this long (default: 5s until its first "
            "reply, then 30s)");
    }
};

}  // namespace

std::unique_ptr<Verb> make_wait() {
    return std::make_unique<Wait>();
}

}  // namespace headway::cli

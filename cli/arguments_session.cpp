// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"
#include "cli/verdict_wait.hpp"

// The verbs that look at sessions or speak for one.

namespace headway::cli {
namespace {

constexpr const char* kWaitFooter = R"(Exit codes:
  0 completed   1 failed or halted   2 stuck   3 cancelled, or it can never happen any more
  4 needs a human   5 silent: the agent is gone   6 never opened   124 --timeout passed
  64 usage   69 no daemon

An agent that sends no heartbeat is given up after --silent-for: 5. It counts from its last event,
or from the daemon's start; time in which a person is asked, or has paused it, or in which a session
that it opened is at work, is left out. Without --silent-for it is 10 of the intervals that the
agent was asked for (100 s unless its policy says otherwise), and 30 minutes within a call of an
agent that never beats during one. Less than two of those intervals proves nothing: --silent-for
counts as two of them then, and that is said.

Verdicts for --until: starting progressing exploring slow waiting blocked suspect stuck silent
completed failed cancelled halted, or a set: settled (completed failed cancelled halted stuck
blocked), ended (the first four), event (anything new after --after).

Examples:
  headway wait build-1                             until it ends, is stuck or needs somebody
  headway wait build-1 --timeout 2h || echo $?     with the caller's own patience
  headway wait build-1 --until ended --on-stuck ignore
  headway wait build-1 --open-within 10m           whoever opens it may take that long
  headway wait a b c --all                         all of them; the worst decides the exit code
  headway wait a b c --any                         whichever comes first)";

void add_wait(CLI::App& app, ArgumentSlots& slots) {
    WaitOptions& wait = slots.wait;
    CLI::App& verb =
        add_verb(app, "wait", "Block until a session has a verdict; exit code says which",
                 kWaitFooter, slots.client);
    verb.add_option("SESSION", wait.sessions, "one or more session ids")
        ->check(session_id_fault)
        ->required();
    CLI::Option* const any = verb.add_flag("--any", wait.any, "several: the first is enough");
    verb.add_flag_callback(
            "--all", [&wait] { wait.any = false; }, "several: all of them (default)")
        ->excludes(any);
    verb.add_option("--until", wait.until, "verdicts or sets, comma separated")
        ->check([](const std::string& text) {
            return text.find_first_not_of(", ") != text.npos
                       ? std::string{}
                       : "say until what: settled, ended, event, or verdicts: " + all_verdicts();
        })
        ->capture_default_str();
    verb.add_option("--after", wait.after, "only what happens after this event counts");
    verb.add_option("--mode", wait.mode, "now: the verdict now; ever: also one that has passed")
        ->check(CLI::IsMember({"now", "ever"}))
        ->capture_default_str();
    add_duration(verb, "--timeout", wait.timeout, "give up after this; without it: never");
    const std::map<std::string, OnStuck> on_stuck{
        {"ask", OnStuck::kAsk}, {"fail", OnStuck::kFail}, {"ignore", OnStuck::kIgnore}};
    verb.add_option_function<std::string>(
            "--on-stuck",
            [&wait, on_stuck](const std::string& word) { wait.on_stuck = on_stuck.at(word); },
            "ask (on a terminal, else like fail), fail, ignore")
        ->check(CLI::IsMember({"ask", "fail", "ignore"}))
        ->default_str("ask");
    verb.add_option_function<std::string>(
            "--missing", [&wait](const std::string& word) { wait.missing_waits = word == "wait"; },
            "a session nobody has opened yet: wait for it, or fail")
        ->check(CLI::IsMember({"wait", "fail"}))
        ->default_str("wait");
    add_duration(verb, "--open-within", wait.open_within,
                 "how long for it; 0: as long as it takes");
    add_duration(verb, "--silent-for", wait.silent_for,
                 "give up an agent without a heartbeat after this; 0: never [10 of its intervals]");
    add_duration(verb, "--connect-timeout", wait.connect_timeout,
                 "retry an unreachable daemon for so long [30s; 5s if it never answered]");
    verb.callback([&slots] { slots.command = slots.wait; });
}

void add_watch(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(app, "watch", "Show events live, one line each", R"(Examples:
  headway watch                        all sessions from now on
  headway watch build-1                its last ten events, then live until it ends
  headway watch build-1 --after 0      from its beginning
  headway watch --json | jq .type      one event envelope a line)",
                              slots.client);
    verb.add_option("SESSION", slots.watch.session, "one session; without it all")
        ->check(session_id_fault);
    verb.add_option("--after", slots.watch.after, "start behind this event (0: the beginning)")
        ->type_name("N");
    verb.add_flag("--follow", slots.watch.follow, "go on after the session's end");
    add_duration(verb, "--connect-timeout", slots.watch.connect_timeout,
                 "retry a lost daemon for so long");
    verb.callback([&slots] { slots.command = slots.watch; });
}

void add_top(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "top", "See the whole fleet on one screen, live",
        R"(Keys: those of the web page; ? lists them. Without a terminal, or with --once, it prints one screen.

Examples:
  headway top
  headway top --once
  headway top --once --json | jq .overview.counts)",
        slots.client);
    verb.add_flag("--once", slots.top.once, "print one screen and end");
    verb.callback([&slots] { slots.command = slots.top; });
}

void add_sessions(CLI::App& app, ArgumentSlots& slots) {
    SessionsOptions& sessions = slots.sessions;
    CLI::App& verb = add_verb(app, "sessions", "List sessions, newest first", R"(Examples:
  headway sessions --open
  headway sessions --verdict stuck,silent --label team:night
  headway sessions --json --limit 1000 | jq -r '.[].id')",
                              slots.client);
    verb.add_option("--verdict", sessions.verdict, "only these verdicts, comma separated");
    CLI::Option* const open = verb.add_flag_callback(
        "--open", [&sessions] { sessions.open = true; }, "only sessions that have not ended");
    verb.add_flag_callback(
            "--ended", [&sessions] { sessions.open = false; }, "only sessions that have ended")
        ->excludes(open);
    verb.add_option("--label", sessions.label, "only with this label")->type_name("KEY:VALUE");
    verb.add_option("--agent", sessions.agent, "only this agent type");
    verb.add_flag("--ids", sessions.ids, "print nothing but ids, one a line, for scripts");
    verb.add_option("--limit", sessions.limit, "at most so many")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    verb.callback([&slots] { slots.command = slots.sessions; });
}

void add_show(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(app, "show", "Show one session: verdict, progress, what it is doing",
                              "Example:\n  headway show build-1", slots.client);
    verb.add_option("SESSION", slots.show.session, "session id")
        ->check(session_id_fault)
        ->required();
    verb.callback([&slots] { slots.command = slots.show; });
}

void add_events(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(app, "events", "Print a session's journal", R"(Examples:
  headway events build-1
  headway events build-1 --jsonl > build-1.jsonl     play it again with headway replay)",
                              slots.client);
    verb.add_option("SESSION", slots.events.session, "session id")
        ->check(session_id_fault)
        ->required();
    verb.add_option("--after", slots.events.after, "skip up to this event")->type_name("N");
    verb.add_flag("--jsonl", slots.client.json, "one event envelope a line, like --json");
    verb.callback([&slots] { slots.command = slots.events; });
}

void add_report(CLI::App& app, ArgumentSlots& slots) {
    ReportOptions& report = slots.report;
    CLI::App& verb = add_verb(app, "report", "Report one event for a session", R"(Examples:
  headway report my-agent heartbeat phase=planning iteration=3
  headway report my-agent tool.finished tool=bash ok=false error.class=test error.message="2 failed"
  headway report my-agent progress.estimated --data '{"percent":40,"reasoning":"half of the files"}'
  echo '{"text":"long text"}' | headway report my-agent message --data -)",
                              slots.client);
    verb.add_option("SESSION", report.session, "session id; an unknown one is opened")
        ->check(session_id_fault)
        ->required();
    verb.add_option("TYPE", report.type, "event type, such as heartbeat or tool.finished")
        ->required();
    verb.add_option("FIELDS", report.fields, "key=value, dots for nesting")->type_name("KEY=VALUE");
    verb.add_option("--data", report.data, "the data as a JSON object; @FILE, or - for stdin")
        ->type_name("JSON");
    verb.add_option("--event-id", report.event_id, "the same id is counted once (default: random)");
    verb.callback([&slots] { slots.command = slots.report; });
}

void add_end(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "end", "End a session",
        R"(Ends it at once, whatever its agent does; a working agent is better asked with `headway cancel`.

Examples:
  headway end my-agent --outcome failed --reason "no disk space"
  headway end my-agent --outcome cancelled           one that is silent: its agent is gone)",
        slots.client);
    verb.add_option("SESSION", slots.end.session, "session id")
        ->check(session_id_fault)
        ->required();
    verb.add_option("--outcome", slots.end.outcome, "how it ended")
        ->check(CLI::IsMember({"completed", "failed", "cancelled", "budget_exhausted"}))
        ->capture_default_str();
    verb.add_option("--reason", slots.end.reason, "why, in a sentence");
    verb.callback([&slots] { slots.command = slots.end; });
}

void add_cancel(CLI::App& app, ArgumentSlots& slots) {
    CLI::App& verb = add_verb(
        app, "cancel", "Ask a session's agent to stop",
        R"(The agent finds a `stop` directive in the reply to its next report and ends by itself.

Example:
  headway cancel my-agent --reason "not needed any more" && headway wait my-agent --until ended)",
        slots.client);
    verb.add_option("SESSION", slots.cancel.session, "session id")
        ->check(session_id_fault)
        ->required();
    verb.add_option("--reason", slots.cancel.reason, "why, for the agent to read");
    verb.callback([&slots] { slots.command = slots.cancel; });
}

}  // namespace

void add_session_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_wait(app, slots);
    add_watch(app, slots);
    add_top(app, slots);
    add_sessions(app, slots);
    add_show(app, slots);
    add_events(app, slots);
    add_report(app, slots);
    add_end(app, slots);
    add_cancel(app, slots);
}

}  // namespace headway::cli

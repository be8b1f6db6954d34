// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/argument_slots.hpp"

// The verbs that work on recorded sessions.

namespace headway::cli {
namespace {

constexpr const char* kReplayFooter =
    R"(Judges each recording here, without a daemon, by the rules the daemon uses, and prints every
verdict with the line of the file and the call it came after. Takes recorded agent sessions
(JSONL: session_start, tool_call, ... end) and the daemon's own export (`headway events ID
--jsonl`). With --to, the recordings are played to a daemon instead; playing a file again adds
nothing: every event has the same id each time.

Exit codes: 0 judged or played   1 a file could not be read   64 usage   69 no daemon

Examples:
  headway replay session.jsonl                       when it became suspect or stuck
  headway replay session.jsonl --why                 and on which events that rests
  headway replay *.jsonl --policy strict --json | jq -r '[.file,.verdict] | @tsv'
  headway replay session.jsonl --policy heartbeat_limit=3
  headway replay session.jsonl --to http://127.0.0.1:7717
  headway replay recordings/*.jsonl --to http://127.0.0.1:7717 --parallel 8 --batch 50
  headway replay session.jsonl --to http://127.0.0.1:7717 --speed 10    ten times as fast)";

constexpr const char* kEvalFooter =
    R"(Judges every *.jsonl under DIR without a daemon, as `headway replay` does, and counts.

Labels are CSV with a head. Columns: file (relative to DIR or to DIR/data), outcome (success, ...),
loop (yes, no, unknown); and if there: source, how_labelled, loop_start_call (from 0), loop_len.
  false stuck    success, no loop, yet ever `stuck`      suspects   success, ever `suspect` or `stuck`
  recall         share of the loops ever `stuck`         nudges     change_approach per 1,000 calls
  delay          median of calls from a loop's start to `suspect`, to `stuck`
Files whose first line is {"type":"meta","expect":"stuck"|"not_stuck","portable":...} are scenarios:
counted by `portable`, with those that come out otherwise.

Exit codes: 0 counted   1 something could not be read   64 usage

Examples:
  headway eval recordings                            a first look, without labels
  headway eval corpus --labels corpus/labels.csv --list
  headway eval corpus --labels corpus/labels.csv --policy strict --policy heartbeat_limit=3
  headway eval corpus --labels corpus/labels.csv --json | jq .total)";

void add_policy(CLI::App& verb, std::vector<std::string>& words, CLI::Option* excluded = nullptr) {
    CLI::Option* const option =
        verb.add_option("--policy", words,
                        "balanced, strict, or one setting of a session's policy; repeatable")
            ->type_name("PROFILE|KEY=VALUE")
            ->allow_extra_args(false);
    if (excluded != nullptr) option->excludes(excluded);
}

// What only makes sense while playing to a daemon.
void add_playing(CLI::App& verb, ReplayOptions& replay, CLI::Option* to) {
    const auto set_speed = [&replay](const std::string& text) {
        char* end = nullptr;
        replay.speed = text == "max" ? 0.0 : std::strtod(text.c_str(), &end);
        if (text == "realtime") {
            replay.speed = 1.0;
        } else if (text != "max" && (*end != '\0' || !(replay.speed > 0))) {
            throw CLI::ValidationError("--speed", "use max, realtime or a factor above 0");
        }
    };
    verb.add_option_function<std::string>("--speed", set_speed, "max, realtime or a factor")
        ->default_str("max")
        ->needs(to);
    verb.add_option("--batch", replay.batch, "events a report")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str()
        ->needs(to);
    verb.add_option("--parallel", replay.parallel, "recordings at a time")
        ->check(CLI::Range(1, 256))
        ->capture_default_str()
        ->needs(to);
    add_duration(verb, "--connect-timeout", replay.connect_timeout,
                 "retry an unreachable daemon for so long");
    verb.get_option("--connect-timeout")->needs(to);
}

void add_replay(CLI::App& app, ArgumentSlots& slots) {
    ReplayOptions& replay = slots.replay;
    CLI::App& verb =
        *app.add_subcommand("replay", "Judge recorded sessions, or play them to a daemon");
    verb.footer(kReplayFooter);
    verb.add_option("FILE", replay.files, "recordings")->required();
    CLI::Option* const to =
        verb.add_option("--to,--url", slots.client.url, "play them to this daemon")
            ->type_name("URL");
    verb.add_flag("--json", slots.client.json, "print JSON for programs, an object a file");
    verb.add_flag("--why", replay.why, "the events each verdict rests on")->excludes(to);
    verb.add_option("--session", replay.session, "session id (default: from the recording)")
        ->check(session_id_fault);
    add_policy(verb, replay.policy, to);
    add_playing(verb, replay, to);
    verb.callback([&slots, to] {
        if (!slots.replay.session.empty() && slots.replay.files.size() > 1) {
            throw CLI::ValidationError("--session", "goes with one FILE only");
        }
        slots.replay.to_daemon = to->count() > 0;
        slots.command = slots.replay;
    });
}

void add_eval(CLI::App& app, ArgumentSlots& slots) {
    EvalOptions& eval = slots.eval;
    CLI::App& verb =
        *app.add_subcommand("eval", "Judge a folder of recordings and count right and wrong");
    verb.footer(kEvalFooter);
    verb.add_option("DIR", eval.folder, "folder of recordings")->required();
    verb.add_option("--labels", eval.labels, "what is known about them")->type_name("CSV");
    add_policy(verb, eval.policy);
    verb.add_option("--judge", eval.judge,
                    "as if a judge always answered this letter: what one that lies would change")
        ->type_name("A|B|C|D")
        ->check(CLI::IsMember({"A", "B", "C", "D"}));
    verb.add_flag("--list", eval.list, "name the false stucks, the suspects and the missed loops");
    verb.add_flag("--json", eval.json, "print JSON for programs");
    verb.callback([&slots] { slots.command = slots.eval; });
}

}  // namespace

void add_recording_verbs(CLI::App& app, ArgumentSlots& slots) {
    add_replay(app, slots);
    add_eval(app, slots);
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/records/replay.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <ostream>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress_bar.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/recording.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/policy_words.hpp"

// `headway replay`: plays recorded sessions through HTTP. Every event carries the same event_id
// each time, so whatever happens to the daemon on the way, asking again is safe.

namespace headway::cli {
namespace {

struct Played {
    std::string session;
    std::size_t events = 0;
    std::size_t duplicates = 0;
    std::size_t skipped = 0;
    std::string verdict;
    int exit_code = kExitOk;
    std::string trouble;
    bool read = false;  ///< the file, so that something may have been played
};

class Player {
public:
    explicit Player(const ReplayOptions& options)
        : options_(options), daemon_(options.client.url, options.client.credential) {}

    Played play(const std::string& file) {
        Played played;
        played.session = options_.session;
        core::Result<Recording> recording = read_recording_file(file, ReadFor::kPlay);
        // Which advice this daemon gives, and with which id, the recording does not know.
        if (recording) {
            played.skipped = std::erase_if(
                recording->events, [](const RecordedEvent& event) { return event.acknowledges; });
        }
        if (!recording) return fail(std::move(played), kExitFailed, recording.error().detail);
        played.read = true;
        if (played.session.empty()) played.session = recorded_id(recording->session, file);
        played.skipped += recording->skipped;
        open(*recording, played);
        std::size_t next = 0;
        while (played.exit_code == kExitOk && next < recording->events.size()) {
            next = report(*recording, next, played);
        }
        return played;
    }

private:
    static Played fail(Played played, int exit_code, std::string trouble) {
        played.exit_code = exit_code;
        played.trouble = std::move(trouble);
        return played;
    }

    void open(const Recording& recording, Played& played) {
        const std::string path = session_path(played.session);
        const HttpReply reply =
            until_answered([&] { return daemon_.put_text(path, recording.open); });
        // Open with other fields, or ended: the events say whether they are known.
        if (!reply.ok() && reply.status != 409) note_failure(reply, played);
    }

    std::size_t report(const Recording& recording, std::size_t first, Played& played) {
        const std::size_t last = std::min(first + options_.batch, recording.events.size());
        pace(recording.events[first]);
        std::string body = recording.events[first].text;
        for (std::size_t i = first + 1; i < last; ++i)
            body += "," + recording.events[i].text;
        if (options_.batch > 1) body = "[" + body + "]";
        const std::string path = session_path(played.session, "/events");
        const HttpReply reply = until_answered([&] { return daemon_.post_text(path, body); });
        const std::optional<Json> advice = body_json(reply);
        if (!reply.ok() || !advice || !advice->is_object()) {
            note_failure(reply, played);
            return last;
        }
        played.events += last - first;
        const Json& duplicates = (*advice)["duplicates"];
        if (duplicates.is_unsigned()) played.duplicates += duplicates.count();
        const Json& verdict = (*advice)["verdict"];
        if (verdict.is_object()) played.verdict = plain_text(verdict, "status");
        return last;
    }

    template <class Request>
    HttpReply until_answered(Request request) {
        Backoff backoff;
        const SteadyTime began = steady_now();
        HttpReply reply = request();
        while (worth_retrying(reply) && steady_now() - began < options_.connect_timeout) {
            std::this_thread::sleep_for(backoff.next());
            reply = request();
        }
        return reply;
    }

    // Waits until the recording's own clock, divided by the speed, has come to this event.
    void pace(const RecordedEvent& event) {
        if (options_.speed <= 0 || !event.seconds) return;
        if (!started_) {
            started_ = steady_now();
            first_seconds_ = *event.seconds;
        }
        const double passed = std::clamp(*event.seconds - first_seconds_, 0.0, kRecordedSecondsMax);
        const double pause = std::min(passed / options_.speed, kRecordedSecondsMax);
        std::this_thread::sleep_until(*started_ + milliseconds{std::llround(pause * 1'000.0)});
    }

    void note_failure(const HttpReply& reply, Played& played) const {
        played.exit_code = reply.answered() ? kExitFailed : kExitUnreachable;
        const Problem problem = problem_of(reply);
        played.trouble = reply.answered()
                             ? problem.detail + " " + problem.field
                             : "no daemon answers at " + daemon_.url() + " (" + reply.error + ")";
    }

    const ReplayOptions& options_;
    Daemon daemon_;
    std::optional<SteadyTime> started_;
    double first_seconds_ = 0;
};

void print(const Played& played, const std::string& file, bool as_json, const Console& console) {
    if (as_json) {
        const Json line = {{"file", file},
                           {"session", played.session},
                           {"events", played.events},
                           {"duplicates", played.duplicates},
                           {"skipped", played.skipped},
                           {"verdict", played.verdict},
                           {"error", played.trouble.empty() ? Json() : Json(played.trouble)}};
        console.out << dump(line) << "\n" << std::flush;
        return;
    }
    if (!played.trouble.empty()) {
        if (!played.read) {
            complain(console, played.exit_code, clean_line(played.trouble), kRecordingHint);
        } else {
            complain(console, played.exit_code, clean_line(file + ": " + played.trouble),
                     "playing it again is safe: what was stored is counted once");
        }
        return;
    }
    console.out << played.session << ": " << played.events << " events";
    if (played.duplicates > 0) console.out << " (" << played.duplicates << " known already)";
    console.out << ", " << played.verdict << "\n" << std::flush;
}

int replay_recordings(const ReplayOptions& options, const Console& console) {
    std::atomic<std::size_t> next{0};
    std::mutex printing;  // guards the console and exit_code
    int exit_code = kExitOk;
    ProgressBar bar(console, "playing", options.files.size());
    const auto work = [&] {
        for (std::size_t i = next++; i < options.files.size(); i = next++) {
            const Played played = Player(options).play(options.files[i]);
            const std::lock_guard lock(printing);
            bar.clear();
            print(played, options.files[i], options.client.json, console);
            if (played.exit_code != kExitOk) exit_code = played.exit_code;
            bar.step();
        }
    };
    std::vector<std::jthread> others;
    const std::size_t count = std::min(options.parallel, options.files.size());
    for (std::size_t i = 1; i < count; ++i)
        others.emplace_back(work);
    work();
    others.clear();  // joins
    return exit_code;
}

constexpr const char* kReplayFooter =
    R"(Judges each recording without a daemon, by the same rules as a daemon. Prints every verdict with the
line of the file that led to it, and with the number of calls up to that line. A recording is an
agent's recorded session (JSONL: session_start, tool_call, ... end), an export of the daemon
(`headway events ID --jsonl`), or a file of events as an agent reports them ({"type","data"}).

With --to, the recordings are played to a daemon instead. Playing a file again adds nothing, because
every event has the same id each time.

Exit codes:
  0    judged or played
  1    a file could not be read
  64   usage
  69   no daemon answers

Examples:
  headway replay session.jsonl                       when it became suspect or stuck
  headway replay session.jsonl --why                 and the evidence
  headway replay *.jsonl --policy strict --json | jq -r '[.file,.verdict] | @tsv'
  headway replay session.jsonl --policy heartbeat_limit=3
  headway replay session.jsonl --to http://127.0.0.1:7717
  headway replay recordings/*.jsonl --to http://127.0.0.1:7717 --parallel 8 --batch 50
  headway replay session.jsonl --to http://127.0.0.1:7717 --speed 10)";

class Replay : public VerbOf<ReplayOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Judge recorded sessions, or play them to a daemon").footer(kReplayFooter);
        arguments.operand("FILE", options.files, "recordings").required();
        const auto set_daemon = [this](const std::string& url) {
            options.client.url = url;
            options.to_daemon = true;
            return std::string{};
        };
        arguments.option("--to,--url", set_daemon, "play the recordings to this daemon")
            .type("URL");
        arguments.flag("--json", options.client.json,
                       "print JSON for programs, one object per file");
        arguments.flag("--why", options.why, "print the evidence of each verdict").excludes("--to");
        arguments.option("--session", options.session, "session id (default: from the recording)")
            .check(session_id_fault);
        declare_policy(arguments, options.policy).excludes("--to");
        declare_playing(arguments);
        arguments.uses_daemon(options.client, [this] { return options.to_daemon; });
        arguments.finally([this]() -> std::optional<Mistake> {
            if (options.session.empty() || options.files.size() <= 1) return std::nullopt;
            return Mistake{"--session: goes with one FILE only"};
        });
    }

    int run(const Console& console, const Server&) override {
        return options.to_daemon ? replay_recordings(options, console)
                                 : judge_recordings(options, console);
    }

private:
    /// Options that only make sense while playing to a daemon.
    void declare_playing(Arguments& arguments) {
        const auto set_speed = [this](const std::string& text) -> std::string {
            char* end = nullptr;
            options.speed = text == "max" ? 0.0 : std::strtod(text.c_str(), &end);
            if (text == "realtime") {
                options.speed = 1.0;
            } else if (text != "max" && (*end != '\0' || !(options.speed > 0))) {
                return "use max, realtime or a factor above 0";
            }
            return {};
        };
        arguments.option("--speed", set_speed, "playback speed: max, realtime or a factor")
            .fallback("max")
            .needs("--to");
        arguments.option("--batch", options.batch, "send this many events per report")
            .range(1, 1'000)
            .show_default()
            .needs("--to");
        arguments.option("--parallel", options.parallel, "play this many recordings at a time")
            .range(1, 256)
            .show_default()
            .needs("--to");
        arguments
            .duration("--connect-timeout", options.connect_timeout,
                      "keep trying to reach the daemon for this long")
            .needs("--to");
    }
};

}  // namespace

std::unique_ptr<Verb> make_replay() {
    return std::make_unique<Replay>();
}

}  // namespace headway::cli

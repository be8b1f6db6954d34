// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/watch.hpp"

#include <algorithm>
#include <optional>
#include <ostream>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/client/session_names.hpp"
#include "cli/client/sse_parser.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/event_line.hpp"
#include "config/values/duration.hpp"
#include "core/values/verdict.hpp"

// `headway watch`: one line per event from the daemon's stream, over restarts of the daemon.

namespace headway::cli {
namespace {

constexpr milliseconds kAfterEnd{1'000};  // for the verdict that follows session.ended
constexpr std::uint64_t kRecentEvents = 10;
constexpr std::size_t kSessionWidth = 24;
constexpr milliseconds kPauseMin{100};
constexpr std::size_t kSessionShare = 5;  // of a narrow terminal; what happened needs the rest

bool is_final(std::string_view status) {
    core::Verdict verdict{};
    return core::parse_name(status, verdict) && core::is_final(verdict);
}

class Watcher {
public:
    Watcher(const WatchOptions& options, const Console& console)
        : options_(options),
          console_(console),
          daemon_(options.client.url, options.client.credential) {
        style_.width = console.width;
        style_.color = console.color;
        if (options.session.empty()) style_.session_width = session_width();
        path_ = options.session.empty() ? "/v1/stream" : session_path(options.session, "/stream");
        if (options.after) last_id_ = std::to_string(*options.after);
    }

    int run() {
        Backoff backoff;
        while (!done_) {
            if (!start_position()) return kExitFailed;
            if (never_opened()) return explain_never_opened();
            SseParser parser;
            HttpClient::StreamHandlers handlers;
            handlers.on_data = [&](std::string_view bytes) { return take(parser, bytes); };
            handlers.on_idle = [&] { return !ended_long_ago(); };
            const bool asks_start = !options_.session.empty() && !last_id_.empty();
            const std::string query = asks_start ? "?last_event_id=" + last_id_ : "";
            const HttpReply reply = daemon_.stream(path_ + query, last_id_, handlers);
            if (done_ || ended_at_) break;
            if (reply.answered() && !worth_retrying(reply)) found_again();
            if (reply.ok()) {
                backoff.reset();
                unknown_since_.reset();
                seen_ = true;
            } else if (!unknown_yet(reply) && !worth_retrying(reply)) {
                return explain_failure(console_, daemon_, reply);
            }
            if (!pause(reply, parser.retry().value_or(backoff.next()))) {
                return explain_failure(console_, daemon_, reply);
            }
        }
        return kExitOk;
    }

private:
    // One session begins with its last few events, so that a watcher sees what is going on.
    bool start_position() {
        if (options_.session.empty() || !last_id_.empty()) return true;
        const HttpReply reply = daemon_.get(session_path(options_.session));
        const std::optional<Json> body = body_json(reply);
        if (reply.ok() && body && body->is_object()) {
            const std::uint64_t n = body->count_of("n");
            last_id_ = std::to_string(n > kRecentEvents ? n - kRecentEvents : 0);
            seen_ = true;
        } else if (!unknown_yet(reply) && !worth_retrying(reply)) {
            explain_failure(console_, daemon_, reply);
            return false;
        }
        return true;
    }

    bool unknown_yet(const HttpReply& reply) {
        if (reply.status != 404 || problem_of(reply).code != "unknown_session") return false;
        if (seen_) return false;               // it has been deleted since
        if (last_id_.empty()) last_id_ = "0";  // it is new when it comes: show it from its start
        if (!unknown_since_) say_unopened();
        return true;
    }

    /// The daemon answers: while it was away no agent could open the session.
    void found_again() {
        if (lost_since_ && unknown_since_) *unknown_since_ += steady_now() - *lost_since_;
        lost_since_.reset();
    }

    void say_unopened() {
        unknown_since_ = steady_now();
        std::string words = "session " + options_.session + " does not exist yet; waiting ";
        if (options_.open_within.count() > 0)
            words += config::print_duration(options_.open_within) + " ";
        words += "for it to be opened";
        const std::string near = nearest_session(daemon_, options_.session);
        note(words + (near.empty() ? "" : "; did you mean `" + near + "`?"));
    }

    /// Not while the daemon is away: then no agent can open it.
    bool never_opened() const {
        return unknown_since_ && options_.open_within.count() > 0 && !told_lost() &&
               steady_now() - *unknown_since_ >= options_.open_within;
    }

    int explain_never_opened() {
        const std::string near = nearest_session(daemon_, options_.session);
        return complain(console_, kExitNeverOpened,
                        "session " + clean_line(options_.session) + " was not opened within " +
                            config::print_duration(options_.open_within),
                        near.empty() ? "--open-within 10m waits longer, 0 as long as it takes"
                                     : "did you mean `" + near + "`?");
    }

    bool pause(const HttpReply& reply, milliseconds length) {
        if (reply.answered() && !worth_retrying(reply)) reached_ = true;
        if (!reply.answered()) {
            if (!lost_since_) {
                lost_since_ = steady_now();
                if (reached_) note("lost the daemon (" + reply.error + "); reconnecting");
            }
            const milliseconds patience = reached_ ? options_.connect_timeout : kFirstContact;
            if (steady_now() - *lost_since_ > patience) return false;
        }
        // Requests to a server that answers at once have a pause between them, too.
        std::this_thread::sleep_for(std::clamp(length, kPauseMin, milliseconds{2'000}));
        return true;
    }

    bool take(SseParser& parser, std::string_view bytes) {
        reached_ = true;
        for (const SseEvent& event : parser.feed(bytes)) {
            if (!event.id.empty()) last_id_ = event.id;
            show(event);
            if (done_) return false;
        }
        console_.out.flush();
        return !done_;
    }

    void show(const SseEvent& event) {
        const Json data = Json::parse(event.data).value_or(Json());
        if (!data.is_object()) return;
        if (event.type == "hello") {
            if (told_lost()) note("connected again");
            return;
        }
        if (event.type == "goodbye") {
            const Json& why = data["reason"];
            return note((why.is_string() ? why.text() : "the stream ended") + "; connecting again");
        }
        if (event.type == "lagged") return note("too slow for the stream; resuming");
        if (event.type == "reset") {
            return note("some history is gone; the stream goes on from what is left");
        }
        if (options_.client.json) {
            console_.out << dump(data) << "\n";
        } else {
            console_.out << event_line(data, style_) << "\n";
        }
        if (!options_.session.empty() && !options_.follow) check_end(event.type, data);
    }

    void check_end(const std::string& type, const Json& event) {
        if (type == "session.ended") ended_at_ = steady_now();
        const Json& to = event["data"]["to"];
        if (type == "verdict.changed" && to.is_string()) verdict_final_ = is_final(to.text());
        if (ended_at_ && verdict_final_) {
            console_.out.flush();
            done_ = true;
        }
    }

    bool ended_long_ago() const { return ended_at_ && steady_now() - *ended_at_ > kAfterEnd; }

    std::size_t session_width() const {
        if (console_.width == 0) return kSessionWidth;
        return std::min(kSessionWidth, console_.width / kSessionShare);
    }

    bool told_lost() const { return lost_since_.has_value(); }

    void note(const std::string& text) {
        console_.out.flush();
        console_.err << "headway: " << clean_line(text) << "\n" << std::flush;
    }

    const WatchOptions& options_;
    const Console& console_;
    Daemon daemon_;
    LineStyle style_;
    std::string path_;
    std::string last_id_;
    std::optional<SteadyTime> ended_at_;
    std::optional<SteadyTime> lost_since_;
    bool verdict_final_ = false;
    bool reached_ = false;
    bool seen_ = false;                        ///< the session was there
    std::optional<SteadyTime> unknown_since_;  ///< there is no such session
    bool done_ = false;
};

class Watch : public VerbOf<WatchOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show events live, one line each");
        arguments.footer(R"(Examples:
  headway watch                        all sessions from now on
  headway watch build-1                its last ten events, then live until its end
  headway watch build-1 --after 0      from its beginning
  headway watch --json | jq .type      one event per line

Exit codes:
  0    the session has ended
  1    refused or failed
  6    no such session within --open-within
  64   usage
  69   no daemon answers)");
        arguments.client(options.client);
        arguments.session(options.session, "one session (default: all)");
        arguments
            .option("--after", options.after,
                    "start after the event with this number (0: the beginning)")
            .type("N");
        arguments.flag("--follow", options.follow, "do not exit when the session ends");
        arguments.duration("--open-within", options.open_within,
                           "wait this long for a session to exist; 0: no limit");
        arguments.duration("--connect-timeout", options.connect_timeout,
                           "keep trying to reconnect for this long");
    }

    int run(const Console& console, const Server&) override {
        return Watcher(options, console).run();
    }
};

}  // namespace

std::unique_ptr<Verb> make_watch() {
    return std::make_unique<Watch>();
}

}  // namespace headway::cli

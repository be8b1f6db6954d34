// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/events.hpp"

#include <algorithm>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/event_line.hpp"

// `headway events`: a session's journal, page after page.

namespace headway::cli {
namespace {

constexpr std::size_t kPageEvents = 1'000;

int print_events(const EventsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    std::uint64_t after = options.after;
    bool prints = options.client.json;  // what a replay needs; an older daemon knows none
    for (;;) {
        const std::string query = "/events?after=" + std::to_string(after) +
                                  "&limit=" + std::to_string(kPageEvents) +
                                  (prints ? "&prints=true" : "");
        const HttpReply reply = daemon.get(session_path(options.session, query));
        if (prints && reply.status == 400) {
            prints = false;
            continue;
        }
        const std::optional<Json> body = body_json(reply);
        const bool usable = reply.ok() && body && body->contains("events");
        if (!usable) return explain_failure(console, daemon, reply);
        const Json& events = (*body)["events"];
        for (const Json& event : events) {
            after = std::max(after, event.count_of("n", after));
            if (options.client.json) {
                console.out << dump(event) << "\n";
            } else {
                console.out << event_line(event, {console.width, 0, console.color}) << "\n";
            }
        }
        if (events.empty() || !body->flag_of("more")) return kExitOk;
    }
}

class Events : public VerbOf<EventsOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print a session's journal");
        arguments.footer(R"(Examples:
  headway events build-1
  headway events build-1 --jsonl > build-1.jsonl     a recording for `headway replay`)");
        arguments.client(options.client);
        arguments.session(options.session).required();
        arguments.option("--after", options.after, "start after the event with this number")
            .type("N");
        arguments.flag("--jsonl", options.client.json,
                       "print one JSON event per line, the same as --json");
    }

    int run(const Console& console, const Server&) override {
        return print_events(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_events() {
    return std::make_unique<Events>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/show.hpp"

#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/approval_view.hpp"
#include "cli/views/event_line.hpp"
#include "cli/views/session_view.hpp"

// `headway show`: one session, the requests that wait for a decision, and its last calls.

namespace headway::cli {
namespace {

/// A person who decides sees each open request: a session has few, and `headway approvals` pages.
constexpr int kRequestsMax = 100;
/// Enough to see a loop of two calls four times.
constexpr int kLastCalls = 8;

/// The requests of the session that wait for a decision, with their exact arguments. A reply that
/// is not usable prints the command that explains it, as a request must not look absent.
void print_requests(const std::string& session, Daemon& daemon, const Console& console) {
    const HttpReply reply =
        daemon.get("/v1/approvals?status=pending&limit=" + std::to_string(kRequestsMax) +
                   "&session=" + url_encode(session));
    const std::optional<Json> body = body_json(reply);
    const bool usable = reply.ok() && body && (*body)["approvals"].is_array();
    if (!usable) {
        console.err << "the requests of this session could not be read: headway approvals\n";
    } else if (const Json& approvals = (*body)["approvals"]; !approvals.empty()) {
        console.out << "\nwaits for a decision:\n"
                    << approvals_text(approvals, wall_now(), console.color);
    }
}

/// The newest calls and errors, the oldest of them first.
void print_last_calls(const std::string& session, Daemon& daemon, const Console& console) {
    const HttpReply reply = daemon.get(
        session_path(session, "/events?order=newest&types=tool.finished,error.reported&limit=" +
                                  std::to_string(kLastCalls)));
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body || !(*body)["events"].is_array()) return;
    const Json& events = (*body)["events"];
    if (events.empty()) return;
    console.out << "\nlast calls:\n";
    for (std::size_t left = events.size(); left > 0; --left)
        console.out << event_line(events[left - 1], {console.width, 0, console.color}) << "\n";
}

int show_session(const ShowOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(session_path(options.session));
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*body, 2) << "\n";
    } else {
        console.out << session_details(*body, wall_now(), console.color);
        print_requests(options.session, daemon, console);
        print_last_calls(options.session, daemon, console);
    }
    return kExitOk;
}

class Show : public VerbOf<ShowOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show one session: verdict, evidence, open requests, last calls");
        arguments.footer("Example:\n  headway show build-1");
        arguments.client(options.client);
        arguments.session(options.session).required();
    }

    int run(const Console& console, const Server&) override {
        return show_session(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_show() {
    return std::make_unique<Show>();
}

}  // namespace headway::cli

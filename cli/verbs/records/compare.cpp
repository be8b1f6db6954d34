// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/approval_view.hpp"

// `headway compare`: what the old timers would have done.

namespace headway::cli {
namespace {

struct CompareOptions {
    ClientOptions client;
    std::string session;  ///< empty: the totals
};

int compare_timeouts(const CompareOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const bool all = options.session.empty();
    const HttpReply reply = daemon.get(all ? std::string{"/v1/analytics/timeouts"}
                                           : session_path(options.session, "/comparison"));
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*body) << "\n";
    } else {
        console.out << (all ? timeout_totals_text(*body) : comparison_text(*body));
    }
    return kExitOk;
}

class Compare : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show the effect that fixed timeouts would have had");
        arguments.footer(
            R"(Needs `[legacy_timeouts] mode = "observe"` (or "enforce") in the daemon's settings.

Examples:
  headway compare                  totals of all sessions that ended while a mode was set
  headway compare my-agent         one session: when each timeout would have ended it, and what happened)");
        arguments.client(options_.client);
        arguments.session(options_.session, "one session (default: the totals)");
    }

    int run(const Console& console, const Server&) override {
        return compare_timeouts(options_, console);
    }

private:
    CompareOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace headway::cli

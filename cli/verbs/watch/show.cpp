// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/show.hpp"

#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/session_view.hpp"

// `headway show`: one session.

namespace headway::cli {
namespace {

int show_session(const ShowOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(session_path(options.session));
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*body, 2) << "\n";
    } else {
        console.out << session_details(*body, wall_now(), console.color);
    }
    return kExitOk;
}

class Show : public VerbOf<ShowOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Show one session: verdict, evidence, last calls");
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

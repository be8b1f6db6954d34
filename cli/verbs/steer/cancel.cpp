// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/steer/cancel.hpp"

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/verbs/one_request.hpp"

// `headway cancel`.

namespace headway::cli {
namespace {

int cancel_session(const CancelOptions& options, const Console& console) {
    Json body = Json::object();
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/cancel"), body, console);
}

class Cancel : public VerbOf<CancelOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Ask a session's agent to stop");
        arguments.footer(
            R"(The reply to the agent's next report carries a `stop` directive, which asks the agent to end. `headway
run` ends its command by SIGTERM, and after 10 s by SIGKILL; `headway acp` ends the turn. A cancel
cannot be undone.

Example:
  headway cancel my-agent --reason "not needed any more" && headway wait my-agent --until ended)");
        arguments.client(options.client);
        arguments.session(options.session).required();
        arguments.option("--reason", options.reason, "why, for the agent to read");
    }

    int run(const Console& console, const Server&) override {
        return cancel_session(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_cancel() {
    return std::make_unique<Cancel>();
}

}  // namespace headway::cli

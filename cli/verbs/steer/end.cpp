// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/steer/end.hpp"

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/verbs/one_request.hpp"

// `headway end`.

namespace headway::cli {
namespace {

int end_session(const EndOptions& options, const Console& console) {
    Json body = {{"outcome", options.outcome}};
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/end"), body, console);
}

class End : public VerbOf<EndOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("End a session at once");
        arguments.footer(
            R"(Records the end of the session, and refuses later reports to this id; if the agent's conversation is
resumed, it gets a new session, ID~2. The outcome budget_exhausted gives the verdict `halted`. After
`halted` and `cancelled`, `headway run` ends its command; no other process is killed. To ask a working
agent to stop, use `headway cancel`.

Examples:
  headway end my-agent --outcome failed --reason "no disk space"
  headway end my-agent --outcome cancelled           a silent session whose agent is gone)");
        arguments.client(options.client);
        arguments.session(options.session).required();
        arguments.option("--outcome", options.outcome, "outcome of the session")
            .choices({"completed", "failed", "cancelled", "budget_exhausted"})
            .show_default();
        arguments.option("--reason", options.reason, "why the session ended, in one sentence");
    }

    int run(const Console& console, const Server&) override {
        return end_session(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_end() {
    return std::make_unique<End>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>

#include <csignal>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/base/stop_signals.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/observe/observer.hpp"
#include "config/settings/settings.hpp"

// `headway observe`: agents without hooks, seen in their stored sessions.

namespace headway::cli {
namespace {

struct ObserveOptions {
    ClientOptions client;
    std::vector<std::string> agents;
    milliseconds recent{600'000};
    milliseconds rescan{10'000};
    bool quiet = false;
};

std::vector<std::string> all_observed() {
    return {config::kObservedAgents.begin(), config::kObservedAgents.end()};
}

int observe(const ObserveOptions& options, const Console& console) {
    const StopSignals held;  // they are read from the descriptor
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    const system::FileDescriptor stop(::signalfd(-1, &signals, SFD_CLOEXEC));
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply first = daemon.get("/v1/sessions?limit=1");
    if (!first.ok()) return explain_failure(console, daemon, first);
    Observer::Setup setup;
    setup.agents = options.agents.empty() ? all_observed() : options.agents;
    setup.environment = console.environment;
    setup.recent = options.recent;
    setup.rescan = options.rescan;
    setup.say = [&](const std::string& line) {
        if (!options.quiet) console.err << clean_line(line) << '\n' << std::flush;
    };
    Observer(std::move(setup), daemon).run(stop.get());
    while (held.came(std::chrono::milliseconds{0})) {
    }  // it has been obeyed
    return kExitOk;
}

class Observe : public VerbOf<ObserveOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Follow agents through their stored sessions, without hooks");
        arguments.footer(
            R"(Follows the stored sessions of agents as the files grow, and reports their events to the daemon for
verdicts. Nothing reaches the agent: no advice, no stop, no hold for an approval. Sessions that already
report (by hooks, for example) are skipped. Calls made before `observe` first started are not reported.
With [observe] agents = ["claude"] in its settings, the daemon itself follows these agents.

Examples:
  headway observe
  headway observe claude codex)");
        arguments.client(options.client);
        arguments.operand("AGENT", options.agents, "agents to follow (default: all of these)")
            .choices(all_observed());
        arguments.duration("--recent", options.recent,
                           "follow sessions that have changed within this time");
        arguments.duration("--rescan", options.rescan, "look for new sessions this often");
        arguments.flag("--quiet", options.quiet, "do not print which sessions are followed");
    }

    int run(const Console& console, const Server&) override { return observe(options, console); }
};

}  // namespace

std::unique_ptr<Verb> make_observe() {
    return std::make_unique<Observe>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/acp/acp_proxy.hpp"
#include "cli/acp/acp_sessions.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/line/verb.hpp"

// `headway acp`: between an editor and its agent. Whatever happens to the daemon, both go on.

namespace headway::cli {
namespace {

struct AcpOptions {
    ClientOptions client;
    std::string goal;
    milliseconds linger{1'000};  ///< after the agent's exit: how long delivery may go on
    bool quiet = false;
    std::vector<std::string> command;
};

constexpr const char* kAcpFooter =
    R"(Put this command into the settings of an editor, in front of the agent's own command. Standard
input and output pass through; each session of the Agent Client Protocol is a session of Headway. A
call runs only if both the editor and Headway allow it. While the session is paused or an approval
is pending, Headway holds a call that the editor has allowed. A rejection in Headway is sent to the
agent as the answer to its permission request. `headway cancel`, or a stop by a budget or a policy,
ends the turn. Without a daemon, only the editor decides. The exit status is the agent's, or 126 or 127 if
the agent cannot be started.

Examples:
  headway acp -- gemini --acp
  headway acp -- npx @zed-industries/claude-code-acp)";

class AcpVerb : public VerbOf<AcpOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Supervise an agent inside an editor (ACP)").footer(kAcpFooter);
        arguments.client(options.client);
        arguments.option("--goal", options.goal,
                         "the task of the agent's sessions (default: the command line)");
        arguments.duration("--linger", options.linger,
                           "how long to try to deliver the last reports after the exit");
        arguments.flag("--quiet", options.quiet, "do not print warnings");
        arguments.command(
            [this](std::vector<std::string> words) { options.command = std::move(words); });
        arguments.finally([this]() -> std::optional<Mistake> {
            if (!options.command.empty()) return std::nullopt;
            return Mistake{"there is no agent to run", "as in: headway acp -- gemini --acp"};
        });
    }

    int run(const Console& console, const Server&) override {
        const std::vector<int> inherited = inherited_descriptors();
        hide_own_variables();
        ::signal(SIGPIPE, SIG_IGN);
        std::atomic<bool> warned{false};
        const SignalGuard signals;  // before any thread exists
        AcpSessions sessions(sessions_setup(console, warned));
        // As of `headway run`: nothing of ours is for the agent. It gets no session either, since
        // it may have several.
        Process process = spawn_between(options.command, without_own_variables(console.environment),
                                        signals.outer_mask(), inherited);
        if (process.pid < 0) {
            const int code = process.error == ENOENT ? kExitNotFound : kExitCannotExecute;
            return complain(console, code,
                            "cannot run " + std::string(cut_bytes(options.command.front(), 200)) +
                                ": " + std::strerror(process.error));
        }
        const std::string name = acp_agent_name(options.command.front());
        AcpProxy proxy(std::move(process), signals, sessions, name.empty() ? "agent" : name);
        const ExitStatus status = proxy.run();
        sessions.end_all(status.text());
        return status.code;
    }

private:
    /// Any thread. An editor that does not read standard error stops nothing.
    void say(const Console& console, const std::string& text) const {
        static std::mutex one_by_one;
        const std::lock_guard lock(one_by_one);
        pollfd out{STDERR_FILENO, POLLOUT, 0};
        const bool room = ::poll(&out, 1, 0) != 0;
        if (!options.quiet && room) complain(console, kExitOk, text);
    }

    AcpSessions::Setup sessions_setup(const Console& console, std::atomic<bool>& warned) const {
        AcpSessions::Setup setup;
        setup.url = options.client.url;
        setup.credential = options.client.credential;
        setup.command = options.command;
        setup.goal = options.goal;
        setup.linger = options.linger;
        // Once: there is a thread for each session, and the editor may show what we print.
        setup.warn = [this, &console, &warned](const std::string& text) {
            if (!warned.exchange(true)) say(console, text);
        };
        setup.refused = [this, &console](const std::string& text) { say(console, text); };
        return setup;
    }
};

}  // namespace

std::unique_ptr<Verb> make_acp() {
    return std::make_unique<AcpVerb>();
}

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <thread>

#include "cli/agents/agent_finder.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/stop_signals.hpp"
#include "cli/client/credentials.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/child.hpp"
#include "config/values/read_file.hpp"

// A daemon on a folder of its own and three agents as processes, so that there is something to see.

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartPatience{10'000};
constexpr milliseconds kRest{8'000};  // between two sessions of one agent
constexpr milliseconds kStep{100};    // how often the children are looked at
constexpr std::array<const char*, 3> kKinds{"slow", "loop", "approval"};

struct DemoOptions {
    std::string listen = "127.0.0.1:0";
    bool once = false;   ///< every agent works once, and the demo ends
    bool quiet = false;  ///< does not print events
    bool keep = false;   ///< the folder stays
    double pace = 1;     ///< how long the agents take to think, of what a person likes to watch
};

class ScratchFolder {
public:
    explicit ScratchFolder(bool keep) : keep_(keep) {
        std::string name = std::filesystem::temp_directory_path() / "headway-demo-XXXXXX";
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        if (!keep_ && !path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }  ///< empty: it could not be made

private:
    std::string path_;
    bool keep_;
};

/// The address that the daemon wrote down once it listens, or "".
std::string address_in(const std::string& file) {
    const std::string text = config::read_file(file).value_or(std::string{});
    return Json::parse(text).value_or(Json()).text_of("http");
}

class Demo {
public:
    Demo(const DemoOptions& options, const Console& console, const std::string& folder)
        : options_(options), console_(console), folder_(folder) {}

    int run() {
        const StopSignals signals;
        daemon_ = std::make_unique<Child>(
            std::vector<std::string>{own_program().string(), "serve", "--listen", options_.listen,
                                     "--state-dir", folder_ + "/state", "--ports-file",
                                     folder_ + "/ports.json"},
            folder_ + "/daemon.log");
        if (!wait_for_daemon(signals)) return daemon_failed();
        greet();
        if (!options_.quiet) {
            watch_ = std::make_unique<Child>(
                std::vector<std::string>{own_program().string(), "watch", "--url", url_,
                                         "--state-dir", folder_ + "/state"},
                "");
        }
        return supervise(signals);
    }

private:
    struct Agent {
        std::unique_ptr<Child> process;
        SteadyTime next;
        int round = 0;
    };

    bool wait_for_daemon(const StopSignals& signals) {
        const SteadyTime deadline = steady_now() + kStartPatience;
        while (daemon_->running() && steady_now() < deadline) {
            const std::string address = address_in(folder_ + "/ports.json");
            if (!address.empty()) url_ = "http://" + address;
            if (!url_.empty() && Daemon(url_).get("/readyz").ok()) return true;
            if (signals.came(milliseconds{20})) return false;
        }
        return false;
    }

    int daemon_failed() {
        daemon_.reset();
        std::ifstream log{folder_ + "/daemon.log"};
        console_.err << log.rdbuf();
        return complain(console_, kExitFailed, "the daemon of the demo did not start",
                        "choose another address with --listen if " + options_.listen + " is taken");
    }

    /// A page that is logged in already, so that approving works.
    std::string page() {
        const auto credential =
            find_credential({}, url_, {{"STATE_DIRECTORY", folder_ + "/state"}});
        Daemon daemon(url_, credential ? *credential : Credential{});
        const HttpReply reply = daemon.post_text("/v1/login-codes", {});
        const Json body = body_json(reply).value_or(Json());
        return reply.ok() && body["url"].is_string() ? body.text_of("url") : url_;
    }

    void greet() {
        console_.out
            << "dashboard  " << page() << "\n"
            << "terminal   headway top --url " << url_ << " --state-dir " << folder_ << "/state\n\n"
            << "Three agents work: one is slow and fine, one runs in a circle until advice "
               "leads it out,\nand one waits until you allow or forbid what it wants. "
               "Ctrl-C ends all of it.\n\n"
            << std::flush;
    }

    int supervise(const StopSignals& signals) {
        while (!signals.came(kStep)) {
            if (!daemon_->running()) return daemon_failed();
            bool busy = false;
            for (std::size_t i = 0; i < kKinds.size(); ++i)
                busy = keep_working(agents_[i], kKinds[i]) || busy;
            if (!busy) break;
        }
        for (Agent& agent : agents_)
            agent.process.reset();
        watch_.reset();
        daemon_.reset();
        return failed_ ? complain(console_, kExitFailed, "an agent failed",
                                  "its output is in " + folder_ + "; --keep keeps that")
                       : kExitOk;
    }

    /// False when there is nothing left to do for it.
    bool keep_working(Agent& agent, const std::string& kind) {
        if (agent.process && agent.process->running()) return true;
        if (agent.process) {
            failed_ = failed_ || agent.process->status() != 0;
            agent.process.reset();
            agent.next = steady_now() + kRest;
        }
        if (options_.once && agent.round == 1) return false;
        if (steady_now() < agent.next) return true;
        const std::string session = kind + "-" + std::to_string(++agent.round);
        const std::string folder = folder_ + "/" + session;
        agent.process = std::make_unique<Child>(
            std::vector<std::string>{own_program().string(), "demo-agent", kind, "--url", url_,
                                     "--session", session, "--folder", folder, "--pace",
                                     std::to_string(options_.pace)},
            folder_ + "/" + kind + ".log");
        return true;
    }

    const DemoOptions& options_;
    const Console& console_;
    const std::string folder_;
    std::string url_;
    std::unique_ptr<Child> daemon_;
    std::unique_ptr<Child> watch_;
    std::array<Agent, kKinds.size()> agents_;
    bool failed_ = false;
};

int run_demo(const DemoOptions& options, const Console& console) {
    const ScratchFolder folder{options.keep};
    if (folder.path().empty()) {
        return complain(console, kExitFailed, "no folder can be made for the demo",
                        "set TMPDIR to a folder that you may write to");
    }
    const int code = Demo(options, console, folder.path()).run();
    if (options.keep) console.out << "kept " << folder.path() << "\n";
    return code;
}

class DemoVerb : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Start a demo: a daemon and three small agents");
        arguments.footer(
            R"(The demo's daemon has a folder and an address of its own and does not touch your data. Ctrl-C ends
the demo and, without --keep, removes the folder. One agent is slow but healthy, one repeats itself
until advice gets it out of the loop, and one waits for your approval.

Examples:
  headway demo
  headway demo --listen 127.0.0.1:7718 --keep)");
        arguments
            .option("--listen", options_.listen,
                    "address of the demo's daemon; port 0: any free one")
            .type("ADDRESS")
            .show_default();
        arguments.flag("--once", options_.once,
                       "exit when all agents are done; one of them needs your approval");
        arguments.flag("--quiet", options_.quiet, "do not print what happens");
        arguments.flag("--keep", options_.keep, "keep the folder, and print its path");
        arguments.option("--pace", options_.pace, "factor on all delays: 0.1 is ten times as fast")
            .type("FACTOR")
            .range(0.001, 100.0)
            .show_default();
    }

    int run(const Console& console, const Server&) override { return run_demo(options_, console); }

private:
    DemoOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_demo() {
    return std::make_unique<DemoVerb>();
}

}  // namespace headway::cli

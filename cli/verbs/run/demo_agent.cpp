// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/process.hpp"

// Three agents without a model: what a model would decide is written down here, what they do is
// real. They show what one POST a step gives.

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kOutputBytesMax = 2'000;  // of a command, in a report
constexpr int kTriesMax = 20;                   // of a report, while the daemon is away
constexpr int kLoopMax = 12;                    // calls of the looping agent, if no advice stops it

/// A process of the demo.
struct DemoAgentOptions {
    ClientOptions client;
    std::string kind;  ///< slow, loop, approval
    std::string session;
    std::string folder;
    double pace = 1;
};

struct DaemonGone {};

struct Done {
    bool ok = false;
    std::string output;
};

class Agent {
public:
    Agent(const DemoAgentOptions& options, const Console& console, const std::string& goal,
          const Json& more)
        : options_(options),
          environment_(console.environment),
          daemon_(options.client.url, options.client.credential) {
        std::filesystem::create_directories(options.folder);
        Json about = {{"goal", goal},
                      {"agent", {{"type", "demo"}, {"name", options.kind}}},
                      {"labels", {{"demo", options.kind}}}};
        about.update(more);
        send("PUT", "", about);
    }

    Json report(const std::string& type, const Json& data) {
        return send("POST", "/events",
                    {{"type", type}, {"event_id", "demo-" + random_tag()}, {"data", data}});
    }
    Json post(const std::string& rest, const Json& body) { return send("POST", rest, body); }
    void end(const std::string& outcome, const std::string& reason) {
        send("POST", "/end", {{"outcome", outcome}, {"reason", reason}});
    }
    Json get(const std::string& path) {
        return answer([&] { return daemon_.get(path, milliseconds{60'000}); });
    }

    /// Runs it in the agent's folder and reports the call. Gives the advice.
    Json call(const std::string& command, Json more = Json::object()) {
        const SteadyTime begin = steady_now();
        const Done done = run(command);
        const auto took = std::chrono::duration_cast<milliseconds>(steady_now() - begin);
        Json data = {{"tool", "bash"},
                     {"args", {{"command", command}}},
                     {"ok", done.ok},
                     {"duration_ms", took.count()}};
        if (done.ok) {
            data["result"] = done.output;
        } else {
            data["error"] = {{"class", "exit"}, {"message", done.output}};
        }
        data.update(more);
        return report("tool.finished", data);
    }

    Done run(const std::string& command) const {
        const std::string line = "cd '" + options_.folder + "' && { " + command + "\n} 2>&1";
        sigset_t none;
        sigemptyset(&none);
        const Process shell = spawn_process({"sh", "-c", line}, environment_, none);
        Done done;
        if (shell.pid < 0) return done;
        std::array<char, 512> part;
        ssize_t count = 0;
        while ((count = ::read(shell.out.get(), part.data(), part.size())) > 0) {
            if (done.output.size() < kOutputBytesMax)
                done.output.append(part.data(), static_cast<std::size_t>(count));
        }
        int status = 0;
        const bool known = ::waitpid(shell.pid, &status, 0) == shell.pid;
        done.ok = known && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        return done;
    }

    /// As a model would take to think.
    void think(double seconds) const {
        std::this_thread::sleep_for(std::chrono::duration<double>{seconds * options_.pace});
    }
    std::string sleep_of(double seconds) const {
        return "sleep " + std::to_string(seconds * options_.pace);
    }
    std::string file(const std::string& name) const { return options_.folder + "/" + name; }

private:
    Json send(const std::string& method, const std::string& rest, const Json& body) {
        const std::string path = session_path(options_.session, rest);
        return answer([&] {
            return method == "PUT" ? daemon_.put_text(path, dump(body)) : daemon_.post(path, body);
        });
    }

    template <typename Ask>
    Json answer(const Ask& ask) {
        Backoff backoff;
        for (int i = 0; i < kTriesMax; ++i) {
            const HttpReply reply = ask();
            if (!worth_retrying(reply)) return body_json(reply).value_or(Json::object());
            std::this_thread::sleep_for(backoff.next());
        }
        throw DaemonGone{};
    }

    const DemoAgentOptions& options_;
    const std::map<std::string, std::string>& environment_;
    Daemon daemon_;
};

/// The first directive of a kind in a reply, or null.
Json directive(const Json& advice, const std::string& type) {
    for (const Json& one : advice["directives"])
        if (one.text_of("type") == type) return one;
    return {};
}

std::uintmax_t size_of(const std::string& file) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(file, none);
    return none ? 0 : size;
}

/// Long enough to beat in time on a busy machine, short enough to be watched.
std::int64_t interval_ms(const DemoAgentOptions& options) {
    return std::max<std::int64_t>(1'000, std::llround(4'000 * options.pace));
}

/// A build that takes its time: its output grows, then it links without a word, and all is well.
void be_slow(const DemoAgentOptions& options, const Console& console) {
    Agent agent(
        options, console, "build the release and run its tests",
        {{"policy", {{"heartbeat_interval_ms", interval_ms(options)}, {"heartbeat_limit", 3}}}});
    agent.report("phase.started", {{"number", 1}, {"name", "build"}, {"total", 2}});
    agent.call("echo 'int main() { return 0; }' > main.c && wc -c main.c",
               {{"mutated", Json::array({{{"path", "main.c"}, {"digest", random_tag()}}})}});
    const std::string command = "for i in $(seq 12); do " + agent.sleep_of(1.5) +
                                "; echo compiled $i >> build.log; done; " + agent.sleep_of(15) +
                                "; echo linked >> build.log; tail -1 build.log";
    const Json started = {{"call_id", "build"}, {"tool", "bash"}, {"args", {{"command", "make"}}}};
    agent.report("tool.started", started);
    auto build = std::async(std::launch::async, [&] { return agent.run(command); });
    milliseconds next{0};
    while (build.wait_for(next) != std::future_status::ready) {
        const Json advice = agent.post(
            "/heartbeat",
            {{"phase", "build"},
             {"in_flight", {{"call_id", "build"}, {"counter", size_of(agent.file("build.log"))}}}});
        next = milliseconds{advice.count_of("next_heartbeat_ms", 1'000)};
    }
    const Done done = build.get();
    Json finished = started;
    finished.update({{"ok", done.ok},
                     {"result", done.output},
                     {"mutated", Json::array({{{"path", "app"}, {"digest", random_tag()}}})}});
    agent.report("tool.finished", finished);
    agent.report("phase.started", {{"number", 2}, {"name", "test"}});
    agent.think(4);
    agent.report("test.result", {{"passed", 42}, {"failed", 0}, {"command", "make check"}});
    agent.end("completed", "built, and 42 tests pass");
}

/// Looks for a file that does not exist, again and again, until the reply has a directive.
void run_in_a_circle(const DemoAgentOptions& options, const Console& console) {
    Agent agent(options, console, "read the port from config.json", Json::object());
    std::ofstream{agent.file("config.example.json")} << "{\"port\": 7717}\n";
    agent.report("message", {{"role", "assistant"}, {"text", "I look for config.json."}});
    Json advice;
    for (int i = 0; i < kLoopMax; ++i) {
        advice = agent.call("find . -name config.json");
        agent.think(3);
        // A model reads the first advice, and does the same again.
        if (i >= 3 && !directive(advice, "change_approach").is_null()) break;
    }
    const Json json = directive(advice, "change_approach");
    if (!json.is_null()) {
        agent.report("directive.acknowledged", {{"id", json.text_of("id")}});
        agent.report("reflection", {{"assessment", "on_track"},
                                    {"text", "The file is not there: I look at what is."}});
    }
    agent.think(2);
    agent.call("ls");
    agent.think(2);
    agent.call("cp config.example.json config.json",
               {{"mutated", Json::array({{{"path", "config.json"}, {"digest", random_tag()}}})}});
    agent.think(2);
    agent.call("cat config.json");
    agent.end("completed", json.is_null() ? "found it" : "found it, after advice");
}

Json ask_to_delete(Agent& agent, const std::string& command) {
    Json asked = agent.post("/approvals", {{"tool", "bash"},
                                           {"call_id", "clean"},
                                           {"args", {{"command", command}}},
                                           {"summary", "Delete the build folder, to build again."},
                                           {"risk", "high"}});
    const std::string id = asked.text_of("id");
    while (asked.text_of("status") == "pending")
        asked = agent.get("/v1/approvals/" + id + "?wait=20s");
    return asked;
}

/// Wants to delete something, and waits until a person allows or forbids it.
void ask_first(const DemoAgentOptions& options, const Console& console) {
    Agent agent(options, console, "make room on the disk", Json::object());
    const std::string command = "rm -rf build && ls";
    agent.call("mkdir -p build && head -c 100000 /dev/zero > build/app.o && du -s build",
               {{"mutated", Json::array({{{"path", "build/app.o"}, {"digest", random_tag()}}})}});
    agent.think(3);
    const Json decided = ask_to_delete(agent, command);
    const std::string& status = decided.text_of("status");
    if (status != "approved" && status != "edited") {
        agent.report("directive.acknowledged", {{"id", decided.text_of("id")}});
        agent.think(2);
        agent.call("du -s build");
        agent.end("completed", "left as it was: a person said no");
        return;
    }
    const Json& edited = decided["decision"]["edited_args"];
    const Json& args = edited.is_null() ? decided["args"] : edited;
    Daemon daemon(options.client.url, options.client.credential);
    daemon.post("/v1/approvals/" + decided.text_of("id") + "/redeem",
                {{"args", args}, {"key", options.session}});
    agent.think(1);
    agent.call(args["command"].is_string() ? args.text_of("command") : command,
               {{"call_id", "clean"}});
    agent.end("completed", "made room, as a person allowed");
}

// The demo makes each agent the leader of a group, and the kernel tells it when the demo is killed.
void end_with_the_demo() {
    if (::getpgrp() != ::getpid()) return;
    std::signal(SIGTERM, [](int) { ::kill(0, SIGKILL); });
}

int run_demo_agent(const DemoAgentOptions& options, const Console& console) {
    end_with_the_demo();
    try {
        if (options.kind == "slow") {
            be_slow(options, console);
        } else if (options.kind == "loop") {
            run_in_a_circle(options, console);
        } else {
            ask_first(options, console);
        }
    } catch (const DaemonGone&) {
        return complain(console, kExitUnreachable,
                        "the daemon at " + options.client.url + " is gone");
    }
    return kExitOk;
}

/// Not for people, and in no help.
class DemoAgent : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("One agent of the demo").hidden();
        arguments.client(options_.client);
        arguments.operand("KIND", options_.kind, "what it is like")
            .required()
            .choices({"slow", "loop", "approval"});
        arguments.option("--session", options_.session, "its session").required();
        arguments.option("--folder", options_.folder, "where it works").required();
        arguments.option("--pace", options_.pace, "as of demo");
    }

    int run(const Console& console, const Server&) override {
        return run_demo_agent(options_, console);
    }

private:
    DemoAgentOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_demo_agent() {
    return std::make_unique<DemoAgent>();
}

}  // namespace headway::cli

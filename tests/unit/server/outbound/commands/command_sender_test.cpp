// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/commands/command_sender.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;

namespace {

/// Commands that are shell scripts, each an endpoint of its own, and their results.
struct Commands {
    TempDir dir;
    std::vector<WebhookTarget> targets;
    std::unique_ptr<CommandSender> sender;
    std::mutex mutex;
    std::condition_variable told;
    std::vector<WebhookResult> results;

    std::string path(const std::string& name) const { return dir.file(name).string(); }
    std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream{path(name)}.rdbuf();
        return text.str();
    }
    void add(const std::string& name, const std::string& script,
             std::chrono::milliseconds timeout = 30s) {
        std::ofstream{path(name)} << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
        headway::config::WebhookEndpoint endpoint;
        endpoint.name = name;
        endpoint.format = headway::core::WebhookFormat::kCommand;
        endpoint.argv = {path(name), dir.file("").string()};
        endpoint.timeout = timeout;
        targets.emplace_back(endpoint, [](bool, const std::string&) {});
        REQUIRE(targets.back().problem().empty());
    }
    void start() {
        sender = std::make_unique<CommandSender>(
            targets,
            [this](WebhookResult result) {
                const std::lock_guard lock{mutex};
                results.push_back(std::move(result));
                told.notify_all();
            },
            [](bool, const std::string&) {});
        sender->link_to("https://h.example");
    }
    static WebhookJob job(const std::string& name, const std::string& body) {
        WebhookJob built;
        built.endpoint = name;
        built.row = 1;
        built.id = "msg_1";
        built.type = "session.ended";
        built.session = "night-7";
        built.n = 3;
        built.body = body;
        return built;
    }
    WebhookResult outcome_of(const std::string& name, const std::string& body = "{\"a\":1}") {
        if (!sender) start();
        REQUIRE(sender->submit(job(name, body)));
        std::unique_lock lock{mutex};
        REQUIRE(told.wait_for(lock, 60s, [this] { return !results.empty(); }));
        WebhookResult result = std::move(results.front());
        results.erase(results.begin());
        return result;
    }
};

/// Waits for the end of a process that is no child of ours. A process that its parent has not
/// reaped has ended, too.
bool ends(const std::string& pid) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < until) {
        std::string stat;
        std::getline(std::ifstream{"/proc/" + std::to_string(std::stoi(pid)) + "/stat"}, stat);
        const std::size_t name_end = stat.rfind(')');
        if (stat.empty() || name_end == stat.npos || stat[name_end + 2] == 'Z') return true;
        std::this_thread::yield();
    }
    return false;
}

}  // namespace

TEST_CASE("command sender: the message is on standard input, and 0 is delivered", "[server]") {
    Commands commands;
    commands.add("ok", "cat > \"$1/got\"; env > \"$1/env\"; pwd > \"$1/pwd\"");
    const WebhookResult result = commands.outcome_of("ok", R"({"say":"$(id) `id` ; rm"})");
    CHECK(result.outcome == WebhookOutcome::kDelivered);
    CHECK(result.job.row == 1);
    CHECK(result.job.body.empty());
    const std::string got = commands.content("got");
    CHECK(got.starts_with(R"({"say":"$(id) `id` ; rm","notice":{"id":"msg_1",)"));
    CHECK(got.find("https://h.example/#/session/night-7?n=3") != got.npos);
    CHECK(commands.content("pwd") == "/\n");
    std::set<std::string> names;
    std::istringstream lines{commands.content("env")};
    for (std::string line; std::getline(lines, line);)
        names.insert(line.substr(0, line.find('=')));
    // The shell adds its own.
    for (const char* own : {"PWD", "OLDPWD", "SHLVL", "_", "HOME"})
        names.erase(own);
    CHECK(names == std::set<std::string>{"HEADWAY_MESSAGE_ID", "HEADWAY_WEBHOOK", "LANG", "PATH"});
}

TEST_CASE("command sender: no descriptor of the daemon is left open", "[server]") {
    Commands commands;
    commands.add("fds", "ls /proc/self/fd | tr '\\n' ' ' > \"$1/fds\"");
    const int open = ::open("/dev/null", O_RDONLY);  // NOLINT: inherited, were it not closed
    CHECK(commands.outcome_of("fds").outcome == WebhookOutcome::kDelivered);
    ::close(open);
    CHECK(commands.content("fds") == "0 1 2 3 ");  // 3 is the folder that ls reads
}

TEST_CASE("command sender: an exit status says whether and how it is tried again", "[server]") {
    Commands commands;
    commands.add("later", "echo busy >&2; exit 75");
    commands.add("never", "echo 'no such room'; exit 3");
    commands.add("killed", "kill -9 $$");
    const WebhookResult later = commands.outcome_of("later");
    CHECK(later.outcome == WebhookOutcome::kAway);
    CHECK(later.reason == "exit status 75: busy");
    const WebhookResult never = commands.outcome_of("never");
    CHECK(never.outcome == WebhookOutcome::kRefused);
    CHECK(never.reason == "exit status 3: no such room");
    const WebhookResult killed = commands.outcome_of("killed");
    CHECK(killed.outcome == WebhookOutcome::kAway);
    CHECK(killed.reason == "was ended by signal 9");
}

TEST_CASE("command sender: output that is no UTF-8, or is cut in a character, is kept as UTF-8",
          "[server]") {
    Commands commands;
    commands.add("latin", "printf 'caf\\351'; exit 75");
    CHECK(commands.outcome_of("latin").reason == "exit status 75: caf\xEF\xBF\xBD");
    Commands long_ones;
    long_ones.add("cut", "printf '%01023d\\303\\251' 7; exit 75");
    const std::string reason = long_ones.outcome_of("cut").reason;
    CHECK(reason == "exit status 75: " + std::string(1022, '0') + "7");
}

TEST_CASE("command sender: one that is gone is said", "[server]") {
    Commands commands;
    commands.add("gone", "exit 0");
    std::filesystem::remove(commands.path("gone"));
    const WebhookResult result = commands.outcome_of("gone");
    CHECK(result.outcome == WebhookOutcome::kAway);
    CHECK(result.reason.find("cannot run " + commands.path("gone")) == 0);
}

TEST_CASE("command sender: one that hangs is killed with what it started", "[server]") {
    Commands commands;
    commands.add("hangs", "sleep 600 & echo $! > \"$1/child\"; sleep 600", 300ms);
    const WebhookResult result = commands.outcome_of("hangs");
    CHECK(result.outcome == WebhookOutcome::kAway);
    CHECK(result.reason.find("did not end within its timeout of 300ms and was killed") == 0);
    CHECK(ends(commands.content("child")));
}

TEST_CASE("command sender: what a command leaves running is ended with it", "[server]") {
    Commands commands;
    commands.add("forks", "sleep 600 & echo $! > \"$1/child\"; exit 0");
    CHECK(commands.outcome_of("forks").outcome == WebhookOutcome::kDelivered);
    CHECK(ends(commands.content("child")));
}

TEST_CASE("command sender: input that is not read and output without bound are no matter",
          "[server]") {
    Commands commands;
    commands.add("deaf", "exec 0<&-; sleep 0.05; exit 0");
    commands.add("quick", "exit 0");
    commands.add("loud", "cat > /dev/null; yes 0123456789 | head -c 100000000; exit 1");
    const std::string large = "{\"a\":\"" + std::string(2'000'000, 'x') + "\"}";
    CHECK(commands.outcome_of("deaf", large).outcome == WebhookOutcome::kDelivered);
    CHECK(commands.outcome_of("quick", large).outcome == WebhookOutcome::kDelivered);
    const WebhookResult loud = commands.outcome_of("loud", large);
    CHECK(loud.outcome == WebhookOutcome::kRefused);
    CHECK(loud.reason.size() < 1100);
}

TEST_CASE("command sender: one that hangs holds up no other, and a stop waits for none",
          "[server]") {
    Commands commands;
    commands.add("hangs", "echo $$ > \"$1/hangs.pid\"; exec sleep 600");
    commands.add("ok", "exit 0");
    commands.start();
    REQUIRE(commands.sender->submit(Commands::job("hangs", "{}")));
    CHECK(commands.outcome_of("ok").outcome == WebhookOutcome::kDelivered);
    commands.sender->stop();
    REQUIRE(commands.results.size() == 1);
    CHECK(commands.results.front().outcome == WebhookOutcome::kCancelled);
    CHECK_FALSE(commands.sender->submit(Commands::job("ok", "{}")));
    CHECK_FALSE(commands.sender->submit(Commands::job("absent", "{}")));
}

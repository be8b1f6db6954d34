// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/observer_child.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "system/subprocess.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kPauseMax = 60s;
constexpr auto kGoodRun = 60s;  ///< one that lasted so long is no failed start
constexpr int kLastWaitMs = 1'000;

std::string exit_words(int status) {
    return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                               : "exit status " + std::to_string(WEXITSTATUS(status));
}

/// The folders of agents, and none of the daemon's secrets. It reports over the daemon's own
/// socket, so a token would only be that of another daemon.
system::Environment observer_environment() {
    system::Environment variables;
    for (const char* name : {"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME",
                             "XDG_STATE_HOME", "PATH", "LANG", "TZ", "TMPDIR"}) {
        if (const char* value = std::getenv(name); value != nullptr) variables.emplace(name, value);
    }
    return variables;
}

}  // namespace

ObserverChild::ObserverChild(net::io_context& io, std::vector<std::string> argv, Report report)
    : io_(io), argv_(std::move(argv)), report_(std::move(report)), timer_(io) {}

ObserverChild::~ObserverChild() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGTERM);
    pollfd end{process_ ? process_->native_handle() : -1, POLLIN, 0};
    if (::poll(&end, 1, kLastWaitMs) <= 0) ::kill(pid_, SIGKILL);
    static_cast<void>(system::wait_for_end(pid_));
}

void ObserverChild::start() {
    const system::Started started =
        system::start({.argv = argv_,
                       .environment = observer_environment(),
                       .streams = {system::kNowhere, system::kNowhere, system::kOurs},
                       .mask = system::no_signals(),
                       .ends_with_us = true});
    if (started.error != 0)
        return start_later("cannot be started: " + std::generic_category().message(started.error));
    pid_ = started.pid;
    started_ = Clock::steady();
    process_.emplace(io_, static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    await_end();
}

void ObserverChild::await_end() {
    process_->async_wait(Descriptor::wait_read, [this](error_code ec) {
        if (ec) return;
        const auto status = system::wait_for_end(std::exchange(pid_, 0));
        process_.reset();
        if (Clock::steady() - started_ >= kGoodRun) pause_ = 0s;
        start_later("ended with " + (status ? exit_words(*status) : "an unknown status"));
    });
}

void ObserverChild::start_later(const std::string& why) {
    pause_ = std::clamp<std::chrono::seconds>(pause_ * 2, 1s, kPauseMax);
    report_("the observer of agents without hooks " + why + "; it is started again in " +
            std::to_string(pause_.count()) + " s");
    timer_.expires_after(pause_);
    timer_.async_wait([this](error_code ec) {
        if (!ec) start();
    });
}

std::unique_ptr<ObserverChild> start_observer(net::io_context& io,
                                              const config::ObserveSettings& settings,
                                              const HttpServer& http,
                                              const std::filesystem::path& state,
                                              ObserverChild::Report report) {
    if (settings.agents.empty()) return nullptr;
    const std::string socket = http.local_path().string();
    const std::string url = socket.empty() ? http.url() : "unix:" + socket;
    std::vector<std::string> argv{"/proc/self/exe", "observe",     "--quiet", "--url", url,
                                  "--state-dir",    state.string()};
    argv.insert(argv.end(), settings.agents.begin(), settings.agents.end());
    auto child = std::make_unique<ObserverChild>(io, std::move(argv), std::move(report));
    child->start();
    return child;
}

}  // namespace headway::server

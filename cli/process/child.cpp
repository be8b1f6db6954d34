// SPDX-License-Identifier: Apache-2.0
#include "cli/process/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "cli/base/clock.hpp"
#include "system/subprocess.hpp"

namespace headway::cli {
namespace {

constexpr std::chrono::milliseconds kEndPatience{10'000};
constexpr std::chrono::milliseconds kEndStep{10};

}  // namespace

Child::Child(std::vector<std::string> argv, const std::string& log) {
    const system::FileDescriptor file = system::above_standard(system::FileDescriptor{
        log.empty() ? -1 : ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)});
    const int out = file.open() ? file.get() : system::kOurs;
    pid_ = system::start({.argv = std::move(argv),
                          .streams = {system::kNowhere, out, out},
                          .mask = system::no_signals(),
                          .own_group = true,
                          .ends_with_us = true})
               .pid;
}

bool Child::running() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
}

// Processes that it started itself are in its group, which it leads, and end with it.
Child::~Child() {
    if (!running()) return;
    const pid_t group = -pid_;
    ::kill(group, SIGTERM);
    const SteadyTime deadline = steady_now() + kEndPatience;
    while (running() && steady_now() < deadline)
        std::this_thread::sleep_for(kEndStep);
    ::kill(group, SIGKILL);
    if (running()) ::waitpid(pid_, &status_, 0);
}

}  // namespace headway::cli

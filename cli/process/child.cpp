// SPDX-License-Identifier: Apache-2.0
#include "cli/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "cli/base/clock.hpp"

namespace headway::cli {
namespace {

constexpr std::chrono::milliseconds kEndPatience{10'000};
constexpr std::chrono::milliseconds kEndStep{10};

// Between fork and exec; only calls that are safe there.
[[noreturn]] void become(char* const* argv, int null, int log, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(0);  // it died before the line above
    ::dup2(null, STDIN_FILENO);
    if (log >= 0) {
        ::dup2(log, STDOUT_FILENO);
        ::dup2(log, STDERR_FILENO);
    }
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvp(argv[0], argv);
    ::_exit(127);
}

}  // namespace

Child::Child(std::vector<std::string> argv, const std::string& log) {
    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (std::string& word : argv)
        words.push_back(word.data());
    words.push_back(nullptr);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const int file =
        log.empty() ? -1 : ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) become(words.data(), null, file, parent);
    ::setpgid(pid_, pid_);  // here too: either process may come first
    ::close(null);
    if (file >= 0) ::close(file);
}

bool Child::running() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
}

// What it started itself is in its group, which it leads, and goes with it.
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

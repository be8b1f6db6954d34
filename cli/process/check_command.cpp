// SPDX-License-Identifier: Apache-2.0
#include "cli/process/check_command.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "api/text/plain_text.hpp"
#include "cli/process/proc_tree.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* kMarkName = "HEADWAY_CHECK";
constexpr std::size_t kTailBytesKept = 2'048;
constexpr int kStatusOfNoShell = 126;
constexpr milliseconds kCheckLookEvery{1'000};
constexpr milliseconds kQuietAfterCheck{100};
constexpr std::chrono::seconds kTermCheckFor{10};
/// Time for output of a child that an ended check has left behind.
constexpr std::chrono::seconds kCheckRest{2};

}  // namespace

bool read_end_signals(int fd, pid_t watched, std::optional<int>& status) {
    bool ends = false;
    signalfd_siginfo info{};
    while (::read(fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal != SIGCHLD && signal != SIGUSR1 && signal != SIGUSR2) ends = true;
    }
    int one = 0;
    for (pid_t pid = ::waitpid(-1, &one, WNOHANG); pid > 0; pid = ::waitpid(-1, &one, WNOHANG))
        if (pid == watched) status = one;
    return ends;
}

CheckResult CheckCommand::run() {
    for (const pid_t pid : ProcTree().descendants(::getpid()))
        before_.emplace_back(pid, process_began(pid));
    // The same for all checks of a run, whose outputs are compared.
    mark_ = std::to_string(::getpid()) + "-" + process_began(::getpid());
    auto environment = setup_.environment;
    environment[kMarkName] = mark_;
    process_ = spawn_process({"/bin/sh", "-c", setup_.command}, environment, setup_.mask, {},
                             setup_.folder);
    const bool began = process_.pid > 0;
    const auto began_at = steady_now();
    std::optional<SteadyTime> rest_until;  // once the shell has ended
    while (began && (!status_ || process_.out.open() || process_.err.open())) {
        poll_once();
        const auto now = steady_now();
        if (status_ && !rest_until) rest_until = now + kCheckRest;
        // A child that it has left behind keeps the pipe open, or writes without end.
        if (status_ && quiet_) break;
        if (rest_until && now >= *rest_until) {
            signal_all(SIGKILL);
            break;
        }
        if (status_) continue;
        if (now - began_at >= setup_.most) end(CheckResult::Ended::kTooLong);
        if (const auto why = kill_at_ ? ended_ : setup_.ends(); why != CheckResult::Ended::kNot)
            end(why);
        if (kill_at_ && now >= *kill_at_) signal_all(SIGKILL);
    }
    CheckResult result;
    result.exit = status_ ? exit_status_of(*status_) : ExitStatus{began ? 1 : kStatusOfNoShell, 0};
    result.ended = ended_;
    result.output = api::tail_of(tail_, kTailBytesKept);  // an argument of the next agent
    return result;
}

void CheckCommand::poll_once() {
    std::array<pollfd, 3> fds{pollfd{setup_.signals, POLLIN, 0},
                              pollfd{process_.out.get(), POLLIN, 0},
                              pollfd{process_.err.get(), POLLIN, 0}};
    const milliseconds look = status_ ? kQuietAfterCheck : kCheckLookEvery;
    quiet_ = ::poll(fds.data(), fds.size(), static_cast<int>(look.count())) == 0;
    // Ctrl-C reaches the shell too, which may have ended by it already.
    if (read_end_signals(setup_.signals, process_.pid, status_))
        end(CheckResult::Ended::kInterrupted);
    if (fds[1].revents != 0) read_tail(process_.out);
    if (fds[2].revents != 0) read_tail(process_.err);
}

/// The first reason holds, but a signal comes only once.
void CheckCommand::end(CheckResult::Ended why) {
    if (!kill_at_ || why == CheckResult::Ended::kInterrupted) ended_ = why;
    if (kill_at_) return;
    signal_all(SIGTERM);
    kill_at_ = steady_now() + kTermCheckFor;
}

std::vector<pid_t> CheckCommand::own_processes() const {
    const ProcTree processes;
    std::vector<pid_t> others;
    for (const auto& [pid, began] : before_)
        if (process_began(pid) == began) others.push_back(pid);
    const std::vector<pid_t> below = processes.descendants(process_.pid);
    std::vector<pid_t> own;
    for (const pid_t pid : processes.descendants(::getpid(), others)) {
        const bool in_shell =
            pid == process_.pid || std::find(below.begin(), below.end(), pid) != below.end();
        if (in_shell || !processes.lacks_variable(pid, kMarkName, mark_)) own.push_back(pid);
    }
    return own;
}

void CheckCommand::signal_all(int signal) const {
    for (const pid_t pid : own_processes())
        ::kill(pid, signal);
}

/// Keeps the last bytes, and as many more as tail_of() needs to see that it cuts.
void CheckCommand::read_tail(system::FileDescriptor& from) {
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(from.get(), bytes.data(), bytes.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size <= 0) {
        from.reset();
        return;
    }
    setup_.output += static_cast<std::uint64_t>(size);
    tail_.append(bytes.data(), static_cast<std::size_t>(size));
    if (tail_.size() > 2 * kTailBytesKept) tail_.erase(0, tail_.size() - kTailBytesKept - 4);
}

}  // namespace headway::cli

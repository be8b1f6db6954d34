// SPDX-License-Identifier: Apache-2.0
#include "hook/goal/goal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr int kNotFound = 127;
constexpr int kSignalBase = 128;

std::atomic<pid_t> goal_group{0};   ///< lock-free, so that a handler may read it
std::atomic<int> status_of_end{0};  ///< of a hook that a signal ends
constexpr int kEndSignals[] = {SIGTERM, SIGINT, SIGHUP};  // SIGHUP: its terminal was closed

extern "C" void leave(int /*signal*/) {
    const pid_t group = goal_group;
    if (group > 0) ::kill(-group, SIGKILL);
    ::_exit(status_of_end);
}

sigset_t end_signals() noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : kEndSignals)
        ::sigaddset(&set, signal);
    return set;
}

/// A descriptor that is closed at the end of its scope.
class Owned {
public:
    explicit Owned(int descriptor = -1) noexcept : descriptor_(descriptor) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { close(); }

    int get() const noexcept { return descriptor_; }
    void close() noexcept {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

private:
    int descriptor_;
};

/// The kernel counts: a clock that is set does not matter.
int timer_of(int milliseconds) noexcept {
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    itimerspec time{};
    time.it_value.tv_sec = milliseconds / 1000;
    time.it_value.tv_nsec = (milliseconds % 1000) * 1'000'000L;
    if (timer >= 0) ::timerfd_settime(timer, 0, &time, nullptr);
    return timer;
}

[[noreturn]] void become(const std::string& command, const std::string& folder, int output) {
    ::setpgid(0, 0);
    ::signal(SIGPIPE, SIG_DFL);
    for (const int signal : kEndSignals)
        ::signal(signal, SIG_DFL);
    const sigset_t ends = end_signals();
    ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
    const int input = ::open("/dev/null", O_RDONLY);
    const bool ready = input >= 0 && ::dup2(input, STDIN_FILENO) >= 0 &&
                       ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0;
    const bool there = ready && (folder.empty() || ::chdir(folder.c_str()) == 0);
    if (there) ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    write_all(STDERR_FILENO, there ? "/bin/sh cannot be run\n" : folder + " cannot be entered\n");
    ::_exit(kNotFound);
}

/// Reads what is there, at most four times what a pipe holds, and keeps the end: a command that
/// never stops printing must not hide its time limit. False: no more comes.
bool take_output(int from, std::string& kept) {
    std::array<char, 4096> piece{};
    constexpr int kPiecesMax = 64;
    for (int pieces = 0; pieces < kPiecesMax; ++pieces) {
        const ssize_t count = ::read(from, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return false;
        kept.append(piece.data(), static_cast<std::size_t>(count));
        if (kept.size() > kGoalOutputBytes) kept.erase(0, kept.size() - kGoalOutputBytes);
    }
    return true;
}

bool is_due(int timer) noexcept {
    unsigned long long times = 0;
    return ::read(timer, &times, sizeof times) > 0;
}

/// Waits for the end of the process, and kills its group when the time is up. Leaves `run.status`
/// as it is if the kernel does not tell the status.
void follow(pid_t child, int output, int limit_ms, GoalRun& run) {
    const Owned timer{timer_of(limit_ms)};
    const Owned process{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    bool open = true;
    bool over = timer.get() < 0;
    while (!over) {
        std::array<pollfd, 3> waits{pollfd{open ? output : -1, POLLIN, 0},
                                    pollfd{timer.get(), POLLIN, 0},
                                    pollfd{process.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (open && waits[0].revents != 0) open = take_output(output, run.output);
        run.timed_out = is_due(timer.get());
        // Without a pidfd, which old kernels lack, the end of the output is that of the command.
        over = run.timed_out || waits[2].revents != 0 || (process.get() < 0 && !open);
    }
    if (run.timed_out || timer.get() < 0) ::kill(-child, SIGKILL);
    int status = 0;
    pid_t ended = 0;
    do
        ended = ::waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (open) (void)take_output(output, run.output);
    if (ended < 0) return;  // an unknown status is no success: run.status stays that of a failure
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

void append_hex(std::string& out, std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 0xFU];
    }
}

}  // namespace

bool is_turn_end(std::string_view agent, std::string_view body) noexcept {
    const std::string_view event = text_member(body, "hook_event_name");
    if (!text_member(body, "agent_id").empty()) return false;  // a sub-agent's
    if (agent == "gemini") return event == "AfterAgent";
    const bool stops =
        agent == "claude" || agent == "codex" || agent == "qwen" || agent == "copilot";
    return stops && event == "Stop";
}

bool is_switched_off(Environment environment) {
    const std::string folder = state_folder(environment);
    struct stat about {};
    return !folder.empty() && ::lstat((folder + "/keep-going.off").c_str(), &about) == 0;
}

std::string goal_folder(Environment environment, std::string_view body) {
    std::string folder = variable(environment, "CLAUDE_PROJECT_DIR");
    if (folder.empty()) folder = text_member(body, "cwd");
    if (!folder.empty() && folder.front() != '/') folder.clear();
    return folder;
}

GoalRun run_goal(const std::string& command, const std::string& folder, int limit_ms) {
    GoalRun run;
    run.status = kNotFound;
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return run;
    const Owned output{pipe[0]};
    Owned input{pipe[1]};
    ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
    const sigset_t ends = end_signals();
    ::sigprocmask(SIG_BLOCK, &ends, nullptr);  // no end between the start and its note
    const pid_t child = ::fork();
    if (child == 0) become(command, folder, input.get());
    if (child > 0) ::setpgid(child, child);
    goal_group = child;
    ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
    if (child < 0) return run;
    input.close();
    follow(child, output.get(), limit_ms, run);
    goal_group = 0;
    return run;
}

void leave_on_signals(int status) {
    status_of_end = status;
    struct sigaction action {};
    action.sa_handler = leave;
    for (const int signal : kEndSignals)
        ::sigaction(signal, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

std::string goal_question(std::string_view command) {
    std::string value = "ask;";
    append_hex(value, command);
    return value;
}

std::string goal_report(std::string_view command, const GoalRun& run) {
    std::string value = run.timed_out ? std::string{"time"} : std::to_string(run.status);
    value += ";";
    append_hex(value, command);
    value += ";";
    append_hex(value, run.output);
    return value;
}

}  // namespace headway::hook

// SPDX-License-Identifier: Apache-2.0
#include "cli/run/keep_going.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <random>

#include "api/text/timestamp.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/keep_going/resume_command.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/process/proc_tree.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

/// How often the clock on the wall is read, which may jump, and the machine may have been asleep;
/// and the switch for all.
constexpr milliseconds kLookEvery{2'000};
/// While a person has to decide, or the session is paused.
constexpr milliseconds kLookWhileHeld{1'000};
/// For a reply right before the next start; a daemon that is unreachable holds nothing back.
constexpr std::chrono::seconds kReplyWithin{10};
constexpr milliseconds kLookForReply{20};
constexpr std::chrono::seconds kStandingWithin{2};
constexpr std::chrono::seconds kTermLeftFor{10};
constexpr std::chrono::seconds kKillLeftAfter{5};
constexpr const char* kSwitchedOff =
    "not resumed: keep-going is switched off (headway keep-going on)";
constexpr std::size_t kCheckBytesKept = 2'048;
constexpr std::size_t kLineBytesKept = 200;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;
constexpr std::chrono::minutes kCheckMost{60};
/// Time for output of a child that an ended check has left behind.
constexpr std::chrono::seconds kCheckRest{2};

std::string folder_now() {
    std::error_code ignored;
    return std::filesystem::current_path(ignored).string();
}

/// Device and inode; empty: it is gone.
std::string identity_of(const std::string& folder) {
    struct stat about {};
    if (folder.empty() || ::stat(folder.c_str(), &about) != 0) return {};
    return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
}

std::string iso(WallTime time) {
    std::string text;
    api::append_timestamp(text, time);
    return text;
}

double chance() {
    static std::random_device device;
    return std::uniform_real_distribution<double>{0, 1}(device);
}

/// True if a signal came that ends commands. Reaps what has ended; `watched` gets its status.
bool read_signals(int fd, pid_t watched, std::optional<int>& status) {
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

/// A shell's status for a command that it did not find, or that is no program: no result of a test,
/// and no agent can be asked to mend it.
bool cannot_run(const ExitStatus& exit) {
    return exit.signal == 0 && (exit.code == kCannotRun || exit.code == kNotFound);
}

/// ": " and the last line with a word; empty: there is none.
std::string last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    if (text.empty()) return {};
    text.remove_prefix(text.find_last_of('\n') + 1);  // npos + 1 is 0
    return ": " + core::shortened(text, kLineBytesKept);
}

/// The last bytes of what comes from a descriptor; false: it has ended.
bool read_tail(system::FileDescriptor& from, std::string& tail) {
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(from.get(), bytes.data(), bytes.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (size <= 0) {
        from.reset();
        return false;
    }
    tail.append(bytes.data(), static_cast<std::size_t>(size));
    if (tail.size() > 2 * kCheckBytesKept) tail.erase(0, tail.size() - kCheckBytesKept);
    return true;
}

}  // namespace

KeepGoing::KeepGoing(const KeepGoingOptions& options, const Words& first,
                     const SignalGuard& signals, Reporter& reporter, CommandFigures& figures,
                     const std::map<std::string, std::string>& environment, Say say)
    : options_(options),
      first_(first),
      signals_(signals),
      reporter_(reporter),
      figures_(figures),
      environment_(environment),
      say_(std::move(say)),
      state_(options.state_folder),
      plan_(options.rules, wall_now()),
      latest_(wall_now() + options.rules.until),
      folder_(folder_now()),
      folder_is_(identity_of(folder_)) {}

std::optional<KeepGoing::Words> KeepGoing::over(std::string why) {
    why_over_ = std::move(why);
    if (!why_over_.empty()) say_(why_over_);
    return std::nullopt;
}

std::optional<KeepGoing::Words> KeepGoing::after(RunOver& run, const SupervisedCommand& command) {
    if (run.end.completed && !run.stopped && !run.interrupted && !options_.check.empty()) {
        check(run);
        run.interrupted = interrupted_;
    }
    if ((!run.end.completed || run.check_failed) && !run.stopped && !run.interrupted) {
        const Standing now = standing();
        run.stuck = now.stuck;
        run.stopped = now.stopped || reporter_.refused();
    }
    ResumeStep step = plan_.next(run, wall_now(), chance());
    if (!step.resume) return over(step.why);
    if (state_.is_off()) return over(kSwitchedOff);
    const std::string& agent = command.agent().facts().agent;
    const std::string& id = command.agent().conversation();
    core::Result<Words> next = options_.resume_command.empty()
                                   ? resume_command(first_, agent, id, step.prompt)
                                   : own_resume_command(options_.resume_command, id, step.prompt);
    if (!next) return over("not resumed: " + next.error().detail);
    if (!end_tree()) return over("not resumed: a process of the run before does not end");
    const std::uint64_t stored = stored_bytes(agent, id, options_.homes);
    const auto reset = reset_time(run.end.retry_at);
    const bool limited = run.end.cause == core::Cause::kUsageLimit;
    if (limited && reset && probed_ && !run.progressed)
        state_.note_limit(agent, *reset, wall_now());
    probed_ = limited;
    if (step.in_turn) step.at = state_.take_turn_of(agent, step.at, options_.rules.margin);
    begin_wait(step);
    const Wait ended = wait_in_turn(step, agent);
    run.interrupted = ended == Wait::kInterrupted;
    run.stopped = ended == Wait::kStopped;
    cancelled_ = run.interrupted || run.stopped;
    const std::string why = why_not(ended, agent, id, stored);
    end_wait(why);
    if (!why.empty()) return over(why);
    return *std::move(next);
}

/// Why the agent does not start now; empty: it does.
std::string KeepGoing::why_not(Wait ended, const std::string& agent, const std::string& id,
                               std::uint64_t stored) const {
    switch (ended) {
        case Wait::kTooLate:
            return "not resumed: it was held until it was too late";
        case Wait::kStopped:
            return "not resumed: it was stopped";
        case Wait::kInterrupted:
            return "not resumed: interrupted";
        case Wait::kOff:
            return kSwitchedOff;
        case Wait::kDue:
            break;
    }
    if (!same_folder()) return "not resumed: the folder " + folder_ + " was replaced";
    const std::string who = open_elsewhere(agent, id, options_.homes);
    if (!who.empty()) return "not resumed: the conversation is open in " + who;
    if (stored != 0 && stored_bytes(agent, id, options_.homes) != stored)
        return "not resumed: the conversation went on elsewhere meanwhile";
    return {};
}

/// Runs the check, and puts down how it failed.
void KeepGoing::check(RunOver& run) {
    const std::string call = "check-" + std::to_string(++checks_);
    Process process =
        spawn_process({"/bin/sh", "-c", options_.check}, environment_, signals_.outer_mask());
    std::string tail;
    std::optional<int> status;
    auto ends_at = steady_now() + kCheckMost;
    bool killed = process.pid < 0;
    while (process.pid > 0 && (!status || process.out.open() || process.err.open())) {
        std::array<pollfd, 3> fds{pollfd{signals_.fd(), POLLIN, 0},
                                  pollfd{process.out.get(), POLLIN, 0},
                                  pollfd{process.err.get(), POLLIN, 0}};
        if (status && ::poll(fds.data(), fds.size(), 100) == 0)
            break;  // a child keeps the pipe open
        if (!status) (void)::poll(fds.data(), fds.size(), 1'000);
        const bool ends = read_signals(signals_.fd(), process.pid, status);
        if (fds[1].revents != 0) read_tail(process.out, tail);
        if (fds[2].revents != 0) read_tail(process.err, tail);
        interrupted_ = interrupted_ || ends;
        // A child that it has left behind may write without end.
        if (status) ends_at = std::min(ends_at, steady_now() + kCheckRest);
        if (!ends && steady_now() < ends_at) continue;
        for (const pid_t pid : ProcTree().descendants(::getpid()))
            ::kill(pid, SIGKILL);
        if (status) break;
        killed = true;
    }
    const bool began = process.pid > 0;
    const ExitStatus exit =
        status ? exit_status_of(*status) : ExitStatus{began ? 1 : kCannotRun, 0};
    if (tail.size() > kCheckBytesKept) tail.erase(0, tail.size() - kCheckBytesKept);
    std::replace(tail.begin(), tail.end(), '\0', ' ');  // it would end the prompt
    Json done = {{"call_id", call},
                 {"tool", "check"},
                 {"args", {{"command", options_.check}}},
                 {"ok", exit.code == 0 && !killed}};
    const bool passed = exit.code == 0 && !killed;
    if (passed) {
        done["result"] = bounded_text(tail);
    } else {
        done["error"] = {{"class", "exit_status"}, {"message", bounded_text(tail)}};
    }
    reporter_.add_own("tool.finished", done);
    if (passed) return;
    if (cannot_run(exit)) run.check_broken = exit.text() + last_line(tail);
    run.check_failed = tail.empty() ? exit.text() : tail;
}

/// The wait as a call of the session.
void KeepGoing::begin_wait(const ResumeStep& step) {
    const std::string number = std::to_string(plan_.resumes());
    const std::string about = "resume " + number + ": " + step.why + "; goes on at " + iso(step.at);
    waits_ = {{"call_id", "wait-" + number},
              {"tool", "wait"},
              {"args", {{"until", iso(step.at)}, {"why", step.why}}}};
    reporter_.add_own("message", {{"role", "system"}, {"text", about}});
    reporter_.add_own("tool.started", waits_);
    say_(about);
    figures_.waits = plan_.resumes();
}

/// `why`: why the agent does not start; empty: it does.
void KeepGoing::end_wait(const std::string& why) {
    figures_.waits_until_ms = 0;
    waits_["ok"] = why.empty();
    if (why.empty()) {
        waits_["result"] = "goes on";
    } else {
        waits_["error"] = {{"class", "cancelled"}, {"message", why}};
        // The last phase stays with the session when it ends.
        reporter_.add("heartbeat", {{"phase", "not resumed"}});
    }
    reporter_.add_own("tool.finished", waits_);
}

/// As long as other agents of the provider find out that the limit still holds.
KeepGoing::Wait KeepGoing::wait_in_turn(ResumeStep& step, const std::string& agent) {
    const WallTime began = wall_now();
    while (true) {
        figures_.waits_until_ms = step.at.time_since_epoch().count();
        const Wait ended = wait_for(step.at);
        if (ended != Wait::kDue || !step.in_turn) return ended;
        const WallTime limited = state_.limited_until(agent, began);
        if (limited <= wall_now()) return ended;
        const milliseconds margin = options_.rules.margin;
        step.at = state_.take_turn_of(agent, limited + margin, margin);
        if (step.at > latest_) return Wait::kTooLate;
        say_("the limit of " + agent + " still holds; goes on at " + iso(step.at));
    }
}

KeepGoing::Wait KeepGoing::wait_for(WallTime at) {
    std::optional<SteadyTime> asked;  // once it is time: when the daemon was asked last
    while (true) {
        const bool settled = reporter_.settled();  // first: what follows is as new as that
        const Standing standing = reporter_.standing();
        if (is_stopped(standing)) return Wait::kStopped;
        if (state_.is_off()) return Wait::kOff;
        const bool held = reporter_.held() || standing.held;
        if (held && wall_now() > latest_) return Wait::kTooLate;
        const milliseconds left = at - wall_now();
        const bool time = left <= milliseconds{0};
        if (!time) asked.reset();
        const auto since = asked ? steady_now() - *asked : SteadyTime::duration::zero();
        const bool ask = time && (!asked || (held && settled && since >= kLookWhileHeld));
        if (ask) {
            reporter_.add("heartbeat", Json::object());
            reporter_.look();
            asked = steady_now();
        }
        if (time && !ask && !held && (settled || since >= kReplyWithin)) return Wait::kDue;
        milliseconds look = time ? kLookForReply : std::clamp(left, milliseconds{1}, kLookEvery);
        if (held && settled && !ask) look = kLookWhileHeld;
        std::array<pollfd, 2> fds{pollfd{signals_.fd(), POLLIN, 0},
                                  pollfd{reporter_.wake_fd(), POLLIN, 0}};
        (void)::poll(fds.data(), fds.size(), static_cast<int>(look.count()));
        std::optional<int> ignored;
        if (read_signals(signals_.fd(), -1, ignored)) return Wait::kInterrupted;
    }
}

bool KeepGoing::is_stopped(const Standing& standing) {
    const auto stop = reporter_.stop_directive();
    if (stop && !stop->id.empty()) reporter_.add("directive.acknowledged", {{"id", stop->id}});
    return stop || standing.stopped || reporter_.refused();
}

/// State of the session at the end of a run, if the daemon replies soon.
Standing KeepGoing::standing() {
    reporter_.look();
    const auto began = steady_now();
    while (!reporter_.settled() && steady_now() - began < kStandingWithin)
        (void)::poll(nullptr, 0, static_cast<int>(kLookForReply.count()));
    return reporter_.standing();
}

/// Ends what the run before has left: two agents in one conversation would write over each other.
bool KeepGoing::end_tree() {
    const ProcTree tree;
    const auto began = steady_now();
    while (true) {
        std::optional<int> ignored;
        (void)read_signals(-1, -1, ignored);
        const std::vector<pid_t> left = tree.descendants(::getpid());
        if (left.empty()) return true;
        const auto spent = steady_now() - began;
        if (spent > kTermLeftFor + kKillLeftAfter) return false;
        for (const pid_t pid : left)
            ::kill(pid, spent > kTermLeftFor ? SIGKILL : SIGTERM);
        (void)::poll(nullptr, 0, 50);
    }
}

bool KeepGoing::same_folder() const {
    return !folder_is_.empty() && identity_of(folder_) == folder_is_;
}

}  // namespace headway::cli

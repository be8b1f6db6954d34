// SPDX-License-Identifier: Apache-2.0
#include "cli/run/keep_going.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "api/text/timestamp.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/keep_going/resume_command.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/process/check_command.hpp"
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
constexpr std::size_t kLineBytesKept = 200;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

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

/// A shell's status for a command that it did not find, or that is no program: no result of a test,
/// and no agent can be asked to mend it.
bool cannot_run(const ExitStatus& exit) {
    return exit.signal == 0 && (exit.code == kCannotRun || exit.code == kNotFound);
}

std::string kept_by(std::int64_t keeper) {
    return "not resumed: the conversation is open in process " + std::to_string(keeper) +
           ", another `headway run --keep-going`";
}

/// ": " and the last line with a word; empty: there is none.
std::string last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    if (text.empty()) return {};
    text.remove_prefix(text.find_last_of('\n') + 1);  // npos + 1 is 0
    return ": " + core::shortened(text, kLineBytesKept);
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
    if (!agent_.empty()) state_.leave_conversation(agent_);
    why_over_ = std::move(why);
    if (!why_over_.empty()) say_(why_over_);
    return std::nullopt;
}

std::optional<KeepGoing::Words> KeepGoing::after(RunOver& run, const SupervisedCommand& command) {
    if (run.end.completed && !run.stopped && !run.interrupted && !options_.check.empty()) {
        const Wait ended = check(run);
        if (ended != Wait::kDue) {
            run.check_ended = true;
            note_end(run, ended);
            return over(why_ended(ended));
        }
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
    if (const auto keeper = state_.give_way(agent, id, GiveWayTo::kEarlier); keeper != 0)
        return over(kept_by(keeper));
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
    note_end(run, ended);
    const std::string why = why_not(ended, agent, id, stored);
    end_wait(why);
    if (!why.empty()) return over(why);
    return *std::move(next);
}

void KeepGoing::note_end(RunOver& run, Wait ended) {
    run.interrupted = ended == Wait::kInterrupted;
    run.stopped = ended == Wait::kStopped;
    cancelled_ = run.interrupted || run.stopped;
}

std::string KeepGoing::why_ended(Wait ended) {
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
    return {};
}

void KeepGoing::note_conversation(const std::string& agent, const std::string& id) {
    agent_ = agent;
    state_.keep_conversation(agent, id);
}

/// Why the agent does not start now; empty: it does.
std::string KeepGoing::why_not(Wait ended, const std::string& agent, const std::string& id,
                               std::uint64_t stored) const {
    if (ended != Wait::kDue) return why_ended(ended);
    if (!same_folder()) return "not resumed: the folder " + folder_ + " was replaced";
    if (const auto keeper = state_.give_way(agent, id, GiveWayTo::kAny); keeper != 0)
        return kept_by(keeper);
    const std::string who = open_elsewhere(agent, id, options_.homes);
    if (!who.empty()) return "not resumed: the conversation is open in " + who;
    if (stored != 0 && stored_bytes(agent, id, options_.homes) != stored)
        return "not resumed: the conversation went on elsewhere meanwhile";
    return {};
}

/// Runs the check, after a pause again, and puts down how it failed. Any result but kDue: why there
/// is no result.
KeepGoing::Wait KeepGoing::check(RunOver& run) {
    using Ended = CheckResult::Ended;
    while (true) {
        const CheckResult result = run_check();
        if (result.passed()) return Wait::kDue;
        run.check_failed = result.output.empty() ? result.exit.text() : result.output;
        if (result.ended == Ended::kNot && cannot_run(result.exit))
            run.check_broken = result.exit.text() + last_line(result.output);
        if (result.ended == Ended::kNot) return Wait::kDue;
        if (result.ended == Ended::kTooLong) {
            run.check_failed = result.output + too_long();
            return Wait::kDue;
        }
        (void)end_tree();
        if (result.ended == Ended::kInterrupted) return Wait::kInterrupted;
        if (result.ended == Ended::kStopped) return Wait::kStopped;
        if (result.ended == Ended::kOff) return Wait::kOff;
        say_("the check was ended: the session is paused; it runs again after that");
        const Wait held = wait_for(wall_now());
        if (held != Wait::kDue) return held;
        run.check_failed.reset();
    }
}

CheckResult KeepGoing::run_check() {
    using Ended = CheckResult::Ended;
    const std::string call = "check-" + std::to_string(++checks_);
    Json about = {{"call_id", call}, {"tool", "check"}, {"args", {{"command", options_.check}}}};
    reporter_.add_own("tool.started", about);
    figures_.check = checks_;
    const CheckCommand::Setup setup{
        options_.check,      environment_,          signals_.outer_mask(),          signals_.fd(),
        options_.check_most, figures_.output_bytes, [this] { return check_ends(); }};
    CheckResult result = CheckCommand(setup).run();
    figures_.check = 0;
    about["ok"] = result.passed();
    const bool cut = result.ended != Ended::kNot && result.ended != Ended::kTooLong;
    if (result.passed()) {
        about["result"] = bounded_text(result.output);
    } else if (cut) {
        about["error"] = {{"class", "cancelled"}, {"message", "the check was ended"}};
    } else if (result.ended == Ended::kTooLong) {
        about["error"] = {{"class", "timeout"},
                          {"message", bounded_text(result.output) + too_long()}};
    } else {
        about["error"] = {{"class", "exit_status"}, {"message", bounded_text(result.output)}};
    }
    reporter_.add_own("tool.finished", about);
    return result;
}

/// By the session and the switch for all: whether the check must not go on.
CheckResult::Ended KeepGoing::check_ends() {
    const Standing standing = reporter_.standing();
    if (is_stopped(standing)) return CheckResult::Ended::kStopped;
    if (state_.is_off()) return CheckResult::Ended::kOff;
    if (standing.paused) return CheckResult::Ended::kPaused;
    if (steady_now() < next_look_) return CheckResult::Ended::kNot;
    next_look_ = steady_now() + kLookEvery;
    reporter_.look();
    return CheckResult::Ended::kNot;
}

std::string KeepGoing::too_long() const {
    return "\n[the check was ended: it had not ended by itself after " +
           human_duration(options_.check_most) + "]";
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
        if (limited > latest_) return Wait::kTooLate;
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
        if (read_end_signals(signals_.fd(), -1, ignored)) return Wait::kInterrupted;
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
        (void)read_end_signals(-1, -1, ignored);
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

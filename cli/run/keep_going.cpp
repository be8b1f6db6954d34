// SPDX-License-Identifier: Apache-2.0
#include "cli/run/keep_going.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "api/text/timestamp.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/json.hpp"
#include "cli/keep_going/resume_command.hpp"
#include "cli/process/proc_tree.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

/// How often the clock on the wall is read, which may jump, and the machine may have been asleep;
/// and the switch for all.
constexpr milliseconds kLookMost{2'000};
/// While a person has to decide, or the session is paused.
constexpr milliseconds kLookWhileHeld{1'000};
/// How often the session is looked at during a wait, so that a person's decision holds the next
/// start back even if the daemon is away by then.
constexpr std::chrono::seconds kLookAtSession{15};
/// For a reply right before the next start; a daemon that is unreachable holds nothing back.
constexpr std::chrono::seconds kReplyWithin{10};
constexpr milliseconds kLookForReply{20};
constexpr std::chrono::seconds kStandingWithin{2};
/// A start at the latest time may still wait for that reply; after a suspend it is hours late.
constexpr std::chrono::seconds kLateMost{15};
constexpr std::chrono::seconds kTermLeftFor{10};
constexpr std::chrono::seconds kKillLeftAfter{5};
constexpr const char* kGone =
    "not resumed: its session was deleted, or the daemon's database is another one";
constexpr const char* kSwitchedOff =
    "not resumed: keep-going is switched off (headway keep-going on)";

double chance() {
    static std::random_device device;
    return std::uniform_real_distribution<double>{0, 1}(device);
}

std::string kept_by(std::int64_t keeper) {
    return "not resumed: the conversation is open in process " + std::to_string(keeper) +
           ", another `headway run --keep-going`";
}

}  // namespace

KeepGoing::KeepGoing(const KeepGoingOptions& options, const Words& first,
                     const SignalGuard& signals, Reporter& reporter, CommandFigures& figures,
                     const std::map<std::string, std::string>& environment, Say say,
                     RecordKeeper& keeper)
    : options_(options),
      first_(first),
      signals_(signals),
      reporter_(reporter),
      figures_(figures),
      environment_(environment),
      say_(std::move(say)),
      keeper_(keeper),
      state_(options.state_folder),
      plan_(options.rules, keeper.record().began, keeper.record().counts),
      latest_(keeper.record().latest()),
      here_(keeper.record().begins_in),
      works_(keeper.record().works_in),
      checks_in_(keeper.record().checks_in),
      checks_(keeper.record().checks),
      probed_(keeper.record().probed) {}

std::optional<KeepGoing::Words> KeepGoing::over(std::string why) {
    if (!agent_.empty()) state_.leave_conversation(agent_);
    why_over_ = std::move(why);
    if (!why_over_.empty()) say_(why_over_);
    return std::nullopt;
}

std::optional<KeepGoing::Words> KeepGoing::after(RunOver& run, SupervisedCommand& command) {
    // An agent that ends before its first line, as without a network, still has its conversation.
    const AgentLines& lines = command.agent();
    if (!lines.facts().agent.empty()) agent_ = lines.facts().agent;
    if (!lines.conversation().empty()) conversation_ = lines.conversation();
    if (options_.by_settings && agent_.empty()) return std::nullopt;
    note_folders(command);
    run.mute = run.end.completed && plan_.resumes() > 0 && !lines.found();
    run.lost = lines.conversation().empty() && says_lost(run.end.reason);
    run.end.completed = run.end.completed && !run.mute;
    return next(run, &command);
}

/// `command`: the run that has ended; null: only its record is left.
std::optional<KeepGoing::Words> KeepGoing::next(RunOver& run, SupervisedCommand* command) {
    if (run.end.completed && (run.stopped || run.interrupted) && !options_.check.empty()) {
        cancelled_ = true;
        note_missed(run);
        return over(why_ended(run.interrupted ? Wait::kInterrupted : Wait::kStopped));
    }
    // Its result says success, and only its exit status or its work in the background is against
    // it: then the check decides.
    const bool decides = (run.end.finished || run.end.cut_off) && !run.stopped && !run.interrupted;
    if (decides && !options_.check.empty()) run.end.completed = true;
    if (run.end.completed && !options_.check.empty()) {
        const Wait ended = check(run);
        if (ended != Wait::kDue) {
            run.check_ended = true;
            if (!run.check_failed) note_missed(run);
            note_end(run, ended);
            cancelled_ = cancelled_ || ended == Wait::kOff;
            return over(why_ended(ended));
        }
    }
    if ((!run.end.completed || run.check_failed) && !run.stopped && !run.interrupted) {
        const Standing now = standing();
        run.stuck = now.stuck;
        run.stopped = now.stopped || reporter_.refused();
    }
    if (run.stopped && reporter_.standing().gone) return over(kGone);
    ResumeStep step = plan_.next(run, wall_now(), chance());
    if (!step.resume) return over(step.why);
    if (state_.is_off()) return over(kSwitchedOff);
    if (!began_in_.empty() && run.lost)
        return over("not resumed: the agent did not find its conversation " + began_in_);
    if (!began_in_.empty() && run.clean && command != nullptr && !command->agent().found())
        return over("not resumed: it ended without a line and without an error");
    if (is_another(conversation_))
        return over("not resumed: it began in the conversation " + began_in_ +
                    ", and its output names another one, " + conversation_);
    if (const core::Result<Words> words = command_of(step); !words)
        return over("not resumed: " + words.error().detail);
    if (const auto keeper = state_.give_way(agent_, conversation_, GiveWayTo::kEarlier);
        keeper != 0)
        return over(kept_by(keeper));
    if (!end_tree()) return over("not resumed: a process of the run before does not end");
    const std::uint64_t stored = stored_bytes(agent_, conversation_, options_.homes);
    const auto reset = reset_time(run.end.retry_at);
    const bool limited = run.end.cause == core::Cause::kUsageLimit;
    if (limited && reset && probed_ && !run.progressed)
        state_.note_limit(agent_, agent_home(agent_, environment_), *reset, wall_now());
    probed_ = limited;
    step.in_turn = step.in_turn || command == nullptr;  // others go on at this moment, too
    if (step.in_turn) step.at = turn_of(agent_, step.at);
    put_wait(step, stored);
    begin_wait(step, command == nullptr ? Json{} : command->take_kept());
    return wait(run, std::move(step), stored);
}

std::optional<KeepGoing::Words> KeepGoing::wait(RunOver& run, ResumeStep step,
                                                std::uint64_t stored) {
    const Wait ended = wait_in_turn(step);
    note_end(run, ended);
    std::string why = why_not(ended, stored);
    core::Result<Words> words = command_of(step);
    if (why.empty() && !words) why = "not resumed: " + words.error().detail;
    std::optional<int> none;  // Ctrl-C meanwhile: it goes to the group, without the next agent
    if (why.empty() && read_end_signals(signals_.fd(), -1, none)) {
        note_end(run, Wait::kInterrupted);
        why = why_ended(Wait::kInterrupted);
    }
    end_wait(why);
    if (!why.empty()) return over(why);
    return *std::move(words);
}

core::Result<KeepGoing::Words> KeepGoing::command_of(const ResumeStep& step) const {
    std::string prompt = step.prompt;
    if (!options_.resume_text.empty()) prompt += "\n\n" + options_.resume_text;
    return options_.resume_command.empty()
               ? resume_command(first_, agent_, conversation_, prompt)
               : own_resume_command(options_.resume_command, conversation_, prompt);
}

void KeepGoing::note_end(RunOver& run, Wait ended) {
    run.interrupted = ended == Wait::kInterrupted;
    run.stopped = ended == Wait::kStopped;
    cancelled_ = run.interrupted || run.stopped;
}

/// Nothing shows that the work is done: without the check the agent's own word is not enough.
void KeepGoing::note_missed(RunOver& run) const {
    run.check_missed = true;
    say_("the check did not run");
}

std::string KeepGoing::why_ended(Wait ended) const {
    switch (ended) {
        case Wait::kTooLate:
            return "not resumed: it was held until it was too late";
        case Wait::kMissed:
            return "not resumed: the time to start passed unseen, and it is too late now";
        case Wait::kStopped:
            return reporter_.standing().gone ? kGone : "not resumed: it was stopped";
        case Wait::kInterrupted:
            return "not resumed: interrupted";
        case Wait::kOff:
            return kSwitchedOff;
        case Wait::kDue:
            break;
    }
    return {};
}

/// Why the agent does not start now; empty: it does.
std::string KeepGoing::why_not(Wait ended, std::uint64_t stored) const {
    if (ended != Wait::kDue) return why_ended(ended);
    if (const std::string folder = replaced_folder(); !folder.empty())
        return "not resumed: the folder " + folder + " was replaced";
    if (const auto keeper = state_.give_way(agent_, conversation_, GiveWayTo::kAny); keeper != 0)
        return kept_by(keeper);
    const std::string who = open_elsewhere(agent_, conversation_, options_.homes);
    if (!who.empty()) return "not resumed: the conversation is open in " + who;
    if (stored != 0 && stored_bytes(agent_, conversation_, options_.homes) != stored)
        return "not resumed: the conversation went on elsewhere meanwhile";
    return {};
}

/// The wait as a call of the session. The error that it is for is among its arguments: reported by
/// itself, it would make the session `blocked`, as if a person were needed.
void KeepGoing::begin_wait(const ResumeStep& step, Json error) {
    const std::string about = "resume " + std::to_string(plan_.resumes()) + ": " + step.why +
                              "; goes on at " + api::timestamp_text(step.at);
    if (error.is_object()) waits_["args"]["error"] = std::move(error);
    reporter_.add_own("message", {{"role", "system"}, {"text", about}});
    reporter_.add_own("tool.started", waits_);
    say_(about);
}

/// Before anything is said of the wait: cut off in between, it would begin a second time.
void KeepGoing::put_wait(const ResumeStep& step, std::uint64_t stored) {
    now_ = false;
    (void)take_start(options_.state_folder, keeper_.record().session);  // of a wait before
    keeper_.change([&](RunRecord& record) {
        record.phase = RunPhase::kWaiting;
        record.counts = plan_.counts();
        record.probed = probed_;
        record.wait = {step, stored};
    });
    waits_ = {{"call_id", "wait-" + std::to_string(plan_.resumes())},
              {"tool", "wait"},
              {"args", {{"until", api::timestamp_text(step.at)}, {"why", step.why}}}};
    figures_.waits = plan_.resumes();
}

/// `why`: why the agent does not start; empty: it does.
void KeepGoing::end_wait(const std::string& why) {
    figures_.waits_until_ms = 0;
    reporter_.rest(false);
    waits_["ok"] = why.empty();
    if (why.empty()) {
        waits_["result"] = "goes on";
        reporter_.add("heartbeat", {{"phase", "running"}});  // the agent may end before the next
    } else {
        waits_["error"] = {{"class", "cancelled"}, {"message", why}};
        // The last phase stays with the session when it ends.
        reporter_.add("heartbeat", {{"phase", "not resumed"}});
    }
    reporter_.add_own("tool.finished", waits_);
}

/// A turn beyond the latest time would end the run, though its agent could still be tried: it then
/// begins at any moment before that.
WallTime KeepGoing::turn_of(const std::string& agent, WallTime wanted) const {
    const WallTime turn = state_.take_turn_of(agent, wanted, options_.rules.margin);
    if (turn <= latest_ || wanted >= latest_) return turn;
    const double left = static_cast<double>((latest_ - wanted).count());
    return wanted + milliseconds{static_cast<std::int64_t>(left * chance())};
}

/// Waits longer if other agents of the provider find out that the limit still holds, but not for
/// long: their limit may be that of another model, and only the agent's own try shows that.
KeepGoing::Wait KeepGoing::wait_in_turn(ResumeStep& step) {
    const WallTime began = wall_now();
    const WallTime probe = probe_time(step.at, latest_, options_.rules.margin);
    const std::string home = agent_home(agent_, environment_);
    reporter_.rest(true);
    while (true) {
        figures_.waits_until_ms = step.at.time_since_epoch().count();
        const Wait ended = wait_for(step.at);
        if (ended == Wait::kDue && wall_now() > latest_ + kLateMost) return Wait::kMissed;
        if (ended != Wait::kDue || !step.in_turn || std::exchange(now_, false)) return ended;
        const WallTime limited = state_.limited_until(agent_, home, began);
        if (limited <= wall_now() || wall_now() >= probe) return ended;
        step.at = turn_of(agent_, std::min(limited + options_.rules.margin, probe));
        keeper_.change([&](RunRecord& record) { record.wait.step.at = step.at; });
        say_("another run found that a limit of " + agent_ + " still holds; goes on at " +
             api::timestamp_text(step.at));
    }
}

KeepGoing::Wait KeepGoing::wait_for(WallTime at) {
    std::optional<SteadyTime> asked;  // once it is time: when the daemon was asked last
    SteadyTime looks_at = steady_now();
    bool told = false;
    if (unseen_) reporter_.look();
    while (true) {
        const bool settled = reporter_.settled();  // first: what follows is as new as that
        unseen_ = unseen_ && !settled;
        keeper_.refresh();
        const Standing standing = reporter_.standing();
        if (is_stopped(standing)) return Wait::kStopped;
        if (state_.is_off()) return Wait::kOff;
        const bool held = reporter_.held() || standing.held || unseen_;
        const auto since = asked ? steady_now() - *asked : SteadyTime::duration::zero();
        const bool late = unseen_ && since >= kReplyWithin;
        const bool over = wall_now() > latest_ && (!unseen_ || late || !asked);
        if (held && over) return Wait::kTooLate;
        if (take_start(options_.state_folder, keeper_.record().session)) {
            say_("a person has ended the wait");
            now_ = true;
            at = std::min(at, wall_now());
        }
        const milliseconds left = at - wall_now();
        const bool time = left <= milliseconds{0};
        if (!time) asked.reset();
        if (!time && settled && steady_now() >= looks_at) {
            reporter_.look();
            looks_at = steady_now() + kLookAtSession;
        }
        const bool ask = time && (!asked || (held && settled && since >= kLookWhileHeld));
        if (ask) {
            reporter_.look();  // first: a session that is gone gets no heartbeat
            reporter_.add("heartbeat", Json::object());
            asked = steady_now();
            // A daemon that was there may have the word of a person that is not known here yet.
            unseen_ = unseen_ || !reporter_.opening().at.empty();
            continue;
        }
        if (time && !ask && !held && (settled || since >= kReplyWithin)) return Wait::kDue;
        if (late && !std::exchange(told, true)) say_("no daemon replies: the start waits for one");
        milliseconds look = time ? kLookForReply : std::clamp(left, milliseconds{1}, kLookMost);
        if (held && (settled || late) && !ask) look = kLookWhileHeld;
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
        const std::vector<pid_t> left = tree.descendants_of_run(::getpid());
        if (left.empty()) return true;
        const auto spent = steady_now() - began;
        if (spent > kTermLeftFor + kKillLeftAfter) return false;
        for (const pid_t pid : left)
            ::kill(pid, spent > kTermLeftFor ? SIGKILL : SIGTERM);
        (void)::poll(nullptr, 0, 50);
    }
}

/// The folder of the run or of its agent that is not the one that it was at first; empty: none.
std::string KeepGoing::replaced_folder() const {
    if (here_.identity.empty() || identity_of(here_.path) != here_.identity) return here_.path;
    // If it was not there at first, it is one of another machine.
    if (!works_.identity.empty() && identity_of(works_.path) != works_.identity)
        return plain_path(works_.path);
    return {};
}

}  // namespace headway::cli

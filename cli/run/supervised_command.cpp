// SPDX-License-Identifier: Apache-2.0
#include "cli/run/supervised_command.hpp"

#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "agents/codex/rollout.hpp"
#include "api/text/timestamp.hpp"
#include "cli/base/json.hpp"
#include "cli/process/proc_tree.hpp"
#include "core/detection/rate_limit.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReportInterval{1'000};
constexpr milliseconds kKillAfter{10'000};
// A container is killed 10 s after the signal: the end of the session is reported before that.
constexpr milliseconds kKillRestAfter{5'000};
constexpr milliseconds kRestAfterExit{2'000};  // at least
/// A signal longer before its end is one that the agent has caught.
constexpr milliseconds kEndsOfSignalWithin{60'000};
constexpr milliseconds kKillEvery{50};  // a process may have started another meanwhile
constexpr milliseconds kKillFor{5'000};
// A process left behind may keep the pipe open without end: after the exit, what the pipe holds and
// what comes at once is still copied.
constexpr milliseconds kQuietAfterExit{100};
constexpr milliseconds kOutputAfterExitMax{2'000};
/// More than a pipe holds: who goes on writing behind it is no part of the command.
constexpr std::uint64_t kBytesAfterExitMax = 4U << 20;
constexpr std::size_t kReadBytes = 65'536;
constexpr std::uint64_t kRetryInMsMax = 30ULL * 24 * 3'600'000;  // longer is no wait
constexpr std::size_t kWriteBytes =
    4'096;  // PIPE_BUF: what POLLOUT promises to take without blocking

bool holds_bytes(int pipe) {
    int bytes = 0;
    return pipe >= 0 && ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

/// An agent tells an error in a few lines at most.
constexpr std::size_t kErrorsKept = 8;
constexpr milliseconds kErrorsKeptFor{15'000};

bool ends_turn(const LineEvent& event) {
    return event.type == "error.reported" &&
           (event.data.flag_of("ends_turn") || event.data["class"] == "usage_limit");
}

/// It shows that an error before it is over.
bool is_answer(const LineEvent& event) {
    return event.type == "tool.started" || event.type == "tool.finished" ||
           (event.type == "message" && event.data["role"] == "assistant");
}

/// A time that only the words of an error name.
void add_retry_in_words(Json& data) {
    core::ErrorReported error;
    error.error_class = data.text_of("class");
    error.message = core::bounded_text(data.text_of("message"));
    error.ends_turn = data.flag_of("ends_turn");
    const Json& status = std::as_const(data)["status"];
    if (status.is_unsigned()) error.status = status.count();
    const core::Timestamp retry_at = core::retry_of(error, wall_now());
    if (retry_at != core::kNever) data["retry_at"] = api::timestamp_text(retry_at);
}

}  // namespace

SupervisedCommand::SupervisedCommand(Process process, const SignalGuard& signals,
                                     Reporter& reporter, Setup setup)
    : pid_(process.pid),
      signals_(signals),
      reporter_(reporter),
      setup_(std::move(setup)),
      agent_(
          [this](const LineEvent& event, bool hooks_tell) { tell(event, hooks_tell); },
          [this](LineEvent& error, const std::string& agent, const std::string& session) {
              complete(error, agent, session);
          },
          [this](const std::string& agent, const std::string& session, const std::string& version) {
              return use_before({agent, session, version, setup_.began});
          }),
      streams_{Stream{"stdout", std::move(process.out), STDOUT_FILENO, {}, 0, {}},
               Stream{"stderr", std::move(process.err), STDERR_FILENO, {}, 0, {}}},
      last_output_(steady_now()),
      next_report_(steady_now() + kReportInterval) {}

ExitStatus SupervisedCommand::run() {
    while (!status_ || !output_done() || outlived()) {
        poll_once();
        if (status_ && interrupted_at_) end_rest();
        if (kill_at_ && steady_now() >= *kill_at_) kill_tree();
        if (std::exchange(waits_long_, false) && !kill_at_ && !status_) {
            ended_for_wait_ = agent_.facts();
            end_tree();
        }
        if (steady_now() >= next_report_) {
            report_lines(false);
            look_at_stay();
        }
    }
    agent_.finish(streams_[0].lines);
    agent_.look_again();
    report_lines(true);
    reporter_.agent_ended();
    return *status_;
}

void SupervisedCommand::poll_once() {
    // Slots: signals, directive, then for each stream where it comes from and where it goes; -1 is
    // skipped by poll.
    std::array<pollfd, 6> fds{};
    fds[0] = {signals_.fd(), POLLIN, 0};
    fds[1] = {stopped_by_ ? -1 : reporter_.wake_fd(), POLLIN, 0};
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        const Stream& stream = streams_[i];
        const bool full = !stream.pending.empty();
        fds[2 + 2 * i] = {full ? -1 : stream.from.get(), POLLIN, 0};
        fds[3 + 2 * i] = {full ? stream.to : -1, POLLOUT, 0};
    }
    (void)::poll(fds.data(), fds.size(), poll_timeout());
    if (std::all_of(fds.begin(), fds.end(), [](const pollfd& fd) { return fd.revents == 0; }))
        return;
    if (fds[0].revents != 0) read_signals();
    if (fds[1].revents != 0) stop();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        pump(streams_[i], fds[2 + 2 * i], fds[3 + 2 * i]);
    }
}

int SupervisedCommand::poll_timeout() const {
    if (kill_at_ && steady_now() >= *kill_at_ - kKillEvery)
        return static_cast<int>(kKillEvery.count());
    if (status_) return static_cast<int>(kQuietAfterExit.count());
    const auto left = std::chrono::ceil<milliseconds>(next_report_ - steady_now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kReportInterval.count()));
}

void SupervisedCommand::pump(Stream& stream, const pollfd& source, const pollfd& sink) {
    if (sink.revents != 0) write_pending(stream);
    if (source.revents != 0 && stream.pending.empty()) read_more(stream);
}

void SupervisedCommand::write_pending(Stream& stream) {
    const std::string_view left = std::string_view(stream.pending).substr(stream.written);
    const ssize_t written = ::write(stream.to, left.data(), std::min(left.size(), kWriteBytes));
    if (written >= 0) {
        stream.written += static_cast<std::size_t>(written);
        if (stream.written == stream.pending.size()) take(stream);
        return;
    }
    const int error = errno;
    if (error == EINTR || error == EAGAIN) return;
    // If our reader is gone, the command finds out the same way. A full disk must not end it: the
    // rest of the piece is lost, and what the agent says of itself is still read.
    if (error != EPIPE) tell_of_loss(stream, error);
    take(stream);
    if (error != EPIPE) return;
    stream.from.reset();
    unread_ = unread_ || stream.to == STDOUT_FILENO;
}

void SupervisedCommand::tell_of_loss(Stream& stream, int error) {
    if (std::exchange(stream.loses, true) || !setup_.say) return;
    setup_.say(std::string("standard ") + (stream.to == STDOUT_FILENO ? "output" : "error") +
               " cannot be written: " + std::strerror(error) +
               "; the command goes on, and its output is lost until it can be written again");
}

// After it was copied, so that reading lines delays no output.
void SupervisedCommand::take(Stream& stream) {
    if (setup_.lines && stream.to == STDOUT_FILENO) {
        agent_.feed(stream.pending, stream.lines);
    } else {
        if (setup_.lines) take_errors(stream.pending);
        if (stream.to == STDERR_FILENO) errors_.feed(stream.pending);
        stream.lines.feed(stream.pending);
    }
    stream.pending.clear();
}

// Some agents say only on standard error that they wait for the provider. It stays output, too.
void SupervisedCommand::take_errors(std::string_view bytes) {
    const std::string& agent = agent_.facts().agent;
    if (agent != "gemini" && agent != "qwen") return;  // any process may write there
    for (LineEvent& error : retries_.feed(bytes))
        agent_.add_error(std::move(error));
}

void SupervisedCommand::add_to(RunFacts& facts, const std::string& called,
                               const ExitStatus& status) {
    const std::string said = errors_.take(true).value_or("");
    facts.ended_rest = facts.agent == "claude" && says_end_of_rest(said);
    if (facts.ended_rest) facts.cut_off += facts.agents_go_on;  // no line tells their end
    const bool silent = facts.agent.empty();
    if (silent) facts.called = called;
    const bool failed = status.code != 0 && status.signal == 0;
    if (facts.result || facts.error || (!silent && !failed)) return;
    Json error = error_at_end(said, !silent);
    if (error.is_null()) return;
    add_retry_in_words(error);
    facts.error = std::move(error);
}

// A time that only a clock or the agent's own record gives.
void SupervisedCommand::complete(LineEvent& error, const std::string& agent,
                                 const std::string& session) const {
    Json& data = error.data;
    if (error.retry_in_ms && *error.retry_in_ms <= kRetryInMsMax && !data.contains("retry_at")) {
        const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
        data["retry_at"] = api::timestamp_text(now + milliseconds{*error.retry_in_ms});
        waits_long_ = setup_.wait_max > milliseconds{0} &&
                      *error.retry_in_ms > static_cast<std::uint64_t>(setup_.wait_max.count());
    }
    if (data.contains("retry_at")) return;
    if (agent == "codex" && data.flag_of("ends_turn")) {
        const std::string rollout = find_rollout(setup_.homes.codex, session);
        if (!rollout.empty()) add_stop_of_rollout(rollout, data);
    }
    if (!data.contains("retry_at")) add_retry_in_words(data);
}

// From the first line of an agent on, its calls are the evidence, and that of the command, in which
// all of them lie, would hide how they stand: it is closed, as reported on the side.
void SupervisedCommand::tell(const LineEvent& event, bool hooks_tell) {
    if (!setup_.figures.is_agent.exchange(true)) reporter_.add("tool.finished", setup_.call);
    if (setup_.keeps_errors && ends_turn(event) && kept_errors_.size() < kErrorsKept) {
        if (kept_errors_.empty()) kept_until_ = steady_now() + kErrorsKeptFor;
        return kept_errors_.push_back({event, hooks_tell});
    }
    if (is_answer(event)) tell_kept();
    if (setup_.counted_above && event.data.contains("usage")) return;
    reporter_.add(event.type, event.data, hooks_tell, agent_.has_own_ids());
}

void SupervisedCommand::tell_kept() {
    for (const KeptError& error : std::exchange(kept_errors_, {}))
        reporter_.add(error.event.type, error.event.data, error.hooks_tell, agent_.has_own_ids());
}

Json SupervisedCommand::take_kept() {
    const std::vector<KeptError> errors = std::exchange(kept_errors_, {});
    return errors.empty() ? Json{} : errors.back().event.data;
}

// Only of the conversation with which it begins: a call of the agent can print the beginning of
// another one, whose record it has written itself, and so hide what is used from there on.
UsedBefore SupervisedCommand::use_before(const RunBegins& run) {
    if (std::exchange(knows_before_, true) && run.agent != "codex") return {};
    return used_before(run, stored_use(run, setup_.homes), setup_.before);
}

void SupervisedCommand::read_more(Stream& stream) {
    stream.pending.resize(kReadBytes);
    const ssize_t size = ::read(stream.from.get(), stream.pending.data(), kReadBytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
        stream.pending.clear();
        return;
    }
    stream.pending.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    stream.written = 0;
    if (size <= 0) return stream.from.reset();
    setup_.figures.output_bytes += static_cast<std::uint64_t>(size);
    if (status_) bytes_after_exit_ += static_cast<std::uint64_t>(size);
    last_output_ = steady_now();
}

bool SupervisedCommand::output_done() const {
    for (const Stream& stream : streams_) {
        if (!stream.pending.empty()) return false;
    }
    const bool closed = !streams_[0].from.open() && !streams_[1].from.open();
    const SteadyTime now = steady_now();
    // By what the pipes hold and not by the time alone: a loaded machine may take long for a piece,
    // and so may our reader for the one before.
    const bool more = holds_bytes(streams_[0].from.get()) || holds_bytes(streams_[1].from.get());
    if (more && bytes_after_exit_ < kBytesAfterExitMax) return closed;
    const bool quiet = now - last_output_ >= kQuietAfterExit && now - exited_at_ >= kQuietAfterExit;
    return closed || quiet || now - exited_at_ >= kOutputAfterExitMax;
}

void SupervisedCommand::read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT)
            interrupted_at_ = steady_now();
        if (signal == SIGCHLD) {
            reap();
        } else if (!status_ && is_for_us_alone(info)) {
            ::kill(pid_, signal);
        }
    }
}

void SupervisedCommand::reap() {
    // Orphans of the tree come to us as well, because we are a subreaper.
    int wait_status = 0;
    for (pid_t pid = ::waitpid(-1, &wait_status, WNOHANG); pid > 0;
         pid = ::waitpid(-1, &wait_status, WNOHANG)) {
        if (pid != pid_) continue;
        status_ = exit_status_of(wait_status);
        exited_at_ = steady_now();
    }
}

void SupervisedCommand::stop() {
    stopped_by_ = reporter_.stop_directive();
    if (!stopped_by_) return;
    if (!stopped_by_->id.empty())
        reporter_.add("directive.acknowledged", {{"id", stopped_by_->id}});
    end_tree();
}

/// Agents have been seen that hang after their result: no check would run, and the night is over.
void SupervisedCommand::look_at_stay() {
    if (setup_.stay_max <= milliseconds{0} || told_of_stay_ || kill_at_ || status_) return;
    if (!agent_.is_done() || steady_now() - last_output_ < setup_.stay_max) return;
    told_of_stay_ = true;
    setup_.say(std::string("the agent has printed its result and does not end") +
               (setup_.end_stay ? "; it is ended" : ""));
    if (!setup_.end_stay) return;
    kept_ = agent_.facts();  // what it prints at the signal is not its result
    end_tree();
}

/// Some agents are started by a wrapper, which passes no signal on: the agent would work on without
/// a watch.
void SupervisedCommand::end_rest() {
    if (exited_at_ - *interrupted_at_ > kEndsOfSignalWithin || std::exchange(ended_rest_, true))
        return;
    if (kill_at_ || !setup_.own_program || tree().empty()) return;
    end_tree();
    kill_at_ = std::max(*interrupted_at_ + kKillRestAfter, steady_now() + kRestAfterExit);
}

void SupervisedCommand::end_tree() {
    signal_tree(SIGTERM);
    kill_at_ = steady_now() + kKillAfter;
}

void SupervisedCommand::kill_tree() {
    const SteadyTime now = steady_now();
    if (now < next_kill_) return;
    next_kill_ = now + kKillEvery;
    const bool left = !tree().empty();
    if (left) signal_tree(SIGKILL);
    if (!left || now - *kill_at_ >= kKillFor) kill_at_.reset();
}

/// True while a process of the agent goes on although it was ended with its tree, and SIGKILL is
/// due.
bool SupervisedCommand::outlived() const {
    return kill_at_ && !tree().empty();
}

/// A stop ends all that the agent has begun; a resume spares other runs, unless it is one itself.
std::vector<pid_t> SupervisedCommand::tree() const {
    const ProcTree proc;
    if (stopped_by_) return proc.descendants(::getpid());
    std::vector<pid_t> tree = proc.descendants_of_run(::getpid());
    if (!status_ && !std::count(tree.begin(), tree.end(), pid_)) tree.push_back(pid_);
    return tree;
}

void SupervisedCommand::signal_tree(int signal) const {
    for (const pid_t pid : tree())
        ::kill(pid, signal);
}

void SupervisedCommand::report_lines(bool all) {
    next_report_ = steady_now() + kReportInterval;
    agent_.tick();
    if (!status_ && steady_now() >= kept_until_) tell_kept();
    if (setup_.in_conversation && agent_.conversation() != conversation_) {
        if (conversation_.empty())
            setup_.in_conversation(agent_.facts().agent, agent_.first_conversation());
        conversation_ = agent_.conversation();
        setup_.in_conversation(agent_.facts().agent, conversation_);
    }
    if (setup_.each_second) setup_.each_second();
    for (Stream& stream : streams_) {
        if (const auto text = stream.lines.take(all)) {
            reporter_.add("message", {{"role", stream.role}, {"text", *text}});
        }
    }
}

}  // namespace headway::cli

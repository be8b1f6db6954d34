// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/commands/command_run.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "api/text/plain_text.hpp"
#include "config/values/duration.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"
#include "server/outbound/webhooks/webhook_request.hpp"
#include "system/subprocess.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;
using Instant = Clock::Steady::time_point;

constexpr int kTryAgain = 75;  // EX_TEMPFAIL of sysexits.h
/// One byte more than is kept shows whether the last character is whole.
constexpr std::size_t kOutputReadMax = limits::kWebhookOutputBytesMax + 1;
/// Reads of one turn, so that a command that prints without end does not hold up the others.
constexpr int kReadsMax = 16;
/// Between two looks at a process that the kernel tells nothing about.
constexpr std::chrono::milliseconds kBlindTurn{20};
/// How long the end of a killed process is waited for; it may hang in the kernel.
constexpr std::chrono::milliseconds kLastWait{1'000};

system::Pipe make_pipe() {
    system::Pipe pipe;
    if (const int error = system::make_pipe(pipe); error != 0)
        throw std::system_error(error, std::generic_category(), "no pipe");
    return pipe;
}

void do_not_block(const system::FileDescriptor& file) {
    const int flags = ::fcntl(file.get(), F_GETFL);
    static_cast<void>(::fcntl(file.get(), F_SETFL, flags | O_NONBLOCK));
}

/// Variables of the command: few, and none of them of an agent.
system::Environment variables_for(const WebhookTarget& target, const WebhookJob& job) {
    system::Environment variables{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                  {"LANG", "C.UTF-8"},
                                  {"HEADWAY_WEBHOOK", target.endpoint().name},
                                  {"HEADWAY_MESSAGE_ID", job.id}};
    if (const char* home = std::getenv("HOME"); home != nullptr) variables.emplace("HOME", home);
    return variables;
}

/// The child has three descriptors of ours and the root folder. It leads a group.
pid_t start(const WebhookTarget& target, const WebhookJob& job, int input, int output) {
    const std::vector<std::string>& argv = target.endpoint().argv;
    const system::Started started = system::start({.argv = argv,
                                                   .environment = variables_for(target, job),
                                                   .streams = {input, output, output},
                                                   .mask = system::no_signals(),
                                                   .default_signals = true,
                                                   .own_group = true,
                                                   .folder = "/"});
    if (started.error != 0)
        throw std::system_error(started.error, std::generic_category(),
                                "cannot run " + argv.front());
    return started.pid;
}

}  // namespace

CommandRun::CommandRun(const WebhookTarget& target, WebhookJob job, std::string_view link)
    : target_(target),
      job_(std::move(job)),
      input_(request_for(target, job_, link).body),
      started_(Clock::steady()),
      deadline_(started_ + target.endpoint().timeout) {
    drop_bodies(job_);
    system::Pipe input = make_pipe();
    system::Pipe output = make_pipe();
    do_not_block(input.write);
    do_not_block(output.read);
    pid_ = start(target, job_, input.read.get(), output.write.get());
    stdin_ = std::move(input.write);
    stdout_ = std::move(output.read);
    process_ = system::FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
}

CommandRun::~CommandRun() {
    if (pid_ == 0) return;
    kill_group();
    const Instant until = Clock::steady() + kLastWait;
    while (pid_ != 0 && Clock::steady() < until) {
        if (has_exited()) {
            reap();
        } else {
            pollfd wait{process_.get(), POLLIN, 0};
            ::poll(&wait, 1, static_cast<int>(kBlindTurn.count()));
        }
    }
}

void CommandRun::wait_on(std::vector<pollfd>& polls) const {
    if (stdin_.open()) polls.push_back({stdin_.get(), POLLOUT, 0});
    if (stdout_.open()) polls.push_back({stdout_.get(), POLLIN, 0});
    if (process_.open()) polls.push_back({process_.get(), POLLIN, 0});
}

Instant CommandRun::next_turn() const {
    if (!process_.open()) return Clock::steady() + kBlindTurn;
    return timed_out_ ? Instant::max() : deadline_;
}

bool CommandRun::turn() {
    write_some();
    read_some();
    if (has_exited()) {
        read_some();   // what was on its way
        kill_group();  // what it has left running; the process is not reaped, so the number is its
                       // own
        reap();
        return true;
    }
    if (!timed_out_ && Clock::steady() >= deadline_) {
        timed_out_ = true;
        kill_group();
    }
    return false;
}

/// A command need not read its input.
void CommandRun::write_some() {
    while (stdin_.open()) {
        const ssize_t bytes =
            ::write(stdin_.get(), input_.data() + written_, input_.size() - written_);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes > 0) written_ += static_cast<std::size_t>(bytes);
        if (bytes < 0 || written_ == input_.size()) stdin_ = system::FileDescriptor{};
    }
}

void CommandRun::read_some() {
    std::array<char, 16'384> buffer{};
    for (int i = 0; stdout_.open() && i < kReadsMax; ++i) {
        const ssize_t bytes = ::read(stdout_.get(), buffer.data(), buffer.size());
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes <= 0) {
            stdout_ = system::FileDescriptor{};
            return;
        }
        const std::size_t room = kOutputReadMax - output_.size();
        output_.append(buffer.data(), std::min(static_cast<std::size_t>(bytes), room));
    }
}

/// Leaves it to be reaped.
bool CommandRun::has_exited() {
    siginfo_t info{};
    const int done = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (done != 0) return errno != EINTR;  // reaped by us alone, so this is not expected
    if (info.si_pid == 0) return false;
    (info.si_code == CLD_EXITED ? exit_code_ : signal_) = info.si_status;
    return true;
}

void CommandRun::kill_group() const {
    ::kill(-pid_, SIGKILL);
}

void CommandRun::reap() {
    static_cast<void>(system::wait_for_end(pid_));
    pid_ = 0;
}

WebhookResult CommandRun::blank() const {
    WebhookResult result;
    result.job = job_;
    result.elapsed = std::chrono::duration_cast<core::Millis>(Clock::steady() - started_);
    return result;
}

WebhookResult CommandRun::cancelled() const {
    return blank();
}

WebhookResult CommandRun::result() const {
    WebhookResult result = blank();
    if (exit_code_ == 0 && !timed_out_) {
        result.outcome = WebhookOutcome::kDelivered;
        return result;
    }
    // Any other status is about this message, so that later ones are not held up by it.
    const bool later = exit_code_ == kTryAgain || exit_code_ < 0 || timed_out_;
    result.outcome = later ? WebhookOutcome::kAway : WebhookOutcome::kRefused;
    if (timed_out_) {
        result.reason = "did not end within its timeout of " +
                        config::print_duration(target_.endpoint().timeout) + " and was killed";
    } else if (exit_code_ < 0 && signal_ == 0) {
        result.reason = "ended with an unknown status";
    } else if (exit_code_ < 0) {
        result.reason = "was ended by signal " + std::to_string(signal_);
    } else {
        result.reason = "exit status " + std::to_string(exit_code_);
    }
    // Programs print their input when they fail, and anyone may read the reason.
    if (target_.links() != nullptr && input_.find("/decide?id=") != std::string::npos) {
        result.reason += "; its output is not kept, since the message has a decision link";
        return result;
    }
    const std::string_view kept = core::cut_text(output_, limits::kWebhookOutputBytesMax);
    const std::string text =
        core::sanitized(api::as_utf8(kept), "/", limits::kWebhookOutputBytesMax);
    if (const auto words = core::trimmed(text); !words.empty())
        result.reason.append(": ").append(words);
    return result;
}

}  // namespace headway::server

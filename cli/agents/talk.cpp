// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/talk.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "cli/base/exit_code.hpp"
#include "cli/process/process.hpp"
#include "system/subprocess.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kTalkBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kAnswerBytesMax = 64 * 1024;
constexpr milliseconds kLook{10};  // how often an end is looked for

int milliseconds_until(SteadyTime until) {
    const auto left = std::chrono::ceil<milliseconds>(until - steady_now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

// A socket, so that a program which does not read its input is no SIGPIPE.
Talk::Talk(const std::vector<std::string>& argv,
           const std::map<std::string, std::string>& environment) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    channel_ = system::FileDescriptor{ends[0]};
    const auto theirs = system::above_standard(system::FileDescriptor{ends[1]});
    if (!theirs.open()) return;
    pid_ = system::start({.argv = argv,
                          .environment = environment,
                          .streams = {theirs.get(), theirs.get(), system::kNowhere},
                          .own_group = true})
               .pid;
}

Talk::~Talk() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    static_cast<void>(system::wait_for_end(pid_));
}

bool Talk::say(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count =
            ::send(channel_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            pollfd wait{channel_.get(), POLLOUT, 0};
            if (::poll(&wait, 1, 1'000) <= 0) return false;
            continue;
        }
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

void Talk::hang_up() {
    ::shutdown(channel_.get(), SHUT_WR);
}

bool Talk::read_more(SteadyTime until) {
    if (pid_ < 0 || read_ >= kTalkBytesMax) return false;
    pollfd wait{channel_.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, milliseconds_until(until));
    if (ready < 0 && errno == EINTR) return true;
    if (ready <= 0) return false;
    std::array<char, 16'384> block{};
    const ssize_t count = ::read(channel_.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    buffer_.append(block.data(), static_cast<std::size_t>(count));
    read_ += static_cast<std::size_t>(count);
    return true;
}

std::optional<std::string> Talk::line(SteadyTime until) {
    std::size_t searched = 0;
    while (true) {
        const std::size_t end = buffer_.find('\n', searched);
        if (end != std::string::npos) {
            std::string found = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return found;
        }
        searched = buffer_.size();
        if (!read_more(until)) return {};
    }
}

std::string Talk::rest(SteadyTime until, std::size_t bytes_max) {
    while (buffer_.size() < bytes_max && read_more(until)) {
    }
    return buffer_.substr(0, bytes_max);
}

std::optional<int> Talk::finish(SteadyTime until) {
    if (pid_ < 0) return kExitNotFound;
    while (true) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            ::kill(-pid_, SIGKILL);  // what it left behind
            pid_ = -1;
            return exit_status_of(status).code;
        }
        if (steady_now() >= until) return {};
        std::this_thread::sleep_for(kLook);
    }
}

CommandOutput ask_command(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          std::string_view input, milliseconds patience) {
    const SteadyTime until = steady_now() + patience;
    Talk talk{argv, environment};
    talk.say(input);
    talk.hang_up();
    CommandOutput answer;
    answer.out = talk.rest(until, kAnswerBytesMax);
    answer.status = talk.finish(until);
    return answer;
}

}  // namespace headway::cli

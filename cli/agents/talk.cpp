// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/talk.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
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

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kTalkBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kAnswerBytesMax = 64 * 1024;
constexpr milliseconds kLook{10};  // how often an end is looked for

/// RAII for the two C structs of posix_spawn.
struct TalkSetup {
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};

    explicit TalkSetup(int channel) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    }
    TalkSetup(const TalkSetup&) = delete;
    TalkSetup& operator=(const TalkSetup&) = delete;
    ~TalkSetup() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
};

std::vector<char*> word_pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

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
    channel_ = FileDescriptor{ends[0]};
    const FileDescriptor theirs{ends[1]};
    std::vector<std::string> words = argv;
    std::vector<std::string> variables;
    variables.reserve(environment.size());
    for (const auto& [name, value] : environment)
        variables.emplace_back(name).append("=").append(value);
    const TalkSetup setup{theirs.get()};
    const std::vector<char*> arguments = word_pointers(words);
    const std::vector<char*> settings = word_pointers(variables);
    if (::posix_spawn(&pid_, words.front().c_str(), &setup.actions, &setup.attributes,
                      arguments.data(), settings.data()) != 0)
        pid_ = -1;
}

Talk::~Talk() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
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

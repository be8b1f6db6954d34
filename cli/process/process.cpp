// SPDX-License-Identifier: Apache-2.0
#include "cli/process/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cli/base/exit_code.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kOwnVariables = "HEADWAY_";

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

int make_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    pipe.read = FileDescriptor(ends[0]);
    pipe.write = FileDescriptor(ends[1]);
    return 0;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

// RAII for the two C structs of posix_spawn.
struct SpawnSetup {
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};

    // Of standard input, output and error; -1 is ours.
    SpawnSetup(const std::array<int, 3>& streams, const sigset_t& mask,
               const std::vector<int>& inherited) {
        posix_spawn_file_actions_init(&actions);
        for (int to = 0; to < 3; ++to) {
            const int from = streams[static_cast<std::size_t>(to)];
            if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
        }
        close_others(inherited);
        posix_spawnattr_init(&attributes);
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setsigmask(&attributes, &mask);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;
    ~SpawnSetup() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }

private:
    // All of them, whether they are open or not: another thread may open one meanwhile.
    void close_others(const std::vector<int>& inherited) {
        int next = STDERR_FILENO + 1;
        for (const int kept : inherited) {
            for (; next < kept; ++next)
                posix_spawn_file_actions_addclose(&actions, next);
            next = kept + 1;
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, next);
    }
};

void start(Process& process, const std::vector<std::string>& argv,
           const std::map<std::string, std::string>& environment, const SpawnSetup& setup) {
    std::vector<std::string> words = argv;
    std::vector<std::string> variables;
    variables.reserve(environment.size());
    for (const auto& [name, value] : environment) {
        std::string& variable = variables.emplace_back(name);
        variable.append("=").append(value);
    }
    const std::vector<char*> argument_list = pointers(words);
    const std::vector<char*> variable_list = pointers(variables);
    process.error = ::posix_spawnp(&process.pid, words.front().c_str(), &setup.actions,
                                   &setup.attributes, argument_list.data(), variable_list.data());
    if (process.error != 0) process.pid = -1;
}

}  // namespace

std::vector<int> inherited_descriptors() {
    constexpr int kDescriptorMax = 1'023;  // of a shell; above are servers' own
    std::vector<int> open;
    for (int number = STDERR_FILENO + 1; number <= kDescriptorMax; ++number) {
        const int flags = ::fcntl(number, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) open.push_back(number);
    }
    return open;
}

Process spawn_process(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited) {
    Process process;
    Pipe out;
    Pipe err;
    process.error = make_pipe(out);
    if (process.error == 0) process.error = make_pipe(err);
    if (process.error != 0) return process;
    start(process, argv, environment,
          SpawnSetup({-1, out.write.get(), err.write.get()}, mask, inherited));
    if (process.error != 0) return process;
    process.out = std::move(out.read);
    process.err = std::move(err.read);
    return process;
}

Process spawn_between(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited) {
    Process process;
    Pipe in;
    Pipe out;
    process.error = make_pipe(in);
    if (process.error == 0) process.error = make_pipe(out);
    if (process.error != 0) return process;
    start(process, argv, environment,
          SpawnSetup({in.read.get(), out.write.get(), -1}, mask, inherited));
    if (process.error != 0) return process;
    process.in = std::move(in.write);
    process.out = std::move(out.read);
    return process;
}

std::map<std::string, std::string> without_own_variables(std::map<std::string, std::string> all) {
    std::erase_if(all, [](const auto& variable) {
        return variable.first.starts_with(kOwnVariables) && variable.first != "HEADWAY_CA_FILE";
    });
    return all;
}

void wipe_own_variables() {
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (!text.starts_with(kOwnVariables) || equals == text.npos) continue;
        ::explicit_bzero(*entry + equals + 1, text.size() - equals - 1);
    }
}

ExitStatus exit_status_of(int wait_status) {
    ExitStatus status;
    if (WIFSIGNALED(wait_status)) {
        status.signal = WTERMSIG(wait_status);
        status.code = 128 + status.signal;
    } else {
        status.code = WEXITSTATUS(wait_status);
    }
    return status;
}

std::string ExitStatus::text() const {
    if (signal == 0) return "exit status " + std::to_string(code);
    const char* const name = ::sigdescr_np(signal);
    return "killed by signal " + std::to_string(signal) +
           (name == nullptr ? "" : " (" + std::string(name) + ")");
}

}  // namespace headway::cli

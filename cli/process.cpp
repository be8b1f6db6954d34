// SPDX-License-Identifier: Apache-2.0
#include "cli/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/exit_code.hpp"

namespace headway::cli {
namespace {

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
    SpawnSetup(const std::array<int, 3>& streams, const sigset_t& mask) {
        posix_spawn_file_actions_init(&actions);
        for (int to = 0; to < 3; ++to) {
            const int from = streams[static_cast<std::size_t>(to)];
            if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
        }
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

Process spawn_process(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask) {
    Process process;
    Pipe out;
    Pipe err;
    process.error = make_pipe(out);
    if (process.error == 0) process.error = make_pipe(err);
    if (process.error != 0) return process;
    start(process, argv, environment, SpawnSetup({-1, out.write.get(), err.write.get()}, mask));
    if (process.error != 0) return process;
    process.out = std::move(out.read);
    process.err = std::move(err.read);
    return process;
}

Process spawn_between(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask) {
    Process process;
    Pipe in;
    Pipe out;
    process.error = make_pipe(in);
    if (process.error == 0) process.error = make_pipe(out);
    if (process.error != 0) return process;
    start(process, argv, environment, SpawnSetup({in.read.get(), out.write.get(), -1}, mask));
    if (process.error != 0) return process;
    process.in = std::move(in.write);
    process.out = std::move(out.read);
    return process;
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

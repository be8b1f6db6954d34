// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "cli/file_descriptor.hpp"

namespace headway::cli {

/// A started command with the read ends of its output.
struct Process {
    pid_t pid = -1;
    FileDescriptor in;  ///< the write end of its input, if that is a pipe
    FileDescriptor out;
    FileDescriptor err;  ///< not open where standard error is ours
    int error = 0;       ///< errno when it could not be started; `pid` is then -1
};

/// Starts argv[0], found in PATH, with standard input passed through and output into pipes. The
/// child gets `mask` as its signal mask and the default action for SIGPIPE.
Process spawn_process(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask);

/// The same with standard input and output through pipes, and our own standard error.
Process spawn_between(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask);

/// How a command ended, from the status of waitpid(2).
struct ExitStatus {
    int code = 0;              ///< what a shell would show: the exit status, or 128 plus the signal
    int signal = 0;            ///< 0 when it exited by itself
    std::string text() const;  ///< "exit status 2", "killed by signal 9 (Killed)"
};
ExitStatus exit_status_of(int wait_status);

}  // namespace headway::cli

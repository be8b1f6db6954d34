// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "system/file_descriptor.hpp"

namespace headway::cli {

/// A started command with the read ends of its output.
struct Process {
    pid_t pid = -1;
    system::FileDescriptor in;  ///< the write end of its input, if that is a pipe
    system::FileDescriptor out;
    system::FileDescriptor err;  ///< not open if the command shares this process's standard error
    int error = 0;               ///< errno when it could not be started; `pid` is then -1
};

/// The open descriptors from 3 to 1023 that child processes inherit, such as those that a shell
/// opens for `<(...)`. To be called early, because libraries may open descriptors and never close
/// them.
std::vector<int> inherited_descriptors();

/// Starts argv[0], found in PATH, with standard input passed through and output into pipes. The
/// child gets `mask` as its signal mask and the default action for SIGPIPE. It gets no descriptor
/// above 2 except those in `inherited`, which are in ascending order. Its working folder is
/// `folder` or, if that is empty, the working folder of this process. If `environment` has
/// `names_output`, its value gets the number of the pipe of standard output.
Process spawn_process(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited = {}, const std::string& folder = {},
                      const std::string& names_output = {});

/// True if this process's standard output is the pipe that HEADWAY_RUN names: a `headway run` that
/// reports to the daemon `url` reads the same output. `environment` is that of this process.
bool run_reads_output(const std::map<std::string, std::string>& environment,
                      const std::string& url);

/// spawn_process(), but with standard input and output through pipes, and with this process's
/// standard error.
Process spawn_between(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const sigset_t& mask,
                      const std::vector<int>& inherited = {});

/// `all` without the variables that only Headway needs, such as its token; HEADWAY_CA_FILE stays.
std::map<std::string, std::string> without_own_variables(std::map<std::string, std::string> all);

/// Overwrites the values of Headway's variables in this process's environment, and makes this
/// process's memory unreadable for the user's other programs. Otherwise programs that this process
/// starts could read both in /proc. Values that are still needed must be copied first. No other
/// thread may run.
void hide_own_variables();

/// How a command ended, from the status of waitpid(2).
struct ExitStatus {
    int code = 0;    ///< exit code as a shell shows it: the exit status, or 128 plus the signal
    int signal = 0;  ///< the signal that killed it; 0: it exited by itself
    std::string text() const;  ///< "exit status 2", "killed by signal 9 (Killed)"
};
ExitStatus exit_status_of(int wait_status);

/// The signals of this process while a command runs: blocked for every thread and read from a
/// descriptor; those that this process was started to ignore stay ignored, as `nohup` asks. Create
/// it before any thread; its destructor restores the mask.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    int fd() const { return fd_.get(); }
    const sigset_t& outer_mask() const { return outer_; }
    /// True for a guarded signal that this process was started to ignore.
    bool ignores(int signal) const { return ::sigismember(&ignored_, signal) == 1; }

private:
    sigset_t outer_{};
    sigset_t ignored_{};
    system::FileDescriptor fd_;
};

/// True if the signal was sent to this process only, not also to a command in its process group:
/// another process has sent it, or it is the hangup of a terminal, which only the session leader
/// gets. Keys such as Ctrl-C signal the whole group.
bool is_for_us_alone(const signalfd_siginfo& info);

}  // namespace headway::cli

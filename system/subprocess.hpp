// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "system/file_descriptor.hpp"

namespace headway::system {

using Environment = std::map<std::string, std::string>;

/// Used in place of a descriptor for a program's standard input, output or error.
inline constexpr int kOurs = -1;
inline constexpr int kNowhere = -2;  ///< /dev/null

/// How a program is started. It gets a descriptor above standard error only if `inherited` has it.
struct Launch {
    std::vector<std::string> argv{};                  ///< argv[0] is a path, or a name in our PATH
    std::optional<Environment> environment{};         ///< absent: ours
    std::array<int, 3> streams{kOurs, kOurs, kOurs};  ///< descriptors (> 2), kOurs or kNowhere
    std::vector<int> inherited{};    ///< descriptors that keep their numbers, in rising order
    std::optional<sigset_t> mask{};  ///< the program's blocked signals; absent: ours
    bool default_signals = false;    ///< the default action for all signals, not only SIGPIPE
    bool own_group = false;          ///< the program leads a process group, which can be killed
    bool ends_with_us = false;       ///< SIGTERM if the thread that started the program dies
    std::string folder{};            ///< working directory; empty: ours
};

/// A started program, or why it could not be started.
struct Started {
    pid_t pid = -1;
    int error = 0;  ///< errno if the start failed; `pid` is then -1
};

/// Starts a program; the caller waits for its end. Never throws for system errors. With
/// `ends_with_us`, a program that cannot be run ends with status 127. Any thread.
Started start(const Launch& launch);

/// The empty set of signals, for Launch::mask.
sigset_t no_signals();

/// Waits for a child to end, reaps it, and returns its status from waitpid(2); nothing if `pid` is
/// not a child.
std::optional<int> wait_for_end(pid_t pid);

/// Both ends are closed in the programs that we start, and are above standard error even if
/// standard descriptors were closed.
struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

/// Makes a pipe; returns 0 or errno.
int make_pipe(Pipe& pipe);

/// The same file with a number above standard error, for Launch::streams; not open if no number is
/// free.
FileDescriptor above_standard(FileDescriptor file);

}  // namespace headway::system

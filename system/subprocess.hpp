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

/// In place of a descriptor for the standard input, output or error of a program.
inline constexpr int kOurs = -1;
inline constexpr int kNowhere = -2;  ///< /dev/null

/// How a program is started. It gets no descriptor above standard error but those named here.
struct Launch {
    std::vector<std::string> argv{};           ///< argv[0] is a path, or a name to find in our PATH
    std::optional<Environment> environment{};  ///< nothing: ours
    std::array<int, 3> streams{kOurs, kOurs, kOurs};  ///< each a descriptor above 2, or as above
    std::vector<int> inherited{};  ///< descriptors that it keeps by their numbers, in rising order
    std::optional<sigset_t> mask{};  ///< of signals that it has blocked; nothing: ours
    bool default_signals = false;    ///< the default action for all signals, not for SIGPIPE alone
    bool own_group = false;          ///< it leads a process group, so that this can be killed
    bool ends_with_us = false;       ///< it gets SIGTERM when the thread that started it dies
    std::string folder{};            ///< where it starts; empty: in ours
};

/// A started program, or why there is none.
struct Started {
    pid_t pid = -1;
    int error = 0;  ///< errno when it could not be started; `pid` is then -1
};

/// Starts a program; the caller waits for it. Never throws for trouble of the system. One that ends
/// with us and cannot be run ends with status 127. Any thread.
Started start(const Launch& launch);

/// No signal, for Launch::mask.
sigset_t no_signals();

/// Waits for the end of a child, and reaps it: the status of waitpid(2). Nothing: it is no child.
std::optional<int> wait_for_end(pid_t pid);

/// Both ends close with the programs that we start, and are above standard error, whatever of that
/// was closed before.
struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

/// Makes a pipe; 0, or errno.
int make_pipe(Pipe& pipe);

/// The same file by a number above standard error, for Launch::streams; not open: none is left.
FileDescriptor above_standard(FileDescriptor file);

}  // namespace headway::system

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

/// Stands for the standard input, output or error of this process, in place of a descriptor in
/// Launch::streams.
inline constexpr int kOurs = -1;
inline constexpr int kNowhere = -2;  ///< stands for /dev/null

/// How a program is started. The program gets no descriptors above standard error except those in
/// `inherited`.
struct Launch {
    /// The words of the command. The first is a path, or a name to be found in this process's PATH.
    std::vector<std::string> argv{};
    std::optional<Environment>
        environment{};  ///< environment of the program; absent: that of this process
    std::array<int, 3> streams{kOurs, kOurs, kOurs};  ///< descriptors (> 2), kOurs or kNowhere
    std::vector<int> inherited{};    ///< descriptors that keep their numbers, in rising order
    std::optional<sigset_t> mask{};  ///< signals that the program blocks; absent: as in this
                                     ///< process
    /// Whether all signals get their default action, not only SIGPIPE.
    bool default_signals = false;
    /// Whether the program leads its own process group, which can be killed.
    bool own_group = false;
    /// Whether the program gets SIGTERM when the thread that started it ends.
    bool ends_with_us = false;
    std::string folder{};  ///< working directory; empty: that of this process
};

/// A started program, or the error with which the start failed.
struct Started {
    pid_t pid = -1;
    int error = 0;  ///< errno if the start failed; `pid` is then -1
};

/// Starts a program; the caller must wait for its end. Never throws for system errors. With
/// `ends_with_us`, a program that cannot be run ends with status 127. Any thread.
Started start(const Launch& launch);

/// The empty set of signals, for Launch::mask.
sigset_t no_signals();

/// Waits until a child has ended, reaps it, and returns its status from waitpid(2). Returns nothing
/// if `pid` is not a child. Blocks.
std::optional<int> wait_for_end(pid_t pid);

/// A pipe. Both ends are closed in the programs that this process starts. The numbers of both ends
/// are above standard error, even if standard descriptors were closed.
struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

/// Makes a pipe; returns 0 or errno.
int make_pipe(Pipe& pipe);

/// Moves an open file to a descriptor number above standard error, for Launch::streams. If no such
/// number is free, the result is not open.
FileDescriptor above_standard(FileDescriptor file);

}  // namespace headway::system

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/clock.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {

/// A short talk with another program over its standard input and output; what it writes to standard
/// error is dropped. It has a process group of its own, which is killed with this. Bounded: at most
/// 4 MiB are read.
class Talk {
public:
    /// argv[0] is a path. A program that cannot be started has no output, and ends with 127.
    Talk(const std::vector<std::string>& argv,
         const std::map<std::string, std::string>& environment);
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk();

    /// False when it does not read any more.
    bool say(std::string_view text);
    /// It sees the end of its input.
    void hang_up();
    /// The next line without its end. Nothing: none came by `until`, or its output has ended.
    std::optional<std::string> line(SteadyTime until);
    /// The rest of its output, up to `bytes_max`.
    std::string rest(SteadyTime until, std::size_t bytes_max);
    /// The exit status as a shell shows it. Nothing: it was still running, and was killed.
    std::optional<int> finish(SteadyTime until);

private:
    bool read_more(SteadyTime until);

    system::FileDescriptor channel_;  ///< its standard input and output
    pid_t pid_ = -1;
    std::string buffer_;
    std::size_t read_ = 0;  ///< bytes of it in all
};

/// Output of a command that gets `input`, within `patience`, and its exit status.
struct CommandOutput {
    std::optional<int> status;  ///< nothing: it took too long
    std::string out;
};
CommandOutput ask_command(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          std::string_view input, std::chrono::milliseconds patience);

}  // namespace headway::cli

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

/// A short exchange with another program over its standard input and output. Its standard error is
/// dropped. The program has its own process group, which the destructor kills. Bounded: at most 4
/// MiB are read.
class Talk {
public:
    /// argv[0] is a path. A program that cannot be started has no output, and ends with 127.
    Talk(const std::vector<std::string>& argv,
         const std::map<std::string, std::string>& environment);
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk();

    /// Writes `text`; false if the program does not read any more.
    bool say(std::string_view text);
    /// Ends the program's input.
    void hang_up();
    /// The next line without its line end; nothing if no line came by `until`, or the output has
    /// ended.
    std::optional<std::string> line(SteadyTime until);
    /// The rest of the output, up to `bytes_max`.
    std::string rest(SteadyTime until, std::size_t bytes_max);
    /// The exit status as a shell shows it; nothing if the program was still running, and was
    /// killed.
    std::optional<int> finish(SteadyTime until);

private:
    bool read_more(SteadyTime until);

    system::FileDescriptor channel_;  ///< the program's standard input and output
    pid_t pid_ = -1;
    std::string buffer_;
    std::size_t read_ = 0;  ///< total number of bytes read
};

/// The output and the exit status of a command. It gets `input`, and must end within `patience`.
struct CommandOutput {
    std::optional<int> status;  ///< exit status; nothing: the command took too long
    std::string out;
};
CommandOutput ask_command(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          std::string_view input, std::chrono::milliseconds patience);

}  // namespace headway::cli

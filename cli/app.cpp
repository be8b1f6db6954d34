// SPDX-License-Identifier: Apache-2.0
#include "cli/app.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/line/command_line.hpp"
#include "hook/text/bytes.hpp"

namespace headway::cli {

namespace {

int run_verb(int argc, char** argv, const Console& console, const Server& server) {
    try {
        const Parsed parsed = parse_arguments(argc, argv, console);
        if (!parsed.verb) return parsed.exit_code;
        return parsed.verb->run(console, server);
    } catch (const std::exception& error) {
        return complain(console, kExitFailed, error.what());
    }
}

/// True for a hook without whose answer the call must not run.
bool is_required_hook(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
    return !words.empty() && words.front() == "hook" &&
           std::find(words.begin(), words.end(), "--require") != words.end();
}

/// False behind a pipe whose reader has enough, as of `| head -1`.
bool output_is_read() {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) < 0 || (out.revents & POLLERR) == 0;
}

}  // namespace

int run(int argc, char** argv, const Server& server) {
    // A parent that ignores it hands that down, and the status of each child would be lost.
    ::signal(SIGCHLD, SIG_DFL);
    hook::hold_standard_descriptors();
    const Console console = standard_console();
    int code = run_verb(argc, argv, console, server);
    if (code != kExitOk && is_required_hook(argc, argv)) code = kExitMustNotRun;
    if (console.out.flush() || !output_is_read()) return code;
    // The result of a verb is worth more to a script than the failure to show it.
    return complain(console, code == kExitOk ? kExitOutput : code,
                    "standard output cannot be written: what is there is not all of it",
                    "is the disk full, or is it closed? The command itself is done");
}

}  // namespace headway::cli

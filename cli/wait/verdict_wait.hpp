// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/wait/wait.hpp"

// The rules of `headway wait` that need no daemon.

namespace headway::cli {

class Json;

/// The `until` list without `verdict`. The sets `settled` and `ended` are replaced by their
/// verdicts. Pure.
std::string until_without(std::string_view until, std::string_view verdict);

/// Every verdict except `verdict`, as an `until` list. Pure.
std::string all_verdicts_but(std::string_view verdict);
/// All verdicts, for people. Pure.
std::string all_verdicts();

/// The exit code: 1 failed or halted, 2 stuck, 3 cancelled, 4 blocked or waiting, 5 silent, 0 any
/// other verdict. A text that is not a verdict of this version gives 70 (an error of the daemon),
/// because it does not show success. Pure.
int exit_code_of(std::string_view verdict);
inline constexpr const char* kUnknownVerdict =
    "the daemon's reply names no verdict that this version knows; is the daemon newer?";
/// The exit code of a session's `matched`, which is null if only `event` was met. Pure.
int exit_code_of_match(const Json& matched);

/// Reply of /wait, for one session or several.
struct WaitAnswer {
    bool met = false;
    bool impossible = false;
    bool stuck = false;  ///< a session with an awaited verdict is stuck
    /// Exit code; for several sessions the worst with --all, the best with --any.
    int exit_code = 0;
    std::vector<std::string> lines;     ///< one for each session: "build: completed (tests pass)"
    std::vector<std::string> silent;    ///< sessions given up because their agents are silent
    std::vector<std::string> unmet;     ///< ids without an awaited verdict so far
    std::vector<std::string> unopened;  ///< ids without a session so far
    std::vector<std::string> never_opened;  ///< sessions given up because they were not opened in
                                            ///< time
    /// Sessions that are given up later than --silent-for demands, because their silence proves
    /// nothing yet, each with the length of silence after which it is given up.
    std::vector<std::pair<std::string, milliseconds>> patient;
};
WaitAnswer read_wait_reply(const Json& reply, bool any);

/// The path of one long poll. `until` differs from the list in `options` after a person has chosen
/// to keep waiting. `waited`: time since the wait began; it shortens the wait for sessions that are
/// not open. Pure.
std::string wait_path(const WaitOptions& options, std::string_view until, milliseconds wait,
                      milliseconds waited);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hook/way/places.hpp"

// An operator's command whose exit status shows whether an agent may stop. The daemon decides
// whether the command is run, and whether the agent goes on.

namespace headway::hook {

inline constexpr std::size_t kGoalCommandBytesMax = 500;
inline constexpr std::size_t kGoalOutputBytes = 1'200;
inline constexpr int kGoalMs = 600'000;

/// Result of one run of the command.
struct GoalRun {
    int status = 0;          ///< exit status; 128 plus the signal if a signal ended the command
    bool timed_out = false;  ///< the command was killed after `limit_ms`
    std::string output;      ///< the last kGoalOutputBytes of standard output and error
};

/// True if the hook ends a turn of the main agent, and `agent` can be made to go on at this hook.
/// Pure.
bool is_turn_end(std::string_view agent, std::string_view body) noexcept;

/// True while `headway keep-going off` is in force; then no agent is made to go on, even if it has
/// a goal.
bool is_switched_off(Environment environment);

/// The folder in which to run the command: the folder in which the session began, if the agent
/// passes it to hooks; else the folder that the body names. An empty result means the folder of
/// this process. Pure, except for the environment.
std::string goal_folder(Environment environment, std::string_view body);

/// Runs a /bin/sh command in its own process group, which is killed after `limit_ms`. Does not wait
/// for output that a child writes after the end of the command.
GoalRun run_goal(const std::string& command, const std::string& folder, int limit_ms);

/// From now on SIGTERM, SIGHUP and SIGINT kill the running command and end this process with
/// `status`, without output. With `status` 0, the agent that ended the hook sees a normal exit;
/// with the status of a refusal, its call does not run. SIGPIPE is ignored.
void leave_on_signals(int status);

/// Values of the header `X-Headway-Goal`. goal_question() asks whether the command of a goal is to
/// be run; goal_report() reports how the command ended. Pure.
std::string goal_question(std::string_view command);
std::string goal_report(std::string_view command, const GoalRun& run);

}  // namespace headway::hook

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hook/way/places.hpp"

// A command of the operator whose exit status says whether an agent may stop. The daemon decides
// whether it is run, and whether the agent goes on by it.

namespace headway::hook {

inline constexpr std::size_t kGoalCommandBytesMax = 500;
inline constexpr std::size_t kGoalOutputBytes = 1'200;
inline constexpr int kGoalMs = 600'000;

/// Result of one run of the command.
struct GoalRun {
    int status = 0;          ///< what a shell shows: the exit status, or 128 plus the signal
    bool timed_out = false;  ///< it was ended by `limit_ms`
    std::string output;      ///< the last kGoalOutputBytes of both of its outputs
};

/// Whether the hook is the end of a turn of the main agent, of an agent that can be kept going
/// there. Pure.
bool is_turn_end(std::string_view agent, std::string_view body) noexcept;

/// Whether `headway keep-going off` is in force: no agent is kept going then, by a goal either.
bool is_switched_off(Environment environment);

/// The folder that the session began in, as its agent gives it to hooks, else the one that the body
/// names; empty: that of this process. Pure, except for the environment.
std::string goal_folder(Environment environment, std::string_view body);

/// Runs a command of /bin/sh in a process group of its own. At `limit_ms` the group is killed.
/// Output that a child writes after the end of the command is not waited for.
GoalRun run_goal(const std::string& command, const std::string& folder, int limit_ms);

/// Kills the command that runs, for a handler of signals.
void end_goal() noexcept;

/// Values of the header `X-Headway-Goal`: this hook has a goal; and how its command ended. Pure.
std::string goal_question(std::string_view command);
std::string goal_report(std::string_view command, const GoalRun& run);

}  // namespace headway::hook

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "api/hooks/texts/goal_report.hpp"
#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// An operator's goal: a command that headway-hook runs at the end of an agent's turn and whose
// result decides whether the agent goes on. The daemon decides whether the command runs. It counts
// by itself how often the agent goes on, and ignores any claim of the agent about this.

namespace headway::server {

/// How often a goal may make an agent go on, counted over a session and those earlier generations
/// that reported within the last 24 hours. Nothing else resets the count. This is the only reliable
/// limit, since an agent's own limit cannot be relied on.
inline constexpr std::uint64_t kGoalTurnsMax = 5;

/// True if the command of a goal is to be run now: the main agent's turn has ended, nothing holds
/// the session back, no sub-agent waits for a person's decision, and no background work will wake
/// the agent.
core::Result<bool> may_pursue_goal(const Reader& reader, const Resident& resident,
                                   const HookCall& call);

/// Stores the result of the command. Returns the prompt with which the agent goes on; empty: the
/// agent stops. The session needs a person if the command cannot be run, if the agent has gone on
/// kGoalTurnsMax times, or if it has made no call since it last went on.
core::Result<std::string> judge_goal(Transaction& transaction, Resident& resident,
                                     const HookCall& call, const api::hooks::GoalReport& goal);

}  // namespace headway::server

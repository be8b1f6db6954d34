// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "api/hooks/texts/goal_report.hpp"
#include "server/engine/base/answers.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/engine/transaction/transaction.hpp"

// A goal of an operator: a command that headway-hook runs at the end of a turn, and by which an
// agent goes on. The daemon decides whether it is run, and counts. Not by anything that the agent
// itself says.

namespace headway::server {

/// In a session, for good: agents have no bound of their own that is known to hold.
inline constexpr std::uint64_t kGoalTurnsMax = 5;

/// Whether the command of a goal is run now: at the end of a turn of the main agent of a session
/// that nothing holds back, without work in the background that wakes the agent. Pure.
bool may_pursue_goal(const Resident& resident, const HookCall& call);

/// Stores how the command has ended. The words on which the agent goes on; empty: it stops. It
/// needs a person if the command cannot be run, if the agent has gone on as often as it may, and
/// if it has made no call since.
core::Result<std::string> judge_goal(Transaction& transaction, Resident& resident,
                                     const HookCall& call, const api::hooks::GoalReport& goal);

}  // namespace headway::server

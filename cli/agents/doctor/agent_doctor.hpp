// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/agents/install/install_plan.hpp"
#include "cli/doctor/doctor.hpp"

namespace headway::cli {

/// Checks everything between an agent and the daemon, one line each: is the agent installed, are
/// Headway's hooks there, does a setting bar them, do they reach the daemon. Starts the agent for
/// its version, Codex for the hooks it trusts, and headway-hook; sends an empty event. The daemon
/// is the one that the hooks name, unless `asked`: then the one of `way`.
std::vector<Finding> examine_agent(const AgentRow& row, const InstallPlace& place,
                                   const HookWay& way, bool asked);

}  // namespace headway::cli

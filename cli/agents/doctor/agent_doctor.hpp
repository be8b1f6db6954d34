// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/agents/install/install_plan.hpp"
#include "cli/doctor/doctor.hpp"

namespace headway::cli {

/// Checks everything between an agent and the daemon, with one line for each check: whether the
/// agent is installed, whether Headway's hooks are there, whether a setting bars them, and whether
/// they reach the daemon. Runs headway-hook, the agent to get its version, and Codex to get the
/// hooks that it trusts. Sends an empty event to the daemon. Examines the daemon that the hooks
/// name; with `asked`, the daemon in `way`.
std::vector<Finding> examine_agent(const AgentRow& row, const InstallPlace& place,
                                   const HookWay& way, bool asked);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/agents/install/install_plan.hpp"
#include "cli/doctor/doctor.hpp"

namespace headway::cli {

/// Everything between an agent and the daemon, one line each: is it installed, are our hooks there,
/// is something in their way, do they reach the daemon. Starts the agent for its version, Codex for
/// what it trusts, and headway-hook; sends an event that says nothing. The daemon is the one that
/// the hooks name, if `way` was not `asked` for.
std::vector<Finding> examine_agent(const AgentRow& row, const InstallPlace& place,
                                   const HookWay& way, bool asked);

}  // namespace headway::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hook_commands.hpp"
#include "server/engine/resident_set.hpp"

// The batch of an agent's turn, which names all calls of it again.

namespace headway::server {

/// A call of this tool was announced by a hook of its own. Bounded.
void note_announced_tool(Resident& resident, const std::string& tool);

/// Leaves of a batch what is news. Calls that were reported by themselves are known. Of the
/// calls of which nothing says that they ran (HookCommand::untold) one that was announced, or whose
/// tool is announced otherwise, did not run: it stays, as refused. Any other may be one that no
/// hook is asked for, so that nothing is known of it: it is neither a success nor a failure.
void settle_batch(Resident& resident, HookCommand& command);

}  // namespace headway::server

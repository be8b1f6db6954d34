// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// The batch of an agent's turn, which names all calls of it again.

namespace headway::server {

/// Leaves of a batch what is news. Calls that were reported by themselves are known. Among the
/// calls without a sign that they ran (HookCommand::untold) one that was announced and is still
/// open did not run: it stays, as refused. Any other is unknown: it may be one without a hook, or
/// one that another daemon or an earlier start has finished. It is neither a success nor a failure.
void settle_batch(Resident& resident, HookCommand& command);

}  // namespace headway::server

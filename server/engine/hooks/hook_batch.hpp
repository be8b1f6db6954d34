// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// The batch hook at the end of a round, which names all its calls again.

namespace headway::server {

/// Removes known events from a batch, such as calls that were reported separately. A call without a
/// sign that it ran (HookCommand::untold) that was announced and is still open did not run: it is
/// kept, as refused. Any other such call is removed as unknown, neither success nor failure: it may
/// have no hook, or another daemon or an earlier start may have finished it.
void settle_batch(Resident& resident, HookCommand& command);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// The model's answers in an agent's own record, as hooks report them. Each counts once: its event
// id ensures this in its session, KnownAnswers and the nearest relatives' stored ids in its family.

namespace headway::server {

struct UsesTaken {
    std::vector<core::Event> events;
    bool more = false;  ///< all were new, so the record may have older unreported ones
};

/// The heartbeats that count the answers in `command`.
///
/// Answers from before the session was opened are not its own: if at all, they were counted in the
/// session that it resumes or forks. By the agent's clock alone, so that different clocks lose
/// nothing, they are older than the newest line of the agent's record by more than the session's
/// age.
core::Result<UsesTaken> take_uses(Transaction& transaction, Resident& resident,
                                  HookCommand& command);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// Answers in an agent's own record, as hooks report them. Each counts once: in its session by the
// id of its event, in its family by KnownAnswers and by the stored ids of its nearest relatives.

namespace headway::server {

struct UsesTaken {
    std::vector<core::Event> events;
    bool more = false;  ///< all were new: the record may have older ones that are not reported
                        ///< either
};

/// The heartbeats that count what `command` tells. `family` is the main session, without
/// generation.
///
/// Answers from before the session was opened are not its own: they were counted in the one that it
/// resumes or forks, if at all. Which these are is measured on the agent's clock alone: an answer
/// that is older than the newest line of its record by more than the session's own age. So two
/// clocks that differ lose nothing.
core::Result<UsesTaken> take_uses(Transaction& transaction, Resident& resident,
                                  HookCommand& command);

}  // namespace headway::server

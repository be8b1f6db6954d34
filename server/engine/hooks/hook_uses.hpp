// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// The model's answers in an agent's own record, as hooks report them. Each answer is counted once.
// Within a session, the event id of the answer ensures this. Within a family, KnownAnswers ensures
// it, together with the stored ids of the parent and of the session that this one resumes.

namespace headway::server {

struct UsesTaken {
    std::vector<core::Event> events;
    bool more = false;  ///< the oldest answer was new too, so the record may have older ones that
                        ///< were not reported
};

/// Makes the heartbeats that report the usage of the answers in `command`.
///
/// Answers from before the session was opened are left out: they belong to the session that this
/// one resumes or forks. Such an answer is older than the newest line of the agent's record by more
/// than the age of the session. Only times of the agent's clock are compared, so that a difference
/// between clocks loses nothing.
core::Result<UsesTaken> take_uses(Transaction& transaction, Resident& resident,
                                  HookCommand& command);

}  // namespace headway::server

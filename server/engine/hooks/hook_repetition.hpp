// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"

namespace headway::server {

/// A hook that is sent again, since its answer was lost: it reports nothing, and hears what it may
/// not have heard (`command.call.unheard`, set for a repetition alone). Its dialog waits for the
/// request that it made. An id that was used for something else is dropped. Errors are those of the
/// store; a damaged row is logged and costs only what it would have told.
core::Result<> note_repetition(Transaction& transaction, const Resident& resident,
                               HookCommand& command);

}  // namespace headway::server

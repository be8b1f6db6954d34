// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"

namespace headway::server {

/// Handles a hook sent again since its answer was lost: it reports nothing, and gets the directives
/// that it may have missed (`command.call.unheard`, set only for a repetition). Its dialog waits
/// for the request that it made. An id used for another call is dropped. Errors: of the store; a
/// damaged row is logged and loses only its own directives.
core::Result<> note_repetition(Transaction& transaction, Resident& resident, HookCommand& command);

}  // namespace headway::server

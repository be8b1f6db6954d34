// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"

namespace headway::server {

/// Handles a hook that was sent again because its answer was lost. It reports nothing, and its
/// answer repeats the directives that the agent may have missed (`command.call.unheard`, set only
/// for a repetition). Its dialog waits for the request made at the first time. An event id that
/// belongs to another call is dropped. Errors: those of the store; a damaged row is logged, and
/// only its directives are lost.
core::Result<> note_repetition(Transaction& transaction, Resident& resident, HookCommand& command);

}  // namespace headway::server

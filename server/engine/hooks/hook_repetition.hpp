// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"

namespace headway::server {

/// Handles a hook that was sent again because its answer was lost. The hook then reports nothing,
/// and its answer repeats the directives that the agent may have missed (`command.call.unheard`,
/// set only for a repetition). Its dialog waits for the request that was made when the hook was
/// first sent. If the event id belongs to another call, the id is dropped. Errors: those of the
/// store; a damaged row is logged, and only its directives are lost.
core::Result<> note_repetition(Transaction& transaction, Resident& resident, HookCommand& command);

}  // namespace headway::server

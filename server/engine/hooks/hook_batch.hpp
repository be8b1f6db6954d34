// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"
#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// The batch hook at the end of a round, which names all its calls again.

namespace headway::server {

/// The event for the end of a call that did not complete. Pure.
core::Event finish_of(const std::string& call_id, const std::string& tool,
                      std::string_view error_class, std::string_view why);

/// Notes a finished call, which the batch of this round may name again. Keeps a bounded number.
void note_finished_call(Resident& resident, const std::string& call_id);

/// Removes known events from a batch, such as calls that were reported separately. A call without a
/// sign that it ran (HookCommand::untold) that was announced and is still open did not run: it is
/// kept, as refused. Any other such call is removed as unknown, neither success nor failure: it may
/// have no hook, or another daemon or an earlier start may have finished it.
void settle_batch(Resident& resident, HookCommand& command);

}  // namespace headway::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// Prompts that timers and loops send. Such prompts look as if a person had written them.

namespace headway::server {

/// Remembers a person's command that starts a loop, and the prompts that the timers in a stop hook
/// will send. These prompts replace the prompts of the previous stop hook. Bounded.
void note_prompts(Resident& resident, const api::hooks::Hook& hook);

/// Marks the hook and its message as a wake-up if the prompt equals a remembered prompt. The first
/// prompt, which a person sent, is not a wake-up; nor is a prompt that the agent reports as typed
/// by a person.
void mark_wake_up(const Resident& resident, HookCommand& command);

}  // namespace headway::server

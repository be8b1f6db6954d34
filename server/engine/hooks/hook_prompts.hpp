// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// Prompts of timers and loops, which look as if a person had written them.

namespace headway::server {

/// Remembers the prompts that the timers named by a stop hook will send, replacing the previous
/// stop's, and a person's command that starts a loop. Bounded.
void note_prompts(Resident& resident, const api::hooks::Hook& hook);

/// Marks the hook and its message as a wake-up if the prompt repeats a remembered one word for
/// word. A person's first prompt is not a wake-up, nor is a prompt that the agent reports as typed
/// by a person.
void mark_wake_up(const Resident& resident, HookCommand& command);

}  // namespace headway::server

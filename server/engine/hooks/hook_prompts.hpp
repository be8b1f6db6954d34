// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// Prompts that no person wrote although they look as if one had: those of timers and loops.

namespace headway::server {

/// Remembers the prompts that the timers of a stop will send, instead of those of the stop before,
/// and a person's own command that starts a loop. Bounded.
void note_prompts(Resident& resident, const api::hooks::Hook& hook);

/// A prompt that repeats such a one word for word is a wake-up: marks the hook and its message so.
/// The first one, which a person wrote, is none; nor is one of which the agent says that a person
/// wrote it.
void mark_wake_up(const Resident& resident, HookCommand& command);

}  // namespace headway::server

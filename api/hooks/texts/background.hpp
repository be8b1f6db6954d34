// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Work that continues after an agent's turn, and wake-ups, in hooks of Claude's shape. Internal to
// the dialects; pure.

namespace headway::api::hooks {

/// Reads the work that a stop hook names as running into Hook::background, and its timers' prompts
/// into Hook::wake_prompts. A sub-agent, which is in its own list, is left out.
void read_background(JsonValue body, Hook& hook);

/// A name for one line: "shell: npm run dev".
std::string background_name(std::string_view sort, std::string_view what);

/// True if no person wrote this prompt: a result of background work, a continuation after a limit,
/// a stop hook's reason.
bool is_made_prompt(std::string_view prompt);

}  // namespace headway::api::hooks

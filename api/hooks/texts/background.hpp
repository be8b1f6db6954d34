// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Work that goes on after an agent's turn, and its wake-ups: hooks of Claude's shape. Internal to
// the dialects; pure.

namespace headway::api::hooks {

/// The work that a stop names as running: Hook::background, and the prompts of its timers. The list
/// of a sub-agent includes the sub-agent itself.
void read_background(JsonValue body, Hook& hook);

/// A name for one line: "shell: npm run dev".
std::string background_name(std::string_view sort, std::string_view what);

/// True if no person wrote this prompt: the result of work in the background, the continuation
/// after a limit, the reason of a stop hook.
bool is_made_prompt(std::string_view prompt);

}  // namespace headway::api::hooks

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Reads work that continues after an agent's turn, and wake-ups, from hooks of the same form as
// Claude's. Internal to the dialects; functions change only arguments.

namespace headway::api::hooks {

/// Sets Hook::background to the work that a stop hook names as running, and Hook::wake_prompts to
/// the prompts of the timers that it names. Sub-agents are left out: they have a list of their own.
void read_background(JsonValue body, Hook& hook);

/// A name on one line: "shell: npm run dev".
std::string background_name(std::string_view sort, std::string_view what);

/// True if no person wrote this prompt: it is a result of background work, a continuation after a
/// limit, the reason given by a stop hook, or the prompt of a timer.
bool is_made_prompt(std::string_view prompt);

}  // namespace headway::api::hooks

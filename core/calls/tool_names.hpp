// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Meaning of the name of a tool. Pure.

namespace headway::core {

/// True for a tool that acts on a screen, a page or a game, whose effect only another call shows:
/// scroll, click, type, press, navigate.
bool acts_on_screen(std::string_view tool);

/// True for a tool that stands for a screen, a page or a game; its argument `action` says more.
bool is_screen(std::string_view tool);

/// True for a tool that writes what the agent wants to remember: its own memory, not the work.
bool only_remembers(std::string_view tool);

/// `ask_user`, `ask_followup_question`, `request_user_input`, `question`: a tool that waits for a
/// person.
bool asks_a_person(std::string_view tool);

/// `create_order`, `launchAgent`: a tool that hands something in, and answers with a receipt.
bool hands_something_in(std::string_view tool);

/// `wait_agent`, `waitForEvent`: a tool whose calls last until something comes, or a limit.
bool waits_by_name(std::string_view tool);

}  // namespace headway::core

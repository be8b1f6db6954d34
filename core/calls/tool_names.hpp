// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The meaning of a tool's name. Pure.

namespace headway::core {

/// True for a tool that acts on a screen, a page or a game; only another call shows its effect:
/// scroll, click, type, press, navigate.
bool acts_on_screen(std::string_view tool);

/// True for a tool that moves a machine or a list on by one step, from wherever it stands, so that
/// the same call is a new one each time: `jog`, `dose`, `next_track`. None takes anything back.
bool steps_on(std::string_view tool);

/// True for a word that means the same in a tool of a game, and something else in many others:
/// `move`, not to tell from `move_card`.
bool may_act_on_screen(std::string_view tool);

/// True for the value of `dir` in a game or of a robot: "left", "North".
bool is_direction(std::string_view value);

/// True for a tool named after a screen, a page or a game; its argument `action` names the action.
bool is_screen(std::string_view tool);
/// True for a tool of a browser, whose snapshots name the elements of a page.
bool shows_pages(std::string_view tool);

/// True for a tool that runs a script in a page or on a screen: `browser_evaluate`. A script
/// without a value acts; another returns what it sees.
bool runs_in_page(std::string_view tool);

/// True for a tool that returns a picture or the content of a page: `browser_snapshot`.
bool looks_at_screen(std::string_view tool);

/// True for a tool that only writes the agent's own memory, not the work.
bool only_remembers(std::string_view tool);

/// True for a tool that waits for a person: `ask_user`, `ask_followup_question`,
/// `request_user_input`, `question`.
bool asks_a_person(std::string_view tool);

/// True for a tool that submits something and returns a receipt: `create_order`, `launchAgent`.
bool hands_something_in(std::string_view tool);

/// True for a tool whose name may mean that it hands something in as well as that it asks, so that
/// its answer has to tell: `order_book`, `http_request`, `pay`.
bool may_only_ask(std::string_view tool);

/// True for a tool, or a command, that takes the next part of a queue: `import_batch`,
/// `queue:work --once`.
bool takes_next(std::string_view tool);

/// True if the words of a tool's name or of a command begin work that goes on elsewhere, and do not
/// ask for it: `place_order` and `sam deploy`, not `deploy_status`.
bool begins_work(std::string_view words);

/// True for a tool that fetches a page: `WebFetch`, `mcp__fetch__fetch`.
bool fetches_page(std::string_view tool);

/// True for a tool whose answer may be that of a sub-agent: `Task`, `delegate_to`.
bool is_sub_agent(std::string_view tool);

/// True for a tool whose calls last until an event or a limit: `wait_agent`, `waitForEvent`.
bool waits_by_name(std::string_view tool);

/// True for a tool that only takes down a thought: `think`, `sequentialthinking`.
bool thinks_by_name(std::string_view tool);

/// True for a tool that takes what others send: a mailbox, a queue, a chat.
bool receives(std::string_view tool);

/// True for a file that tests and tools write by themselves: coverage, logs, caches.
bool is_artifact(std::string_view path);

}  // namespace headway::core

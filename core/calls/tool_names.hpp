// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The meaning of a tool's name. Pure.

namespace headway::core {

/// True for a tool that acts on a screen, a page or a game (`scroll`, `click`, `press`, `navigate`,
/// `browser_type`); only another call shows its effect.
bool acts_on_screen(std::string_view tool);

/// True for a tool that moves a machine or a list one step from its present place, so that an equal
/// call has a new effect each time: `jog`, `dose`, `next_track`.
bool steps_on(std::string_view tool);

/// True for a tool with a word that means an action on a screen or in a game, but something else in
/// many other tools. For example, `move` alone does not show whether `move_card` is an action in a
/// game.
bool may_act_on_screen(std::string_view tool);

/// True for a value that names a direction in a game or for a robot: "left", "North".
bool is_direction(std::string_view value);

/// True for a tool named after a screen, a page or a game; its argument `action` names the action.
bool is_screen(std::string_view tool);
/// True for a tool of a browser. Its snapshots name the elements of a page.
bool shows_pages(std::string_view tool);

/// True for a tool that runs a script in a page or on a screen: `browser_evaluate`. A script that
/// returns no value acts; any other script reads.
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

/// True for a tool whose name does not show whether it submits something or only queries, so that
/// its answer decides: `order_book`, `http_request`, `pay`.
bool may_only_ask(std::string_view tool);

/// True for a tool, or a command, that takes the next part of a queue: `import_batch`,
/// `queue:work --once`.
bool takes_next(std::string_view tool);

/// True if the words of a tool's name or of a command mean that it begins work that goes on
/// elsewhere, not that it queries such work: `place_order` and `sam deploy`, not `deploy_status`.
bool begins_work(std::string_view words);

/// True for a tool that fetches a page: `WebFetch`, `mcp__fetch__fetch`.
bool fetches_page(std::string_view tool);

/// True for a tool whose answer may be that of a sub-agent: `Task`, `delegate_to`.
bool is_sub_agent(std::string_view tool);

/// True for a tool whose calls last until an event or a limit: `wait_agent`, `waitForEvent`.
bool waits_by_name(std::string_view tool);

/// True for a tool that only records a thought: `think`, `sequentialthinking`.
bool thinks_by_name(std::string_view tool);

/// True for a tool that receives messages from others: a mailbox, a queue, a chat.
bool receives(std::string_view tool);

/// True for a file that tests and tools write by themselves: coverage, logs, caches.
bool is_artifact(std::string_view path);

}  // namespace headway::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Reads tool responses of Gemini CLI and of its fork Qwen Code. Internal to the dialects. The
// functions have no side effects except on their reference arguments.

namespace headway::api::hooks {

/// The tool that runs commands.
bool is_shell(std::string_view tool);

/// The result in `{llmContent, returnDisplay}`: normally `llmContent`, which the model gets; for
/// the shell tool `returnDisplay`, because the tool's `llmContent` contains process IDs, which
/// differ in each call. If the preferred text is empty, the other one.
std::string shown_result(std::string_view tool, JsonValue response);

/// The text of `display` (`returnDisplay` or `result_display`): `display` itself if it is a string;
/// its member `text` if it is the object that Qwen Code 0.24.4 and later send for a command; else
/// empty.
std::string display_text(JsonValue display);

/// The exit code in the last lines of the shell tool's text for the model.
std::optional<std::uint64_t> shell_exit_code(std::string_view text);

/// Reads how a command ended from the response of the shell tool: its exit code, and whether it
/// failed: by its exit code, because of a signal, a timeout or a cancellation by a person, or
/// because the tool refused it.
void read_shell_end(JsonValue response, HookCall& call);

/// Marks the call as failed if `display` shows a sub-agent that did not reach its goal, or a
/// command that failed according to Qwen Code. This is needed because their responses contain no
/// `error`.
void read_display_end(const std::optional<JsonValue>& display, HookCall& call);

/// True for the text that the agent puts in place of an MCP server's answer that it could not
/// parse.
bool is_unparsed(std::string_view result);

/// In a kStop, replaces the agent's placeholder for an empty turn ("[no response text]") with an
/// empty text, and sets Hook::silent.
void read_no_words(Hook& hook);

/// Adds the file in `display` (`returnDisplay` or `result_display`) to `call`, if the call wrote a
/// file.
void read_shown_file(std::optional<JsonValue> display, HookCall& call);

/// Headway's error class for an error type of these tools; empty for most error types.
std::string_view error_class_of(std::string_view type);

}  // namespace headway::api::hooks

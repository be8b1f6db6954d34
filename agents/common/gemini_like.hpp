// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Reads tool responses of Gemini CLI and of its fork Qwen Code. Internal to the dialects; functions
// change only arguments.

namespace headway::api::hooks {

/// The tool that runs commands.
bool is_shell(std::string_view tool);

/// The result in `{llmContent, returnDisplay}`: `llmContent`, which the model gets; of the shell
/// tool `returnDisplay`, because its `llmContent` has process IDs, which differ in each call.
std::string shown_result(std::string_view tool, JsonValue response);

/// The text of `display` (`returnDisplay` or `result_display`): itself, or that of a command, which
/// is an object from Qwen Code 0.24.4 on.
std::string display_text(JsonValue display);

/// The exit code in the last lines of the shell tool's text for the model.
std::optional<std::uint64_t> shell_exit_code(std::string_view text);

/// Reads how a command ended from the response of the shell tool: its exit code, and a failure by
/// that, by a signal, by time, by a person, or by the tool's own refusal.
void read_shell_end(JsonValue response, HookCall& call);

/// Marks the call as failed if `display` is that of a sub-agent that did not reach its goal, or of
/// a command that Qwen Code calls failed: neither has an `error`.
void read_display_end(const std::optional<JsonValue>& display, HookCall& call);

/// True for the text that stands for the answer of an MCP server that cannot be read.
bool is_unparsed(std::string_view result);

/// Takes the words for a turn without words, of a kStop, for what they are.
void read_no_words(Hook& hook);

/// Adds the file in `display` (`returnDisplay` or `result_display`) to `call`, if the call wrote a
/// file.
void read_shown_file(std::optional<JsonValue> display, HookCall& call);

/// Headway's error class for an error type of these tools; empty for most error types.
std::string_view error_class_of(std::string_view type);

}  // namespace headway::api::hooks

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

/// The result in `{llmContent, returnDisplay}`: `llmContent`, which the model gets; of the shell
/// tool `returnDisplay`, because its `llmContent` has process IDs, which differ in each call.
std::string shown_result(JsonValue response);

/// The exit code, which the shell tool writes after the output of the command.
std::optional<std::uint64_t> shell_exit_code(std::string_view text);

/// Reads an exit code from `text`, and marks the call as failed if the code is not 0.
void read_shell_exit(std::string_view text, HookCall& call);

/// Adds the file in `display` (`returnDisplay` or `result_display`) to `call`, if the call wrote a
/// file.
void read_shown_file(std::optional<JsonValue> display, HookCall& call);

/// Headway's error class for an error type of these tools; empty for most error types.
std::string_view error_class_of(std::string_view type);

}  // namespace headway::api::hooks

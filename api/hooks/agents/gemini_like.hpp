// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"

// Code shared by Gemini CLI and Qwen Code, which grew out of it: how their tools answer. Internal
// to the dialects; pure.

namespace headway::api::hooks {

/// The result in `{llmContent, returnDisplay}`: `returnDisplay`, since the other text contains a
/// process number, which is new with each call; `llmContent` where nothing is displayed.
std::string shown_result(JsonValue response);

/// The exit code that the shell tool writes behind the output of the command.
std::optional<std::uint64_t> shell_exit_code(std::string_view text);

/// Reads an exit code from the response, and fails the call by it.
void read_shell_exit(std::string_view text, HookCall& call);

/// The file in `returnDisplay` or `result_display`, if the call wrote one.
void read_shown_file(std::optional<JsonValue> display, HookCall& call);

/// Our class for the tools' type of an error; empty for most.
std::string_view error_class_of(std::string_view type);

}  // namespace headway::api::hooks

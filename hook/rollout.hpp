// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The exit code of a call of Codex, which its hook does not say and its rollout does. No parser: a
// quote inside of a string of JSON is escaped, so `"name"` with plain quotes is a string of its
// own.

namespace headway::hook {

/// The text of the member `name` of the outermost object, without its quotes; empty if there is
/// none, if it is no string, or if the string has an escape. Linear. Pure.
std::string_view text_member(std::string_view json, std::string_view name) noexcept;

/// The digits of `exit_code` in the last line that is the command execution `call`; empty without
/// one. Pure.
std::string_view exit_code_in(std::string_view rollout, std::string_view call) noexcept;

/// The exit code of the call that this body of a PostToolUse is about, from the end of the rollout
/// that it names; empty if there is none.
std::string codex_exit_code(std::string_view body);

}  // namespace headway::hook

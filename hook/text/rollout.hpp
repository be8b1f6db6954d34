// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Reads the exit code of a Codex call from Codex's rollout, because Codex does not pass it to the
// hook.

namespace headway::hook {

/// The digits of `exit_code` in the last line about the command execution `call`; empty if there is
/// no such line. Pure.
std::string_view exit_code_in(std::string_view rollout, std::string_view call) noexcept;

/// The exit code of the call in this body of a PostToolUse hook, read from the end of the rollout
/// that the body names; empty if the rollout has none.
std::string codex_exit_code(std::string_view body);

}  // namespace headway::hook

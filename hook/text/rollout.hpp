// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The exit code of a Codex call, which is in Codex's rollout and not in its hook.

namespace headway::hook {

/// The digits of `exit_code` in the last line about the command execution `call`; empty without
/// such a line. Pure.
std::string_view exit_code_in(std::string_view rollout, std::string_view call) noexcept;

/// The exit code of the call in this body of a PostToolUse, from the end of the rollout that the
/// body names; empty if the rollout has none.
std::string codex_exit_code(std::string_view body);

}  // namespace headway::hook

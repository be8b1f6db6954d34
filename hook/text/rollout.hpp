// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The exit code of a call of Codex, which its hook does not say and its rollout does.

namespace headway::hook {

/// The digits of `exit_code` in the last line that is the command execution `call`; empty without
/// one. Pure.
std::string_view exit_code_in(std::string_view rollout, std::string_view call) noexcept;

/// The exit code of the call that this body of a PostToolUse is about, from the end of the rollout
/// that it names; empty if there is none.
std::string codex_exit_code(std::string_view body);

}  // namespace headway::hook

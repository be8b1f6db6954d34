// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/agents/agent_finder.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// The numbers of Headway's hooks that Codex trusts and does not trust. Codex silently skips a hook
/// until a person has trusted its exact text.
struct CodexTrust {
    std::size_t trusted = 0;
    std::size_t untrusted = 0;
};

/// Asks Codex's app-server which of Headway's hooks in the file `hooks` are trusted. With `trust`,
/// it first marks these hooks as trusted. Takes up to 20 s. Error: kInvalidParameter if Codex does
/// not answer.
core::Result<CodexTrust> codex_trust(const std::filesystem::path& program,
                                     const std::filesystem::path& hooks,
                                     const Environment& environment, bool trust);

}  // namespace headway::cli
